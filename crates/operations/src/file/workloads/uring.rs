//! O_DIRECT reads of blocks by io_uring, so many in flight at once.

use super::stock::Stock;
use super::walk::Walk;
use super::{DEFAULT, DeviceBytes, TrialTime};
use measure::{Bench, Failure, Point};
use sys::direct::CacheMode;
use sys::uring::reads::Reads;

/// Bytes of the file that is read.
const BYTES: u64 = 256 << 20;

/// Reads of a value, for each that is under way: filling and draining the queue are a tenth of its time.
const PER_DEPTH: u64 = 10;
/// Reads of a value at least.
const LEAST: u64 = 32;

/// Fewest and most values of a trial.
const VALUES: (usize, usize) = (4, 24);

/// As many reads as the depth says, time and again.
pub fn read_several_at_once(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let depth = u32::try_from(bench.point().number("depth")?).unwrap_or(1);
    let stock = Stock::on_disk(bench, BYTES)?;
    let file = stock.again(CacheMode::Direct)?;
    let block = bench.point().size("block").unwrap_or(DEFAULT);
    let order = Point::only().with("access", bench.point().get("access").unwrap_or("random"));
    let mut walk = Walk::new(&order, stock.range.start, BYTES, block, bench.seed())?;
    let mut reads = Reads::new(block as usize, depth)?;
    let least = if block > DEFAULT { 0 } else { LEAST };
    let each = (PER_DEPTH * u64::from(depth)).max(least);
    let (mut values, mut right, mut deepest) = (Vec::new(), 0, 0);
    let time = TrialTime::begin(bench, VALUES);
    let device = DeviceBytes::begin();
    while time.is_left(values.len()) {
        let from = time.clock.moment();
        let done = reads.run(
            file.descriptor(),
            each,
            || walk.take(),
            |block, at| file.is_block(block, at),
        )?;
        values.push(time.clock.moment().nanos_since(from) as f64 / each as f64);
        right += done.right;
        deepest = done.deepest.max(deepest);
    }
    let asked = (values.len() as u64 * each) as f64;
    device.tell(bench, asked * block as f64);
    bench.count("answers", right as f64, asked);
    bench.count("reads.deepest", f64::from(deepest), 1.0);
    bench.values(values);
    Ok(())
}
