//! Files that are not read, written or shared as claimed: what `cache.emptied`, `cache.full`, `cache.left`, `file.on_disk`,
//! `device.bytes`, `requests.deepest`, `requests.slept`, `rate.of_peak`, `unregistered.refused`, `blocks.right`, `pages.waiting`, `pages.left`,
//! `allocated.bytes`, `actors.overlap` and `knee.per_cached` must catch.

use crate::sabotage::{count_all, give};
use crate::{Caught, End, Sabotage};
use measure::{Bench, CpuTime, Result};
use std::path::Path;
use std::time::Instant;
use sys::cachestat::{self, Cached};
use sys::direct::{self, CacheMode};
use sys::process::Actor;
use sys::temporary::{TemporaryFile, bytes_from_devices};
use sys::uring::requests::{Direction, Request, Requests};
use sys::usage::{self, UsageScope};
use workloads::file::uring::count_refusal;
use workloads::shared_words::SharedWords;

/// Bytes of the files, and of a block.
const LENGTH: u64 = 1 << 20;
const BLOCK: usize = 4096;

/// A file of random data in this directory.
pub(crate) fn filled(directory: &Path, bytes: usize) -> Result<TemporaryFile> {
    let mut file = TemporaryFile::new(directory)?;
    file.fill(bytes, BLOCK, 1)?;
    Ok(file)
}

/// A file of random data, synced, in this directory.
pub(crate) fn written(directory: &Path, bytes: usize) -> Result<TemporaryFile> {
    let file = filled(directory, bytes)?;
    file.flush()?;
    Ok(file)
}

/// A file without blocks in this directory.
pub(crate) fn sparse(directory: &Path, bytes: usize) -> Result<TemporaryFile> {
    let mut file = TemporaryFile::new(directory)?;
    file.stretch(bytes)?;
    Ok(file)
}

/// The share of a file that has blocks on a disk.
pub(crate) fn share_on_disk(file: &TemporaryFile) -> f64 {
    let mapped = file.extents().map_or(0, |extents| extents.mapped);
    (mapped as f64 / file.length() as f64).min(1.0)
}

fn own(bench: &Bench<'_>) -> Result<TemporaryFile> {
    written(&bench.directory()?.path, LENGTH as usize)
}

fn cached(file: &TemporaryFile) -> Result<Cached> {
    Ok(cachestat::query(file.descriptor(), 0..LENGTH)?)
}

/// The share of a file that is in the cache.
fn cached_share(file: &TemporaryFile) -> Result<f64> {
    Ok(cached(file)?.present as f64 * BLOCK as f64 / LENGTH as f64)
}

fn nanos<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed().as_nanos() as f64
}

/// Nanoseconds of the read of each block of the first bytes of a file.
pub(crate) fn read_times(file: &TemporaryFile, bytes: u64) -> Vec<f64> {
    let mut block = [0; BLOCK];
    let offsets = (0..bytes).step_by(BLOCK);
    offsets.map(|offset| nanos(|| direct::read_at(file.descriptor(), &mut block, offset))).collect()
}

/// Reads every block of a file and gives its time; tells how many bytes came from the device for each, how much of the file
/// is on one, and what is claimed.
fn read_all(bench: &mut Bench<'_>, file: &TemporaryFile, claimed: &[(&str, f64)]) -> Result<()> {
    let earlier = bytes_from_devices().unwrap_or(0);
    let times = read_times(file, LENGTH);
    let came = bytes_from_devices().unwrap_or(0) - earlier;
    let on_disk = share_on_disk(file);
    count_all(bench, &[("file.on_disk", on_disk), ("device.bytes", came as f64 / LENGTH as f64)]);
    count_all(bench, claimed);
    give(bench, &[("answers", 1.0)], times)
}

/// Reads of a ring.
const RING_READS: u64 = 256;

/// What is claimed of a file whose blocks a ring reads.
const FROM_DEVICE: [(&str, f64); 3] =
    [("file.on_disk", 1.0), ("device.bytes", 1.0), ("device.requests", 1.0)];

/// Reads blocks of a file at a queue depth, by O_DIRECT; gives the file.
fn read_by_ring(bench: &mut Bench<'_>, depth: u32) -> Result<TemporaryFile> {
    let file = own(bench)?;
    let path = format!("/proc/self/fd/{}", file.descriptor().number());
    let direct = TemporaryFile::reopen(Path::new(&path), CacheMode::Direct, file.seed())?;
    let mut requests = Requests::new(BLOCK, depth)?;
    let mut next = 0;
    let done = requests.run(
        RING_READS,
        |_, _| {
            next = (next + BLOCK as u64) % LENGTH;
            Request { file: direct.descriptor(), direction: Direction::Read, offset: next }
        },
        |_, request, block| direct.is_block(block, request.offset),
    )?;
    bench.count("answers", done.right as f64, RING_READS as f64);
    bench.count("requests.deepest", f64::from(done.deepest), 1.0);
    Ok(direct)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.files.cached",
        of: "file.read.uncached access=random file_size=64MiB",
        mistake: "the file is in the page cache when it is read, and is claimed to be uncached (E22)",
        caught_by: Caught::By("cache.emptied"),
        run: |bench| {
            let file = own(bench)?;
            let is_emptied = f64::from(u8::from(cached(&file)?.present == 0));
            read_all(bench, &file, &[("cache.emptied", is_emptied)])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.nothing_read",
        of: "file.read.uncached access=random file_size=64MiB",
        mistake: "the cache was not emptied and is claimed to be: no byte comes from the device (E22)",
        caught_by: Caught::By("device.bytes"),
        run: |bench| {
            let file = own(bench)?;
            read_all(bench, &file, &[("cache.emptied", 1.0)])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.sparse",
        of: "file.read.uncached access=random file_size=64MiB",
        mistake: "the file is sparse: it has no blocks on the disk (E21)",
        caught_by: Caught::By("file.on_disk"),
        run: |bench| {
            let file = sparse(&bench.directory()?.path, LENGTH as usize)?;
            read_all(bench, &file, &[("cache.emptied", 1.0)])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.in_memory",
        of: "file.read.direct access=random file_size=64MiB",
        mistake: "the file is on tmpfs, and is claimed to be on a disk (E21)",
        caught_by: Caught::By("file.on_disk"),
        run: |bench| read_all(bench, &written(Path::new("/dev/shm"), LENGTH as usize)?, &[]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.half_cached",
        of: "file.read.cached access=sequential file_size=64KiB",
        mistake: "half of the file is not in the cache when a cached read is timed",
        caught_by: Caught::By("cache.full"),
        run: |bench| {
            let file = own(bench)?;
            file.drop_cache()?;
            let (mut block, half) = ([0; BLOCK], LENGTH / 2);
            direct::will_read(file.descriptor(), false)?;
            read_times(&file, half);
            let full = cached_share(&file)?;
            bench.slope(&mut |n| {
                for turn in 0..n {
                    // Of the half that is there.
                    direct::read_at(file.descriptor(), &mut block, turn * BLOCK as u64 % half);
                }
                Ok(n)
            })?;
            count_all(bench, &[("cache.full", full), ("device.bytes", 0.0)]);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.stays",
        of: "file.read.dontcache access=random file_size=64MiB",
        mistake: "RWF_DONTCACHE is not set: what was read stays in the cache",
        caught_by: Caught::By("cache.left"),
        run: |bench| {
            let file = own(bench)?;
            file.drop_cache()?;
            read_all(bench, &file, &[("cache.emptied", 1.0)])?;
            bench.count("cache.left", cached_share(&file)?, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.hole",
        of: "file.allocate bytes=1MiB",
        mistake: "the file is made as long as it should be, and no block is allocated for it",
        caught_by: Caught::By("allocated.bytes"),
        run: |bench| {
            let file = sparse(&bench.directory()?.path, LENGTH as usize)?;
            let allocated = direct::allocated(file.descriptor())? as f64;
            bench.each(CpuTime::Process, &mut || Ok(u64::from(file.length() == LENGTH as usize)))?;
            bench.count("allocated.bytes", allocated, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.shallow",
        of: "file.read.uring depth=16",
        mistake: "one read is in flight at a time, where sixteen are declared",
        caught_by: Caught::By("requests.deepest"),
        run: |bench| {
            read_by_ring(bench, 1)?;
            give(bench, &FROM_DEVICE, vec![60_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.unregistered",
        of: "file.read.uring depth=16 method=registered",
        mistake: "buffers are not registered: requests name them by address, which is slower and works",
        caught_by: Caught::By("unregistered.refused"),
        run: |bench| {
            let file = read_by_ring(bench, 16)?;
            let request = Request { file: file.descriptor(), direction: Direction::Read, offset: 0 };
            count_refusal(bench, &mut Requests::new(BLOCK, 16)?, &request)?;
            give(bench, &FROM_DEVICE, vec![60_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.full_queue",
        of: "file.read.uring.latency depth=16 load=50",
        mistake: "the queue is kept full, and half of the peak is claimed",
        end: End::Noisy,
        caught_by: Caught::By("rate.of_peak"),
        run: |bench| {
            let mut seconds = [0.0; 2];
            for once in &mut seconds {
                let began = Instant::now();
                read_by_ring(bench, 16)?;
                *once = began.elapsed().as_secs_f64();
            }
            let [peak, loaded] = seconds;
            bench.count("rate.of_peak", peak / loaded, 1.0);
            give(bench, &FROM_DEVICE, vec![200_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.interrupts",
        of: "file.read.uring depth=1 method=polled",
        mistake: "the ring is not set up to poll: the program sleeps until the interrupt of each read",
        caught_by: Caught::By("requests.slept"),
        run: |bench| {
            let before = usage::read(UsageScope::Thread)?;
            read_by_ring(bench, 1)?;
            let slept = usage::read(UsageScope::Thread)?.since(&before).voluntary;
            bench.count("requests.slept", slept as f64, RING_READS as f64);
            give(bench, &FROM_DEVICE, vec![60_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.one_place",
        of: "file.write.buffered access=sequential fill_write=4KiB",
        mistake: "all writes go to the first block of the file",
        caught_by: Caught::By("blocks.right"),
        run: |bench| {
            let file = own(bench)?;
            let mut block = [0; BLOCK];
            file.compose(&mut block, LENGTH);
            bench.slope(&mut |n| {
                for _ in 0..n {
                    direct::write_at(file.descriptor(), &block, 0);
                }
                Ok(n)
            })?;
            let mut found = 0.0;
            for offset in (0..LENGTH).step_by(BLOCK) {
                direct::read_at(file.descriptor(), &mut block, offset);
                found += f64::from(u8::from(file.is_block(&block, LENGTH)));
            }
            bench.count("blocks.right", found * BLOCK as f64, LENGTH as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.nothing_waits",
        of: "file.sync bytes=4KiB",
        mistake: "no page is dirty before the sync",
        caught_by: Caught::By("pages.waiting"),
        run: |bench| {
            let file = own(bench)?;
            let (mut values, mut waiting) = (Vec::new(), 0.0);
            for _ in 0..16 {
                waiting += cached(&file)?.dirty as f64;
                let mut synced = Ok(());
                values.push(nanos(|| synced = direct::sync_all(file.descriptor())));
                synced?;
            }
            let counts = [("answers", 1.0), ("pages.waiting", waiting / 16.0), ("pages.left", 0.0)];
            give(bench, &counts, values)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.not_synced",
        of: "file.write.fsync",
        mistake: "the write is timed without the sync: the page is still dirty",
        caught_by: Caught::By("pages.left"),
        run: |bench| {
            let file = own(bench)?;
            let (mut values, mut left) = (Vec::new(), 0.0);
            for offset in (0..16 * BLOCK as u64).step_by(BLOCK) {
                values.push(nanos(|| direct::write_at(file.descriptor(), &[7; BLOCK], offset)));
                let cached = cached(&file)?;
                left += (cached.dirty + cached.writeback) as f64;
            }
            bench.count("pages.left", left, 16.0);
            give(bench, &[("answers", 1.0), ("file.on_disk", 1.0), ("blocks.right", 1.0)], values)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.alone",
        of: "file.contention access=random others=same competitors=7",
        mistake: "the competitors have ended before the main reader begins (E47)",
        caught_by: Caught::By("actors.overlap"),
        run: |bench| {
            let file = own(bench)?;
            let ended = SharedWords::new(1)?;
            let mut others = Vec::new();
            for _ in 0..7 {
                others.push(Actor::spawn(None, || {
                    let mut block = [0; BLOCK];
                    direct::read_at(file.descriptor(), &mut block, 0);
                    ended.word(0).fetch_add(1, std::sync::atomic::Ordering::AcqRel);
                    0
                })?);
            }
            // Those that have ended are still listed until they are waited for.
            let processes = sys::process::processes_of_actors().unwrap_or(8);
            for other in others {
                other.join()?;
            }
            file.drop_cache()?;
            let claimed =
                [("actors.overlap", 7.0 - ended.get(0) as f64), ("actors.processes", processes as f64)];
            read_all(bench, &file, &claimed)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.files.guessed",
        of: "file.cache_size memory_limit=32MiB",
        mistake: "the memory limit is claimed as the size of the cache, whatever is cached",
        caught_by: Caught::By("knee.per_cached"),
        run: |bench| {
            let file = own(bench)?;
            let cached = cached(&file)?.present as f64 * BLOCK as f64;
            let knee = 32.0 * LENGTH as f64;
            bench.count("knee.per_cached", knee, cached.max(1.0));
            give(bench, &[("answers", 1.0), ("file.on_disk", 1.0)], vec![knee])
        },
        ..Sabotage::NEW
    },
];
