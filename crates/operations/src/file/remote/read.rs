//! Reads of blocks of a file on a remote file system: past this end's cache, through it emptied, and from it.

use super::{CONFOUNDS, EMPTIED, READS, REMOTE, SERVER, Server, Traffic, WARM, is_emptied, prepare, some};
use crate::file::read::cached::plot;
use crate::file::read::device::right;
use crate::file::stock::Stock;
use crate::file::walk::{DEFAULT, Walk};
use crate::file::{BLOCK, DeviceBytes, size_of};
use measure::{Bench, Failure, How, Operation, Point, Rehearse};
use record::Profile;
use sys::clock::Clock;
use sys::direct::{self, Way};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// The file of most points.
const BYTES: &str = "16MiB";

fn of(order: &str, bytes: &str, server: &str) -> Point {
    let point = Point::only().with("order", order).with("bytes", bytes);
    point.with(SERVER, server)
}

/// Past this end's cache.
pub static DIRECT: Operation = Operation {
    id: "file.remote.read.direct",
    title: "read of 4 KiB of a remote file past this machine's cache",
    one_iteration: "one pread of a block through O_DIRECT, whose first and last word must be what was written there",
    method: "A file of random data was written to the remote directory and synced in this run. Blocks of its last bytes \
             are read with O_DIRECT, in order or in random order, each timed alone. As many bytes must come over the \
             network (the kernel's count of what the internet protocols received). server=warm: the same blocks are \
             read once before. block=1MiB reads larger pieces, which a client may split into several requests: the rate \
             of the whole way. server=emptied: a peer on the server writes out and drops its page cache before, and \
             the server's devices must give as many bytes.",
    confounds: CONFOUNDS,
    sources: &[
        (
            "R0, R1, R2",
            "files on NFS or SMB beside local ones, the caches of both ends full or unknown",
        ),
        ("R3", "a mounted directory of another laboratory's server"),
        ("fio", "direct=1 bs=4k on a mounted directory"),
    ],
    points: |profile| {
        let mut all = vec![of("sequential", BYTES, WARM), of("random", BYTES, WARM)];
        if profile != Profile::Quick {
            all.push(of("random", "1MiB", WARM));
        }
        if profile == Profile::Thorough {
            all.push(of("random", "64MiB", WARM));
        }
        all.push(of("random", BYTES, EMPTIED));
        all.push(of("sequential", BYTES, WARM).with("block", "1MiB"));
        all
    },
    predict: &[
        "t0 cached read of a block(1)",
        "block!=*: request to the server(4096 bytes)",
        "block=*: request to the server({block} bytes)",
        "software t1 found and copied at the server, as it would be here = [file.read.cached order=random \
         bytes=16MiB]",
        "server=emptied: hardware t0 read of the device = device_read",
        "server=emptied: hardware t1 a block from a disk like this machine's = [file.read.direct \
         order=random bytes=64MiB]",
    ],
    plot: Some(plot),
    evidence: &["blocks from the server"],
    bounds: &["floor"],
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::remote(bench, bytes)?;
        let file = stock.again(Way::Direct)?;
        one_by_one(bench, &stock, &file, &file).map(drop)
    },
    ..REMOTE
};

/// Bytes of a block of a point.
fn block_of(point: &Point) -> u64 {
    size_of(point, "block").unwrap_or(DEFAULT)
}

/// Reads timed alone, after the server's cache was prepared: `past` goes past this end's cache.
fn one_by_one(
    bench: &mut Bench<'_>,
    stock: &Stock,
    file: &TemporaryFile,
    past: &TemporaryFile,
) -> Result<f64, Failure> {
    let (bytes, block) = (size_of(bench.point(), "bytes")?, block_of(bench.point()));
    let mut buffer = Mapping::private(block as usize)?;
    buffer.touch(1);
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, block, bench.seed())?;
    walk.begin_at(bench.seed());
    let offsets = some(&mut walk, block as usize);
    let mut server = Server::of(bench);
    prepare(bench, stock, &mut server, past, &offsets, &mut buffer)?;
    let emptied = f64::from(u8::from(stock.empty()?));
    server.begin();
    let (clock, spend) = (
        Clock::select(),
        i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
    );
    let (first, mut times) = (clock.moment(), Vec::with_capacity(offsets.len()));
    let traffic = Traffic::begin(bench)?;
    for offset in offsets {
        if times.len() >= READS.0 && clock.moment().nanos_since(first) > spend {
            break;
        }
        let began = clock.moment();
        let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
        times.push(clock.moment().nanos_since(began) as f64);
        right(file, read, buffer.bytes_mut(), offset)?;
    }
    let count = times.len() as f64;
    traffic.tell(bench, count * block as f64);
    server.tell(bench, count * block as f64);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(emptied)
}

/// Through this end's cache, which was emptied.
pub static UNCACHED: Operation = Operation {
    id: "file.remote.read.uncached",
    title: "read of 4 KiB of a remote file that is not in this machine's cache",
    one_iteration: "one pread of a block that comes from the file server, whose first and last word must be what was \
                    written there",
    method: "As file.remote.read.direct, but through the cache of this machine, which is emptied for this file alone \
             (POSIX_FADV_DONTNEED) and found empty (cachestat, or mincore). order=random: the kernel is told to expect \
             random reads and each is timed alone. order=sequential: it reads ahead; all blocks are read in one pass, \
             which is timed to its end and divided by their number, and begins with the cache empty.",
    confounds: CONFOUNDS,
    sources: &[
        ("R0, R1, R2", "first read of a file on NFS or SMB"),
        ("fio", "direct=0 invalidate=1 on a mounted directory"),
    ],
    points: |profile| {
        let mut all = vec![of("sequential", BYTES, WARM)];
        if profile != Profile::Quick {
            all.push(of("sequential", "1MiB", WARM));
            all.push(of("sequential", BYTES, EMPTIED));
        }
        all.push(of("random", BYTES, WARM));
        all
    },
    plot: Some(plot),
    predict: &[
        "t0 cached read of a block(1)",
        "let cached = [file.read.cached order=random bytes=16MiB]",
        "order=random: request to the server(4096 bytes)",
        "order=random: software t1 found and copied at the server = cached",
        "order=random: software t1 a page more in the cache, and copied = cached + new_page",
        // One request brings as much as the kernel reads ahead; the next one is under way while blocks are copied.
        "let ahead = remote.read_ahead_kib × 1024 bytes/KiB",
        "order=sequential: hardware t0 its bytes on their way = transferred(4096 bytes)",
        "order=sequential: hardware t1 its share of a request, or a page more in the cache and copied = \
         max((server_trip + mount_program + transferred(ahead)) / (ahead / 4096 bytes), cached + new_page)",
    ],
    evidence: &[
        "blocks from the server",
        "cache.emptied = 1: nothing of it was in this machine's cache before it was read",
    ],
    bounds: &["floor"],
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::remote(bench, bytes)?;
        let emptied = match bench.point().get("order") {
            Some("sequential") => passes(bench, &stock)?,
            _ => {
                let file = stock.again(Way::Cached)?;
                direct::will_read(file.descriptor(), false)?;
                one_by_one(bench, &stock, &file, &stock.again(Way::Direct)?)?
            }
        };
        bench.count("cache.emptied", emptied, 1.0);
        Ok(())
    },
    ..REMOTE
};

/// Fewest and most passes over a file in a trial.
const PASSES: (usize, usize) = (1, 8);

/// Passes over the whole range in order, each after this end's cache was emptied, and one before that is not timed; a
/// value is the time of a block in a pass. Gives the share of passes that began with an empty cache.
fn passes(bench: &mut Bench<'_>, stock: &Stock) -> Result<f64, Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let blocks = (stock.range.end - stock.range.start) / DEFAULT;
    let mut server = Server::of(bench);
    let is_emptied = is_emptied(bench.point());
    if is_emptied {
        stock.file.flush()?;
        server.empty()?;
    } else {
        stock.fetch()?;
    }
    // What was emptied once is full after one pass.
    let most = if is_emptied { 1 } else { PASSES.1 };
    let (clock, spend) = (
        Clock::select(),
        i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
    );
    let (mut emptied, mut values) = (0.0, Vec::new());
    server.begin();
    let first = clock.moment();
    let traffic = Traffic::begin(bench)?;
    while values.len() < PASSES.0 || (values.len() < most && clock.moment().nanos_since(first) < spend) {
        let file = stock.again(Way::Cached)?;
        emptied += f64::from(u8::from(stock.empty()?));
        let began = clock.moment();
        for offset in stock.range.clone().step_by(BLOCK) {
            let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
            right(&file, read, buffer.bytes_mut(), offset)?;
        }
        values.push(clock.moment().nanos_since(began) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    let asked = passes * blocks as f64 * BLOCK as f64;
    traffic.tell(bench, asked);
    server.tell(bench, asked);
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(emptied / passes)
}

/// From this end's cache.
pub static CACHED: Operation = Operation {
    id: "file.remote.read.cached",
    title: "read of 4 KiB of a remote file that is in this machine's cache",
    one_iteration: "one pread of a block of 4 KiB, whose first and last word must be what was written there",
    method: "As file.read.cached, of the file in the remote directory: all of it must be in the cache before the first batch \
             and after the last, and next to nothing may come over the network.",
    confounds: "A client may ask the server whether the file has changed before it trusts its cache: when it is opened, or \
                every few seconds, by its options. What the cache is made of hides in it, as for file.read.cached.",
    sources: &[
        (
            "R0, R1, R2",
            "second read of a file on NFS or SMB, which may have come from either cache",
        ),
        ("fio", "psync, bs=4k, after a first pass"),
    ],
    points: |_| vec![Point::only().with("order", "random").with("bytes", BYTES)],
    how: How::Slope,
    rehearse: Rehearse::Calls,
    gate: Operation::GATE,
    predict: &[
        "t0 cached read of a block(1)",
        "software t1 the same of a local file = [file.read.cached order=random bytes=16MiB]",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "blocks from the cache",
        "calls: pread64 1",
        "remote.bytes 0..0.1 (noise): next to nothing came over the network",
    ],
    bounds: &["floor"],
    run: run_cached,
    ..REMOTE
};

/// Laps after which the kernel knows all pages to be in use.
const SETTLED: usize = 2;

fn run_cached(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = size_of(bench.point(), "bytes")?;
    let stock = Stock::remote(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    let mut done = 0;
    stock.fetch()?;
    // The kernel moves each page between its lists when it is read for the second and the third time: were that to happen
    // within the batches, the first ones would be dearer than those behind.
    for _ in 0..SETTLED * walk.count() {
        direct::read_at(stock.file.descriptor(), buffer.bytes_mut(), walk.take());
    }
    let (before, pages) = stock.cached()?;
    let (device, traffic) = (DeviceBytes::begin(), Traffic::begin(bench)?);
    // Not looked at before each batch: where the cache is made of single pages, a look takes longer than a batch and
    // leaves the processor's caches full of other things.
    bench.slope(&mut |n| {
        let (file, block) = (&stock.file, buffer.bytes_mut());
        let mut right = 0;
        for _ in 0..n {
            let offset = walk.take();
            let read = direct::read_at(file.descriptor(), block, offset);
            right += u64::from(read == BLOCK as isize && file.is_block(block, offset));
        }
        done += n;
        Ok(right)
    })?;
    let asked = (done * DEFAULT) as f64;
    traffic.tell(bench, asked);
    device.tell(bench, asked);
    let after = stock.cached()?.0;
    bench.count("cache.full", (before + after) as f64 / 2.0, pages as f64);
    Ok(())
}
