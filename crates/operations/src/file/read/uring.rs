//! Reads of blocks past the cache by io_uring, so many under way at once.

use crate::file::stock::Stock;
use crate::file::walk::{DEFAULT, Walk};
use crate::file::{COMMON, DeviceBytes, size_of};
use crate::memory::fault::WAITS;
use measure::{How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::Plot;
use sys::clock::Clock;
use sys::direct::Way;
use sys::uring::reads::{Done, Reads};

/// Bytes of the file that is read.
const BYTES: u64 = 256 << 20;

/// Reads of a value, for each that is under way: filling and draining the queue are a tenth of its time.
const PER_DEPTH: u64 = 10;
/// Reads of a value at least.
const LEAST: u64 = 32;

/// Fewest and most values of a trial.
const VALUES: (usize, usize) = (4, 24);

/// Several at once.
pub static URING: Operation = Operation {
    id: "file.read.uring",
    title: "read of 4 KiB of a file past the cache by io_uring, several under way",
    one_iteration: "one read of a block past the cache, of which so many are under way at once; whose first and last \
                    word must be what was written there",
    method: "io_uring with one submission queue, no polling, no registered buffers; blocks at random places, or one \
             behind the other. As many reads as the depth says are \
             submitted by one call; then each call waits for at least one, and a new read takes the place of each that \
             is complete. A value is the time of ten reads for each one under way (32 at least), from the first call to \
             the last completion, divided by their number.",
    confounds: "It is a time per block, not the time that one block takes: that is so many times longer. In order, what \
                is asked for at once may be one request to the device. Below the device nothing is emptied.",
    sources: &[("fio", "io_uring, direct=1, bs=4k, iodepth=1 to 64")],
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 12_000_000,
    points: |_| {
        let mut all = [1, 4, 16, 64]
            .map(|depth| Point::only().with("depth", depth))
            .to_vec();
        all.push(Point::only().with("depth", 4).with("block", "1MiB"));
        all.push(Point::only().with("depth", 16).with("order", IN_ORDER));
        all
    },
    plot: Some(|| Plot::logarithmic("depth", "reads under way", Quantity::Count)),
    predict: &[
        "block=*: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: hardware t0 the device, so many at once = {max(10000, 70000 / depth)} ns (×2.5: a read of \
         4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk has a queue or two, each of which takes \
         some 100 000 requests a second (virtio, a thread of the host), a drive of its own takes more)",
        "order!=*: let alone = [file.read.direct order=random bytes=256MiB]",
        "order=*: let alone = [file.read.direct order={order} bytes=64MiB]",
        "depth!=64 block!=*: hardware t1 a read's share, or the most that the device takes = max({1 / depth} \
         × alone, [file.read.uring depth=64])",
    ],
    evidence: &[
        "blocks from the device(1.001)",
        "reads.deepest = {depth}: so many reads were under way at once",
    ],
    bounds: &["> {1 / 64} × [syscall.floor]: one call takes at most 64 reads"],
    run: |bench| {
        let depth = u32::try_from(bench.point().number("depth")?).unwrap_or(1);
        let stock = Stock::on_disk(bench, BYTES)?;
        let file = stock.again(Way::Direct)?;
        let block = size_of(bench.point(), "block").unwrap_or(DEFAULT);
        let order = Point::only().with("order", order_of(bench.point()));
        let mut walk = Walk::new(&order, stock.range.start, BYTES, block, bench.seed())?;
        let mut reads = Reads::new(block as usize, depth)?;
        let least = if block > DEFAULT { 0 } else { LEAST };
        let each = (PER_DEPTH * u64::from(depth)).max(least);
        let clock = Clock::select();
        let (began, spend) = (
            clock.moment(),
            i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
        );
        let (mut values, mut right, mut deepest) = (Vec::new(), 0, 0);
        let device = DeviceBytes::begin();
        while values.len() < VALUES.1
            && (values.len() < VALUES.0 || clock.moment().nanos_since(began) < spend)
        {
            let from = clock.moment();
            let done: Done = reads.run(
                file.descriptor(),
                each,
                || walk.take(),
                |block, at| file.is_block(block, at),
            )?;
            values.push(clock.moment().nanos_since(from) as f64 / each as f64);
            right += done.right;
            deepest = done.deepest.max(deepest);
        }
        let asked = (values.len() as u64 * each) as f64;
        device.tell(bench, asked * block as f64);
        bench.count("answers", right as f64, asked);
        bench.count("reads.deepest", f64::from(deepest), 1.0);
        bench.values(values);
        Ok(())
    },
    ..COMMON
};

const IN_ORDER: &str = "sequential";

/// The order in which blocks are read.
fn order_of(point: &Point) -> &str {
    point.get("order").unwrap_or("random")
}
