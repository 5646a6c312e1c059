//! Writes of blocks until they are on the device: past the cache, with a sync, and the sync alone.

use super::stock::refused;
use super::target::{LENGTH, Target};
use super::walk::{DEFAULT, Walk};
use super::{BLOCK, COMMON, RIGHT_DATA, cost, size_of};
use crate::memory::fault::WAITS;
use crate::os::syscall::{at_least_floors, floors_from_facts};
use measure::{Bench, Failure, How, Operation, Point, Rehearse, counted, if_consistent, term, work_done};
use record::{Formula, Prediction, Profile, Side, Term, Witness};
use std::path::PathBuf;
use sys::cachestat;
use sys::clock::Clock;
use sys::direct::{self, Way};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Timed writes of a trial, at most, and fewest.
const WRITES: (usize, usize) = (5, 48);

const WRITTEN: Operation = Operation {
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 12_000_000,
    computed_bounds: |_| at_least_floors(1.0),
    ..COMMON
};

/// What the sources have in common.
const DURABLE: &str = "Whether the data is safe then is the device's word: a cache of its own, or that of a virtual \
                       machine's host, may answer before anything is written. The first write to a place is another \
                       matter where a place must be found.";

/// Past the cache.
pub static DIRECT: Operation = Operation {
    id: "file.write.direct",
    title: "write of 4 KiB of a file past the cache",
    one_iteration: "one pwrite of a block of random data through O_DIRECT over one that has its place on the disk",
    method: "A file without a name is filled with random data and synced. Blocks are written over through O_DIRECT, each \
             timed alone. In the end every block must hold what was written last, read past the cache.",
    confounds: DURABLE,
    sources: &[("fio", "direct=1, rw=randwrite or write, bs=4k, depth 1")],
    points: |_| {
        ["sequential", "random"]
            .map(|order| Point::only().with("order", order))
            .to_vec()
    },
    computed_prediction: |_| {
        let mut from_facts = floors_from_facts(1.0);
        from_facts.push(device_write(1.0));
        Prediction {
            from_facts,
            from_parts: vec![term(
                Side::Hardware,
                "a block read past the cache",
                Formula::part("file.read.direct", "order=sequential bytes=64MiB"),
            )],
        }
    },
    computed_witnesses: |_| {
        let mut all = durable("every write was taken whole");
        all.extend(counted(
            "cache.left",
            0.0,
            0.0,
            "nothing of it went through the cache",
        ));
        all
    },
    run: |bench| one_by_one(bench, Sync::Direct),
    ..WRITTEN
};

/// With everything that belongs to it.
pub static FSYNC: Operation = Operation {
    id: "file.write.fsync",
    title: "write of 4 KiB and fsync",
    one_iteration: "one pwrite of a block over one that has its place on the disk, and one fsync",
    method: "A file without a name is filled with random data and synced. A block in random order is written over \
             and the file is synced, timed together. After each nothing of the file may be waiting to be written \
             (cachestat).",
    confounds: DURABLE,
    sources: &[("fio", "fsync=1, rw=randwrite, bs=4k")],
    points: |_| vec![Point::only()],
    computed_prediction: |_| both(true),
    computed_witnesses: |_| written_and_clean(),
    run: |bench| one_by_one(bench, Sync::All),
    ..WRITTEN
};

/// With what is needed to read it again.
pub static FDATASYNC: Operation = Operation {
    id: "file.write.fdatasync",
    title: "write of 4 KiB and fdatasync",
    one_iteration: "one pwrite of a block over one that has its place on the disk, and one fdatasync",
    method: "As file.write.fsync, with fdatasync, which leaves times of change for later.",
    confounds: DURABLE,
    sources: &[("fio", "fdatasync=1, rw=randwrite, bs=4k")],
    points: |_| vec![Point::only()],
    computed_prediction: |_| both(false),
    computed_witnesses: |_| written_and_clean(),
    run: |bench| one_by_one(bench, Sync::Data),
    ..WRITTEN
};

/// The sync alone.
pub static SYNC: Operation = Operation {
    id: "file.sync",
    title: "fsync of a file of which so much was written",
    one_iteration: "one fsync, after which nothing of the file waits to be written",
    method: "A file without a name is filled with random data and synced. Before each iteration so many bytes of it are \
             written over, in order and into the cache; only the fsync is timed. Before it these bytes must be waiting \
             to be written, after it none (cachestat).",
    confounds: "Of a file that nothing was written to, a file system may still tell the device to write its cache \
                out: that is what bytes=0B costs then. Where a file system keeps a journal, the changes of all other \
                files that wait for it may go along.",
    sources: &[
        ("fio", "fsync=N"),
        ("sqlite, postgresql", "pg_test_fsync: writes and syncs of 8 KiB"),
    ],
    points: |profile| {
        let sizes: &[&str] = match profile {
            Profile::Quick => &["4KiB"],
            Profile::Standard => &["0B", "4KiB", "1MiB"],
            Profile::Thorough => &["0B", "4KiB", "64KiB", "1MiB", "4MiB"],
        };
        sizes
            .iter()
            .map(|bytes| Point::only().with("bytes", bytes))
            .collect()
    },
    computed_prediction: |point| sync_prediction(size_of(point, "bytes").unwrap_or(0)),
    computed_witnesses: |point| {
        let mut all = work_done("every sync succeeded");
        let dirty = size_of(point, "bytes").unwrap_or(0) as f64 / sys::memory::page_size() as f64;
        all.extend(if_consistent(counted(
            "pages.waiting",
            dirty,
            dirty,
            "so many pages were waiting to be written before it",
        )));
        all.extend(counted("pages.left", 0.0, 0.0, "none was waiting after it"));
        all
    },
    run: |bench| one_by_one(bench, Sync::Alone),
    ..WRITTEN
};

fn device_write(times: f64) -> Term {
    let source = "a write of 4 KiB at depth 1 to flash with a cache of its own: 20 to 100 µs";
    term(
        Side::Hardware,
        "write to the device",
        Formula::cited(50_000.0, 2.2, source).times(times),
    )
}

/// A device that is told to write its cache out.
fn device_flush() -> Formula {
    let source = "a flush of a drive's or a host's cache: 20 µs (protected against loss of power) to 5 ms; the way of a \
                  command there and back in between";
    Formula::cited(100_000.0, 5.0, source)
}

/// A write of a block, past the cache.
fn block_written(times: f64) -> Term {
    let formula = Formula::part("file.write.direct", "order=random").times(times);
    term(Side::Hardware, "blocks to the device, one after another", formula)
}

/// A sync that has nothing to write: the device is told to write its cache out.
fn flushed() -> Term {
    term(
        Side::Hardware,
        "flush of the device",
        Formula::part("file.sync", "bytes=0B"),
    )
}

fn sync_prediction(bytes: u64) -> Prediction {
    let mut from_facts = floors_from_facts(1.0);
    from_facts.push(term(Side::Hardware, "flush of the device", device_flush()));
    if bytes == 0 {
        return Prediction {
            from_facts,
            from_parts: Vec::new(),
        };
    }
    let blocks = (bytes / DEFAULT) as f64;
    from_facts.push(device_write(3.0));
    let mut from_parts = vec![block_written(3.0), flushed(), journal()];
    if blocks > 1.0 {
        from_facts.push(term(
            Side::Hardware,
            "more bytes to the device",
            cost::device_share().times(blocks),
        ));
        let rate = Formula::part("file.read.direct", "order=sequential bytes=64MiB block=1MiB");
        let more = rate.times((blocks - 1.0) / 256.0);
        from_parts.push(term(Side::Hardware, "more bytes, at the rate of reads", more));
    }
    Prediction {
        from_facts,
        from_parts,
    }
}

/// The file system's journal is written by a task of its own, which is woken and wakes.
fn journal() -> Term {
    let formula = Formula::part("switch.thread.futex", "cpu=other").times(2.0);
    term(Side::Software, "the journal's task woken, and back", formula)
}

/// A write and a sync: fsync waits for data, journal and its last block, fdatasync for the data.
fn both(syncs_all: bool) -> Prediction {
    let mut from_facts = floors_from_facts(2.0);
    from_facts.push(device_write(if syncs_all { 3.0 } else { 1.0 }));
    from_facts.push(term(Side::Hardware, "flush of the device", device_flush()));
    let write = term(
        Side::Software,
        "the write",
        Formula::part("file.write.buffered", "order=random written=4KiB"),
    );
    let sync = term(
        Side::Hardware,
        "the sync",
        Formula::part("file.sync", "bytes=4KiB"),
    );
    Prediction {
        from_facts,
        from_parts: match syncs_all {
            true => vec![write, sync],
            false => vec![write, block_written(1.0), flushed()],
        },
    }
}

fn durable(answers: &str) -> Vec<Witness> {
    let mut all = work_done(answers);
    all.extend(counted(
        "file.on_disk",
        1.0,
        1.0,
        "all of the file has extents of its own on a device",
    ));
    all.extend(counted(
        "blocks.right",
        1.0,
        1.0,
        "every block holds in the end what was written last",
    ));
    all
}

fn written_and_clean() -> Vec<Witness> {
    let mut all = durable("every write was taken whole and every sync succeeded");
    all.extend(counted(
        "pages.left",
        0.0,
        0.0,
        "none was waiting to be written after it",
    ));
    all
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    Direct,
    All,
    Data,
    Alone,
}

fn one_by_one(bench: &mut Bench<'_>, sync: Sync) -> Result<(), Failure> {
    let mut target = Target::new(bench, BLOCK, true)?;
    let again = PathBuf::from(format!("/proc/self/fd/{}", target.file.descriptor().number()));
    let way = if sync == Sync::Direct {
        Way::Direct
    } else {
        Way::Cached
    };
    let file = TemporaryFile::again(&again, way, target.file.seed())?;
    if sync == Sync::Direct {
        target.file.drop_cache()?;
    }
    let random = Point::only().with("order", bench.point().get("order").unwrap_or("random"));
    let mut walk = Walk::new(&random, 0, LENGTH, DEFAULT, bench.seed())?;
    let bytes = if sync == Sync::Alone {
        size_of(bench.point(), "bytes")?
    } else {
        DEFAULT
    };
    let clock = Clock::select();
    let (mut times, mut waiting, mut left) = (Vec::new(), 0, 0);
    let (first, spend) = (
        clock.moment(),
        i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
    );
    while times.len() < WRITES.1 && (times.len() < WRITES.0 || clock.moment().nanos_since(first) < spend) {
        if sync == Sync::Alone {
            for offset in (0..bytes).step_by(BLOCK) {
                target.compose(offset);
                write(&file, &mut target.buffer, offset)?;
            }
            waiting += target.waiting()?;
        }
        let offset = walk.take();
        if sync != Sync::Alone {
            target.compose(offset);
        }
        let began = clock.moment();
        if sync != Sync::Alone {
            write(&file, &mut target.buffer, offset)?;
        }
        match sync {
            Sync::Direct => {}
            Sync::Data => direct::sync_data(file.descriptor())?,
            Sync::All | Sync::Alone => direct::sync_all(file.descriptor())?,
        }
        times.push(clock.moment().nanos_since(began) as f64);
        left += target.waiting()?;
    }
    let count = times.len() as f64;
    bench.count("answers", count, count);
    if sync == Sync::Direct {
        bench.count(
            "cache.left",
            cachestat::of(file.descriptor(), 0..LENGTH)?.present as f64,
            count,
        );
    }
    bench.count("pages.waiting", waiting as f64, count);
    bench.count("pages.left", left as f64, count);
    target.tell(bench, &file)?;
    bench.values(times);
    Ok(())
}

fn write(file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<(), Failure> {
    let written = direct::write_at(file.descriptor(), buffer.bytes_mut(), offset);
    match sys::Error::check("pwrite64", written).map_err(refused)? {
        BLOCK => Ok(()),
        _ => Err(Failure::Failed(RIGHT_DATA.to_owned())),
    }
}
