//! Files that are not read, written or shared as they are said to be: what `cache.emptied`, `cache.full`, `cache.left`,
//! `file.on_disk`, `device.bytes`, `reads.deepest`, `blocks.right`, `pages.waiting`, `pages.left`, `actors.overlap` and
//! `knee.per_cached` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point};
use std::path::Path;
use sys::cachestat;
use sys::direct;
use sys::process::Actor;
use sys::temporary::{TemporaryFile, bytes_from_devices};
use sys::uring::reads::Reads;

/// Bytes of the files, and of a block.
const LENGTH: u64 = 1 << 20;
const BLOCK: usize = 4096;

fn point(text: &str) -> Vec<Point> {
    Point::parse(text).into_iter().collect()
}

/// A file of random data, synced, in this directory.
fn written(directory: &Path) -> Result<TemporaryFile, Failure> {
    let mut file = TemporaryFile::new(directory)?;
    file.fill(LENGTH as usize, BLOCK, 1)?;
    file.flush()?;
    Ok(file)
}

fn own(bench: &Bench<'_>) -> Result<TemporaryFile, Failure> {
    written(&bench.directory()?.path)
}

/// Reads every block of a file and gives its time; tells how many bytes came from the device for each, and how much
/// of the file is on one.
fn read_all(bench: &mut Bench<'_>, file: &TemporaryFile) -> Result<(), Failure> {
    let mapped = file.extents().map_or(0, |extents| extents.mapped);
    bench.count("file.on_disk", (mapped as f64 / LENGTH as f64).min(1.0), 1.0);
    let earlier = bytes_from_devices().unwrap_or(0);
    let (clock, mut block, mut values) = (sys::clock::Clock::select(), [0; BLOCK], Vec::new());
    for offset in (0..LENGTH).step_by(BLOCK) {
        let began = clock.moment();
        direct::read_at(file.descriptor(), &mut block, offset);
        values.push(clock.moment().nanos_since(began) as f64);
    }
    let came = bytes_from_devices().unwrap_or(0) - earlier;
    bench.count("device.bytes", came as f64, LENGTH as f64);
    bench.count("answers", 1.0, 1.0);
    bench.values(values);
    Ok(())
}

/// Tells what the mistake does not touch.
fn count_all(bench: &mut Bench<'_>, all: &[(&str, f64)]) {
    all.iter().for_each(|(counter, count)| bench.count(counter, *count, 1.0));
}

/// A cache that was not emptied, seen by looking.
pub static CACHED: Sabotage = Sabotage {
    id: "sabotage.files.cached",
    of: "file.read.uncached",
    points: |_| point("access=random bytes=64MiB"),
    mistake: "the file is still in the cache when it is read, and that is called uncached (E22)",
    caught_by: Caught::By("cache.emptied"),
    run: |bench| {
        let file = own(bench)?;
        let cached = cachestat::of(file.descriptor(), 0..LENGTH)?;
        read_all(bench, &file)?;
        count_all(bench, &[("cache.emptied", f64::from(u8::from(cached.present == 0)))]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// The same, and the look forgotten.
pub static NOTHING_READ: Sabotage = Sabotage {
    id: "sabotage.files.nothing_read",
    of: "file.read.uncached",
    points: |_| point("access=random bytes=64MiB"),
    mistake: "the cache was not emptied and is said to be: no byte comes from the device (E22)",
    caught_by: Caught::By("device.bytes"),
    run: |bench| {
        let file = own(bench)?;
        read_all(bench, &file)?;
        count_all(bench, &[("cache.emptied", 1.0)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A hole.
pub static SPARSE: Sabotage = Sabotage {
    id: "sabotage.files.sparse",
    of: "file.read.uncached",
    points: |_| point("access=random bytes=64MiB"),
    mistake: "nothing was ever written to the file: it lies nowhere on the disk (E21)",
    caught_by: Caught::By("file.on_disk"),
    run: |bench| {
        let mut file = TemporaryFile::new(&bench.directory()?.path)?;
        file.stretch(LENGTH as usize)?;
        read_all(bench, &file)?;
        count_all(bench, &[("cache.emptied", 1.0)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Memory.
pub static IN_MEMORY: Sabotage = Sabotage {
    id: "sabotage.files.in_memory",
    of: "file.read.direct",
    points: |_| point("access=random bytes=64MiB"),
    mistake: "the file is on tmpfs, which is called a disk (E21)",
    caught_by: Caught::By("file.on_disk"),
    run: |bench| {
        let file = written(Path::new("/dev/shm"))?;
        read_all(bench, &file)
    },
    ..Sabotage::NEW
};

/// A cache of half a file.
pub static HALF_CACHED: Sabotage = Sabotage {
    id: "sabotage.files.half_cached",
    of: "file.read.cached",
    points: |_| point("access=sequential bytes=64KiB"),
    mistake: "half of the file is not in the cache when a cached read is timed",
    caught_by: Caught::By("cache.full"),
    run: |bench| {
        let file = own(bench)?;
        file.drop_cache()?;
        let mut block = [0; BLOCK];
        let half = LENGTH / 2;
        direct::will_read(file.descriptor(), false)?;
        for offset in (0..half).step_by(BLOCK) {
            direct::read_at(file.descriptor(), &mut block, offset);
        }
        let present = cachestat::of(file.descriptor(), 0..LENGTH)?.present as f64;
        let mut main = |n| {
            for turn in 0..n {
                // Of the half that is there.
                direct::read_at(file.descriptor(), &mut block, turn * BLOCK as u64 % half);
            }
            Ok(n)
        };
        bench.slope(&mut main)?;
        let full = present * BLOCK as f64 / LENGTH as f64;
        count_all(bench, &[("cache.full", full), ("device.bytes", 0.0)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// What was read stays.
pub static STAYS: Sabotage = Sabotage {
    id: "sabotage.files.stays",
    of: "file.read.dontcache",
    points: |_| point("access=random bytes=64MiB"),
    mistake: "the flag is forgotten: what was read stays in the cache",
    caught_by: Caught::By("cache.left"),
    run: |bench| {
        let file = own(bench)?;
        file.drop_cache()?;
        read_all(bench, &file)?;
        let left = cachestat::of(file.descriptor(), 0..LENGTH)?.present as f64 * BLOCK as f64 / LENGTH as f64;
        count_all(bench, &[("cache.emptied", 1.0), ("cache.left", left)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// One after another.
pub static SHALLOW: Sabotage = Sabotage {
    id: "sabotage.files.shallow",
    of: "file.read.uring",
    points: |_| point("depth=16"),
    mistake: "one read is in flight at a time, where sixteen are declared",
    caught_by: Caught::By("reads.deepest"),
    run: |bench| {
        let file = own(bench)?;
        let mut reads = Reads::new(BLOCK, 1)?;
        let mut next = 0;
        let offset = || {
            next = (next + BLOCK as u64) % LENGTH;
            next
        };
        let done = reads.run(file.descriptor(), 256, offset, |block, at| file.is_block(block, at))?;
        bench.values(vec![60_000.0; 8]);
        count_all(
            bench,
            &[
                ("answers", done.right as f64 / 256.0),
                ("file.on_disk", 1.0),
                ("device.bytes", 1.0),
                ("reads.deepest", f64::from(done.deepest)),
            ],
        );
        Ok(())
    },
    ..Sabotage::NEW
};

/// Always the same block.
pub static ONE_PLACE: Sabotage = Sabotage {
    id: "sabotage.files.one_place",
    of: "file.write.buffered",
    points: |_| point("access=sequential fill_write=4KiB"),
    mistake: "all writes go to the first block of the file",
    caught_by: Caught::By("blocks.right"),
    run: |bench| {
        let file = own(bench)?;
        let mut block = [0; BLOCK];
        file.compose(&mut block, LENGTH);
        let mut right = 0;
        let mut main = |n| {
            for _ in 0..n {
                right = direct::write_at(file.descriptor(), &block, 0);
            }
            Ok(n)
        };
        bench.slope(&mut main)?;
        let mut found = 0.0;
        for offset in (0..LENGTH).step_by(BLOCK) {
            direct::read_at(file.descriptor(), &mut block, offset);
            found += f64::from(u8::from(file.is_block(&block, LENGTH)));
        }
        count_all(bench, &[("blocks.right", found * BLOCK as f64 / LENGTH as f64)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Nothing to sync.
pub static NOTHING_WAITS: Sabotage = Sabotage {
    id: "sabotage.files.nothing_waits",
    of: "file.sync",
    points: |_| point("bytes=4KiB"),
    mistake: "nothing was written before the sync, which has nothing to do",
    caught_by: Caught::By("pages.waiting"),
    run: |bench| {
        let file = own(bench)?;
        let (clock, mut values, mut waiting) = (sys::clock::Clock::select(), Vec::new(), 0.0);
        for _ in 0..16 {
            waiting += cachestat::of(file.descriptor(), 0..LENGTH)?.dirty as f64;
            let began = clock.moment();
            direct::sync_all(file.descriptor())?;
            values.push(clock.moment().nanos_since(began) as f64);
        }
        bench.values(values);
        count_all(bench, &[("answers", 1.0), ("pages.waiting", waiting / 16.0), ("pages.left", 0.0)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Nothing is synced.
pub static NOT_SYNCED: Sabotage = Sabotage {
    id: "sabotage.files.not_synced",
    of: "file.write.fsync",
    mistake: "the write is timed without the sync: the block still waits in the cache",
    caught_by: Caught::By("pages.left"),
    run: |bench| {
        let file = own(bench)?;
        let (clock, mut values, mut left, block) = (sys::clock::Clock::select(), Vec::new(), 0.0, [7; BLOCK]);
        for offset in (0..16 * BLOCK as u64).step_by(BLOCK) {
            let began = clock.moment();
            direct::write_at(file.descriptor(), &block, offset);
            values.push(clock.moment().nanos_since(began) as f64);
            let cached = cachestat::of(file.descriptor(), 0..LENGTH)?;
            left += (cached.dirty + cached.writeback) as f64;
        }
        bench.values(values);
        count_all(
            bench,
            &[("answers", 1.0), ("file.on_disk", 1.0), ("blocks.right", 1.0), ("pages.left", left / 16.0)],
        );
        Ok(())
    },
    ..Sabotage::NEW
};

/// Competitors that have ended.
pub static ALONE: Sabotage = Sabotage {
    id: "sabotage.files.alone",
    of: "file.contention",
    points: |_| point("access=random others=same competitors=7"),
    mistake: "the competitors have ended before the main reader begins (E47)",
    caught_by: Caught::By("actors.overlap"),
    run: |bench| {
        let file = own(bench)?;
        let shared = sys::memory::Mapping::shared(BLOCK)?;
        let ended = || shared.words().first();
        let mut others = Vec::new();
        for _ in 0..7 {
            others.push(Actor::spawn(None, || {
                let mut block = [0; BLOCK];
                direct::read_at(file.descriptor(), &mut block, 0);
                ended().map(|word| word.fetch_add(1, std::sync::atomic::Ordering::AcqRel));
                0
            })?);
        }
        // Those that have ended are still listed until they are waited for.
        let processes = sys::process::processes_of_actors().unwrap_or(8);
        for other in others {
            other.join()?;
        }
        let gone = ended().map_or(0, |word| word.load(std::sync::atomic::Ordering::Acquire));
        file.drop_cache()?;
        read_all(bench, &file)?;
        count_all(bench, &[("actors.overlap", 7.0 - gone as f64), ("actors.processes", processes as f64)]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A knee that is none.
pub static GUESSED: Sabotage = Sabotage {
    id: "sabotage.files.guessed",
    of: "file.cache_size",
    points: |_| point("memory_limit=32MiB"),
    mistake: "the limit itself is called the size of the cache, whatever is cached",
    caught_by: Caught::By("knee.per_cached"),
    run: |bench| {
        let file = own(bench)?;
        let cached = cachestat::of(file.descriptor(), 0..LENGTH)?.present as f64 * BLOCK as f64;
        let knee = 32.0 * LENGTH as f64;
        bench.values(vec![knee]);
        count_all(
            bench,
            &[("answers", 1.0), ("file.on_disk", 1.0), ("knee.per_cached", knee / cached.max(1.0))],
        );
        Ok(())
    },
    ..Sabotage::NEW
};
