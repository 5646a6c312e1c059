//! Reads of blocks that come from the device: past the cache, through an empty cache, through it without staying.

use super::cached::plot;
use crate::file::stock::{NO_DISK, Stock};
use crate::file::walk::{DEFAULT, Walk};
use crate::file::{BLOCK, COMMON, DeviceBytes, RIGHT_DATA, cost, size_of};
use crate::memory::fault::WAITS;
use crate::os::syscall::{Path, at_least_floors, floors_from_facts};
use measure::{
    Bench, Failure, How, Operation, Point, Rehearse, core_cycles, counted, term, told_cycles, work_done,
};
use record::{Bound, Formula, Prediction, Profile, Side, Term, Witness};
use sys::clock::Clock;
use sys::direct::{self, Way};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

pub(super) const DEVICE: Operation = Operation {
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 12_000_000,
    plot: Some(plot),
    computed_bounds: |_| at_least_floors(1.0),
    ..COMMON
};

/// What the sources of all of them have in common.
const BELOW: &str = "Below the device nothing is emptied: a disk's own cache, or that of a virtual machine's host, \
                     which no guest can drop. There the first read of a block ever takes up to ten times as long as \
                     all later ones.";

/// Past the cache.
pub static DIRECT: Operation = Operation {
    id: "file.read.direct",
    title: "read of 4 KiB of a file past the cache",
    one_iteration: "one pread of a block through O_DIRECT, whose first and last word must be what was written there",
    method: "A file of random data was written and synced in this run, and lies on a device by its extents (FIEMAP). Its \
             last bytes, as many as the point says, are read block by block with O_DIRECT, whose alignment is asked for \
             (statx), in order or in random order; each read is timed alone. block=1MiB reads larger pieces: the \
             device's rate.",
    confounds: BELOW,
    sources: &[
        ("R3", "O_DIRECT, files of 4 MB to 1 GB"),
        ("R0, R2", "F_NOCACHE, which still reads what is in the cache"),
        ("fio", "direct=1, bs=4k, psync or io_uring at depth 1"),
    ],
    points: |profile| {
        let sizes: &[&str] = match profile {
            Profile::Quick => &["64MiB"],
            Profile::Standard => &["1MiB", "64MiB", "256MiB"],
            Profile::Thorough => &["1MiB", "16MiB", "64MiB", "256MiB", "1GiB"],
        };
        let mut all = vec![of("sequential", "64MiB")];
        all.extend(sizes.iter().map(|bytes| of("random", bytes)));
        all.push(of("sequential", "64MiB").with("block", "1MiB"));
        all
    },
    computed_prediction: |point| {
        if is_large(point) {
            return Prediction {
                from_facts: vec![term(
                    Side::Hardware,
                    "1 MiB from the device",
                    cost::device_share().times(256.0),
                )],
                from_parts: Vec::new(),
            };
        }
        let mut from_facts = floors_from_facts(1.0);
        from_facts.push(cost::device_read());
        from_facts.push(term(
            Side::Software,
            "past the cache to the queue",
            told_cycles(PAST.formula()),
        ));
        let from_parts = match point.text().as_str() {
            SEQUENTIAL_DIRECT => Vec::new(),
            // The same device, the same queue: where a block lies is all that differs.
            _ => vec![term(
                Side::Hardware,
                "a block in order, past the cache",
                Formula::part("file.read.direct", SEQUENTIAL_DIRECT),
            )],
        };
        Prediction {
            from_facts,
            from_parts,
        }
    },
    computed_witnesses: |_| from_device("every block held what was written to it", (0.999, 1.001)),
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let block = size_of(bench.point(), "block").unwrap_or(DEFAULT);
        let stock = Stock::on_disk(bench, bytes)?;
        let file = stock.again(Way::Direct)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, block, bench.seed())?;
        walk.begin_at(bench.seed());
        let most = if is_large(bench.point()) { 12 } else { MOST };
        one_by_one(bench, &file, &mut walk, (block as usize, most), &mut || Ok(()))
    },
    ..DEVICE
};

/// The point of which others are made.
pub const SEQUENTIAL_DIRECT: &str = "order=sequential bytes=64MiB";

fn is_large(point: &Point) -> bool {
    point.get("block").is_some()
}

/// Through the cache, which was emptied.
pub static UNCACHED: Operation = Operation {
    id: "file.read.uncached",
    title: "read of 4 KiB of a file that is not in the cache",
    one_iteration: "one pread of a block that comes from the device, whose first and last word must be what was \
                    written there",
    method: "The file's cache alone is emptied (POSIX_FADV_DONTNEED) and found empty (cachestat, or mincore); nobody \
             else loses anything. order=random: the kernel is told to expect random reads (POSIX_FADV_RANDOM) and \
             each read is timed alone. order=stride: it is told nothing, and each read is timed alone. \
             order=sequential: it is told nothing and reads ahead; all blocks are read in one pass, which is timed, \
             to its end, divided by their number, and begins with the cache empty again.",
    confounds: BELOW,
    sources: &[
        ("R0", "purge, files of 4 KiB to 256 MiB, sparse or of zeros (E21)"),
        ("R3", "drop_caches, files of 4 MB to 1 GB"),
        ("R2", "F_NOCACHE"),
        ("fio", "direct=0 invalidate=1"),
    ],
    points: |profile| {
        let sizes: &[&str] = match profile {
            Profile::Quick => &["1MiB", "16MiB"],
            Profile::Standard => &["64KiB", "1MiB", "16MiB"],
            Profile::Thorough => &["4KiB", "64KiB", "1MiB", "16MiB", "256MiB"],
        };
        let strides: &[&str] = match profile {
            Profile::Quick => &[],
            Profile::Standard => &["16KiB", "256KiB"],
            Profile::Thorough => &["8KiB", "16KiB", "64KiB", "256KiB", "1MiB"],
        };
        let mut all: Vec<Point> = sizes.iter().map(|bytes| of("sequential", bytes)).collect();
        all.push(of("random", "64MiB"));
        all.extend(
            strides
                .iter()
                .map(|stride| of("stride", "64MiB").with("stride", stride)),
        );
        all
    },
    computed_prediction: uncached_prediction,
    computed_witnesses: |point| {
        // With strides the kernel may read what lies between.
        let most = if point.get("order") == Some("stride") {
            4096.0
        } else {
            1.001
        };
        let mut all = from_device("every block held what was written to it", (0.999, most));
        all.extend(counted(
            "cache.emptied",
            1.0,
            1.0,
            "nothing of it was in the cache before it was read",
        ));
        all
    },
    computed_bounds: |point| match point.get("order") {
        Some("random") => vec![Bound {
            lower: true,
            formula: Formula::part("file.read.cached", "order=sequential bytes=64KiB"),
            because: "the block is copied out of the cache as a cached one is, and comes there first"
                .to_owned(),
        }],
        _ => at_least_floors(1.0),
    },
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::on_disk(bench, bytes)?;
        if bench.point().get("order") == Some("sequential") {
            return passes(bench, &stock, 0);
        }
        let file = stock.again(Way::Cached)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
        if bench.point().get("order") == Some("random") {
            direct::will_read(file.descriptor(), false)?;
            walk.begin_at(bench.seed());
        }
        let emptied = is_emptied(&stock)?;
        one_by_one(bench, &file, &mut walk, (BLOCK, MOST), &mut || Ok(()))?;
        bench.count("cache.emptied", emptied, 1.0);
        Ok(())
    },
    ..DEVICE
};

pub(super) fn of(order: &str, bytes: &str) -> Point {
    Point::only().with("order", order).with("bytes", bytes)
}

/// The way to the device past the cache, and back by its interrupt.
pub(super) const PAST: Path = Path {
    instructions: 6500.0,
    locked: 40.0,
    within: 2.0,
    source: "the request made, its page held, mapped to the disk, queued and handed to the driver (3000), the task \
             put to sleep and another taken (1500), interrupt, completion, wake-up (2000)",
};

/// A cached read, a page more in the cache, and the device.
pub(super) fn uncached_prediction(point: &Point) -> Prediction {
    let is_sequential = point.get("order") == Some("sequential");
    let page = cost::NEW_PAGE.formula();
    let mut from_facts = cost::cached_from_facts();
    let cached = Formula::part("file.read.cached", "order=sequential bytes=16MiB");
    let made = core_cycles(page.clone());
    if is_sequential {
        // The device works while blocks are copied: the slower of the two is what is seen.
        let device = Formula::part("file.read.uring", "depth=4 block=1MiB").times(1.0 / 256.0);
        let both = Formula::Maximum {
            of: vec![device, cached.plus(made)],
        };
        // The first block is asked for alone; the second, which shows the order, waits for the first that is read ahead.
        let blocks = size_of(point, "bytes").map_or(1, |bytes| bytes / DEFAULT).max(1) as f64;
        let waits = blocks.min(2.0) / blocks;
        let alone = Formula::part("file.read.direct", SEQUENTIAL_DIRECT).times(waits);
        let device_alone = cost::device_read();
        from_facts.push(term(
            Side::Hardware,
            "4 KiB of a stream from the device",
            cost::device_share(),
        ));
        from_facts.push(Term {
            formula: device_alone.formula.times(waits),
            ..device_alone
        });
        return Prediction {
            from_facts,
            from_parts: vec![
                term(Side::Hardware, "the device's rate, or the kernel's", both),
                term(Side::Hardware, "two waits for the device", alone),
            ],
        };
    }
    from_facts.push(cost::device_read());
    from_facts.push(term(
        Side::Software,
        "past the cache to the queue",
        told_cycles(PAST.formula()),
    ));
    from_facts.push(term(
        Side::Software,
        "a page more in the cache",
        told_cycles(page),
    ));
    let less_floor = cached.minus(Formula::part("syscall.floor", ""));
    let from_parts: Vec<Term> = vec![
        term(
            Side::Hardware,
            "the same past the cache",
            Formula::part("file.read.direct", "order=random bytes=64MiB"),
        ),
        term(Side::Software, "found and copied", less_floor),
        term(Side::Software, "a page more in the cache", made),
    ];
    Prediction {
        from_facts,
        from_parts,
    }
}

/// What must be true of blocks that come from a device.
pub fn from_device(answers: &str, (least, most): (f64, f64)) -> Vec<Witness> {
    let mut all = work_done(answers);
    all.extend(counted(
        "file.on_disk",
        1.0,
        1.0,
        "all of the file has extents of its own on a device",
    ));
    let proves = "the device gave the bytes that were asked for";
    all.extend(counted("device.bytes", least, most, proves));
    all
}

/// Reads of a trial that are timed one by one, at most.
pub(super) const MOST: usize = 64;

/// Empties the cache; 1 if nothing is left in it.
///
/// # Errors
/// A skip, where the file system keeps its files in memory.
pub(in crate::file) fn is_emptied(stock: &Stock) -> Result<f64, Failure> {
    if stock.empty()? {
        return Ok(1.0);
    }
    let (left, pages) = stock.cached()?;
    if left == pages {
        let reason = "the cache of a file cannot be emptied here: its pages stay".to_owned();
        return Err(Failure::skipped(reason, NO_DISK));
    }
    Ok(0.0)
}

/// An error unless the block is the file's.
pub(in crate::file) fn right(
    file: &TemporaryFile,
    read: isize,
    block: &[u8],
    offset: u64,
) -> Result<(), Failure> {
    sys::Error::check("pread64", read)?;
    if read == block.len() as isize && file.is_block(block, offset) {
        Ok(())
    } else {
        Err(Failure::Failed(RIGHT_DATA.to_owned()))
    }
}

/// Reads timed alone, so many at most.
fn one_by_one(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    walk: &mut Walk,
    shape: (usize, usize),
    before: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    one_by_one_with(bench, file, walk, shape, 0, before)
}

pub(super) fn one_by_one_with(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    walk: &mut Walk,
    (block, most): (usize, usize),
    flags: i32,
    before: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut buffer = Mapping::private(block)?;
    buffer.touch(1);
    let clock = Clock::select();
    let most = most.min(walk.count());
    let mut times = Vec::with_capacity(most);
    let device = DeviceBytes::begin();
    bench.watched_for(most as f64, || {
        for _ in 0..most {
            before()?;
            let (offset, bytes) = (walk.take(), buffer.bytes_mut());
            let began = clock.moment();
            let read = match flags {
                0 => direct::read_at(file.descriptor(), bytes, offset),
                _ => direct::read_at_with(file.descriptor(), bytes, offset, flags),
            };
            times.push(clock.moment().nanos_since(began) as f64);
            right(file, read, bytes, offset)?;
        }
        Ok(())
    })?;
    let count = times.len() as f64;
    device.tell(bench, count * block as f64);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(())
}

/// Fewest and most passes over a file in a trial.
const PASSES: (usize, usize) = (3, 24);

/// Passes over the whole range in order, each after the cache was emptied; a value is the time of a block in a pass.
pub(super) fn passes(bench: &mut Bench<'_>, stock: &Stock, flags: i32) -> Result<(), Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let clock = Clock::select();
    let spend = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX);
    let (mut emptied, mut values) = (0.0, Vec::new());
    let (first, blocks) = (clock.moment(), (stock.range.end - stock.range.start) / DEFAULT);
    let device = DeviceBytes::begin();
    while values.len() < PASSES.1 && (values.len() < PASSES.0 || clock.moment().nanos_since(first) < spend) {
        emptied += is_emptied(stock)?;
        // What the kernel knows of the reads before goes with the descriptor.
        let file = stock.again(Way::Cached)?;
        let began = clock.moment();
        for offset in stock.range.clone().step_by(BLOCK) {
            let read = match flags {
                0 => direct::read_at(file.descriptor(), buffer.bytes_mut(), offset),
                _ => direct::read_at_with(file.descriptor(), buffer.bytes_mut(), offset, flags),
            };
            right(&file, read, buffer.bytes_mut(), offset)?;
        }
        values.push(clock.moment().nanos_since(began) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    device.tell(bench, passes * blocks as f64 * BLOCK as f64);
    bench.count("cache.emptied", emptied, passes);
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(())
}
