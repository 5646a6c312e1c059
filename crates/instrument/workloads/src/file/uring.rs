//! io_uring O_DIRECT reads at a given queue depth.

use super::access_pattern::{Access, AccessPattern, Order};
use super::test_file::TestFile;
use super::{DEFAULT, DeviceBytes, TrialTime};
use measure::{Bench, Result, parameters};
use quantity::Bytes;
use sys::direct::CacheMode;
use sys::uring::reads::Reads;

/// Bytes of the file.
const BYTES: u64 = 256 << 20;

/// Reads of a value per queue depth: filling and draining the queue take a tenth of its time.
const PER_DEPTH: u64 = 10;
/// Reads of a value at least.
const MIN_READS: u64 = 32;

/// Minimum and maximum values of a trial.
const VALUES: (usize, usize) = (4, 24);

parameters! {
    /// Reads with several in flight.
    pub struct QueuedRead {
        /// The order.
        access: Access = Access::Random,
        /// Of one read.
        block: Bytes = Bytes::from_bytes(DEFAULT),
        /// Reads in flight.
        depth: u64,
    }
}

/// Reads at the queue depth of the point.
pub fn read_at_depth(bench: &mut Bench<'_>) -> Result<()> {
    let QueuedRead { access, block, depth } = bench.parameters()?;
    let (block, depth) = (block.bytes(), u32::try_from(depth).unwrap_or(u32::MAX));
    let test_file = TestFile::on_device(bench, BYTES)?;
    let file = test_file.reopen(CacheMode::Direct)?;
    let order = Order::from(access);
    let mut pattern = AccessPattern::new(order, test_file.range.start, BYTES, block, bench.seed());
    let mut reads = Reads::new(block as usize, depth)?;
    let minimum = if block > DEFAULT { 0 } else { MIN_READS };
    let each = (PER_DEPTH * u64::from(depth)).max(minimum);
    let (mut values, mut correct, mut deepest) = (Vec::new(), 0, 0);
    let time = TrialTime::start(bench, VALUES);
    let device = DeviceBytes::start();
    while time.allows(values.len()) {
        let start = time.clock.moment();
        let done = reads.run(
            file.descriptor(),
            each,
            || pattern.next_offset(),
            |block, at| file.is_block(block, at),
        )?;
        values.push(time.clock.moment().nanos_since(start) as f64 / each as f64);
        correct += done.right;
        deepest = done.deepest.max(deepest);
    }
    let requested = (values.len() as u64 * each) as f64;
    device.count(bench, requested * block as f64);
    bench.count("answers", correct as f64, requested);
    bench.count("reads.deepest", f64::from(deepest), 1.0);
    bench.values(values);
    Ok(())
}
