//! io_uring O_DIRECT reads and writes at a given queue depth.

mod individual;

use super::access_pattern::{Access, AccessPattern, Order};
use super::own_files::{self, QUEUED};
use super::test_file::{TestFile, count_on_disk};
use super::{DEFAULT, DeviceBytes, TrialTime, reopened};
use crate::device_bytes::DeviceCounts;
use measure::{Bench, Failure, Result, choice, parameters};
use quantity::Bytes;
use std::cell::RefCell;
use sys::block_device::BlockDevice;
use sys::clock::Clock;
use sys::direct::CacheMode;
use sys::kernel_time::raw_nanos;
use sys::temporary::TemporaryFile;
use sys::uring::requests::{Direction, Done, Request, Requests, RingMethod};
use sys::uring::scheduled::Schedule;
use sys::usage::{self, CpuClock, UsageScope};

/// Bytes of the file that is read.
const BYTES: u64 = 256 << 20;

/// Requests of a value per queue depth: filling and draining the queue take a tenth of its time.
const PER_DEPTH: u64 = 10;
/// Requests of a value at least.
const MIN_REQUESTS: u64 = 32;

/// Minimum and maximum values of a trial.
const VALUES: (usize, usize) = (4, 24);

/// Fewest and most requests of a trial by a schedule.
const SCHEDULED: (f64, f64) = (100.0, 4_000.0);

/// Reads in flight while written blocks are verified.
const VERIFY_DEPTH: u32 = 16;

choice! {
    /// How requests are made and completed.
    pub enum Method {
        /// Buffers by address, files by descriptor; interrupts announce completions.
        Plain = "plain",
        /// Buffers and files are registered with the ring.
        Registered = "registered",
        /// The kernel polls the device for completions.
        Polled = "polled",
    }
}

parameters! {
    /// Requests with several in flight.
    pub struct QueuedRequest {
        /// The order.
        access: Access = Access::Random,
        /// Of one request.
        block: Bytes = Bytes::from_bytes(DEFAULT),
        /// Requests in flight.
        depth: u64,
        /// How they are made.
        method: Method = Method::Plain,
        /// Requests per second, as a percentage of the peak at this depth; as many as the device takes without.
        load: Option<u64> = None,
    }
}

/// Which requests are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// Reads of the test file.
    Reads,
    /// Writes to a file of their own.
    Writes,
    /// Seven reads to three writes.
    Mixed,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The time of many requests, divided by their number.
    Time,
    /// The time of one request, from its entry in the queue until the program takes its completion.
    Latency,
    /// The CPU time of this process for many requests, divided by their number.
    Cpu,
}

/// Of ten requests of a mix these are reads. They are mixed evenly: a stride without a common divisor with ten visits all ten.
const MIXED_READS: u64 = 7;
const MIX: u64 = 10;
const MIX_STRIDE: u64 = 7;

impl Mix {
    /// Reads among ten requests.
    fn reads(self) -> u64 {
        match self {
            Self::Reads => MIX,
            Self::Writes => 0,
            Self::Mixed => MIXED_READS,
        }
    }
}

/// The file that is read and the one that is written, open for O_DIRECT. A load without writes has the first as both, one
/// without reads the second.
struct Files {
    source: TemporaryFile,
    target: TemporaryFile,
}

/// The requests of a trial.
struct Load<'f> {
    files: &'f Files,
    block: u64,
    /// Reads among ten requests.
    reads: u64,
    /// The orders of reads and writes.
    read_order: AccessPattern,
    write_order: AccessPattern,
    /// The data of this trial differ from those of others by this.
    trial: u64,
    /// The last write of each block of the target; 0 for none.
    versions: Vec<u64>,
    /// Requests and writes so far.
    made: u64,
    writes: u64,
    /// When the request of each buffer was put into the queue, and how long each took, where that is measured.
    begun: Vec<i64>,
    latencies: Option<Vec<f64>>,
    /// The clock that times them.
    clock: Clock,
    /// By which requests are made, and how many were.
    schedule: Option<(Schedule, u64)>,
}

impl<'f> Load<'f> {
    fn new(files: &'f Files, point: &QueuedRequest, mix: Mix, start: u64, seed: u64) -> Self {
        let (order, block) = (Order::from(point.access), point.block.bytes());
        Self {
            files,
            block,
            reads: mix.reads(),
            read_order: AccessPattern::new(order, start, BYTES, block, seed),
            write_order: AccessPattern::new(order, 0, QUEUED, block, seed),
            trial: seed >> 32,
            versions: vec![0; (QUEUED / block) as usize],
            made: 0,
            writes: 0,
            begun: vec![0; point.depth as usize],
            latencies: None,
            clock: Clock::Kernel,
            schedule: None,
        }
    }

    /// The next request, for this buffer; a block that is written gets words of its own at both ends.
    fn next(&mut self, slot: usize, buffer: &mut [u8]) -> Request<'f> {
        let is_read = self.made * MIX_STRIDE % MIX < self.reads;
        self.made += 1;
        if let Some(begun) = self.begun.get_mut(slot).filter(|_| self.latencies.is_some()) {
            *begun = match &mut self.schedule {
                Some((schedule, number)) => {
                    *number += 1;
                    schedule.due(*number - 1)
                }
                None => self.clock.start(),
            };
        }
        if is_read {
            let (file, offset) = (self.files.source.descriptor(), self.read_order.next_offset());
            return Request { file, direction: Direction::Read, offset };
        }
        let (file, offset) = (&self.files.target, self.write_order.next_offset());
        self.writes += 1;
        if let Some(version) = self.versions.get_mut((offset / self.block) as usize) {
            *version = self.writes;
        }
        file.mark(buffer, self.data_of(offset, self.writes));
        Request { file: file.descriptor(), direction: Direction::Write, offset }
    }

    /// Which of the target's words the data of a write are.
    fn data_of(&self, offset: u64, write: u64) -> u64 {
        offset + (self.trial + write) * QUEUED
    }

    /// Whether a completed request is right; what was written is verified at the end.
    fn completed(&mut self, slot: usize, request: &Request<'_>, block: &[u8]) -> bool {
        if let Some(latencies) = &mut self.latencies {
            let begun = self.begun.get(slot).copied().unwrap_or(0);
            latencies.push((self.clock.stop() - begun) as f64);
        }
        request.direction == Direction::Write || self.files.source.is_block(block, request.offset)
    }

    /// Makes `count` requests.
    fn run(&mut self, requests: &mut Requests, count: u64) -> Result<Done> {
        let load = RefCell::new(self);
        Ok(requests.run(
            count,
            |slot, buffer| load.borrow_mut().next(slot, buffer),
            |slot, request, block| load.borrow_mut().completed(slot, request, block),
        )?)
    }

    /// Makes requests at this percentage of the rate at which the queue was kept full, for as long as a trial may last, each timed
    /// from when it is due; gives how many were right.
    fn run_at_load(
        &mut self,
        bench: &mut Bench<'_>,
        requests: &mut Requests,
        load: u64,
        full_ns: f64,
    ) -> Result<u64> {
        let interval_ns = full_ns * 100.0 / load.clamp(1, 100) as f64;
        let count = (bench.spend_ns() as f64 / interval_ns).clamp(SCHEDULED.0, SCHEDULED.1) as u64;
        let start = raw_nanos();
        let spend_ns = count as f64 * interval_ns;
        let schedule = Schedule { start, interval_ns, end: start + (2.0 * spend_ns) as i64 };
        (self.latencies, self.schedule) = (Some(Vec::new()), Some((schedule, 0)));
        let shared = RefCell::new(self);
        let done = requests.run_scheduled(
            count,
            &schedule,
            |slot, buffer| shared.borrow_mut().next(slot, buffer),
            |slot, request, block| shared.borrow_mut().completed(slot, request, block),
        )?;
        let rate = shared.borrow().schedule.map_or(0, |(_, made)| made) as f64 / (raw_nanos() - start) as f64;
        bench.count("rate.of_peak", rate * full_ns, 1.0);
        Ok(done.right)
    }

    /// Reads every block back that was written, and counts those that hold the last data.
    fn verify(&self, bench: &mut Bench<'_>) -> Result<()> {
        let version = |at: u64| self.versions.get((at / self.block) as usize).copied().unwrap_or(0);
        let all = (0..QUEUED).step_by(self.block as usize);
        let written: Vec<u64> = all.filter(|at| version(*at) > 0).collect();
        let mut requests = Requests::new(self.block as usize, VERIFY_DEPTH)?;
        let (mut offsets, target) = (written.iter().copied(), &self.files.target);
        let done = requests.run(
            written.len() as u64,
            |_, _| Request {
                file: target.descriptor(),
                direction: Direction::Read,
                offset: offsets.next().unwrap_or(0),
            },
            |_, request, block| target.is_block(block, self.data_of(request.offset, version(request.offset))),
        )?;
        bench.count("blocks.right", done.right as f64, written.len() as f64);
        Ok(())
    }
}

/// Makes requests at the queue depth of the point.
///
/// # Errors
/// When there is no device, or io_uring is denied.
pub fn request_at_depth(bench: &mut Bench<'_>, mix: Mix, measured: Measured) -> Result<()> {
    let point: QueuedRequest = bench.parameters()?;
    let block = point.block.bytes();
    let depth = u32::try_from(point.depth).unwrap_or(u32::MAX);
    let (files, start) = open_files(bench, mix)?;
    let mut requests = requests_by(bench, &point, &files, depth)?;
    if mix != Mix::Reads {
        (0..point.depth).for_each(|slot| {
            files.target.compose(requests.buffer(slot as usize), slot * block);
        });
    }
    let mut load = Load::new(&files, &point, mix, start, bench.seed());
    load.latencies = (measured == Measured::Latency && point.load.is_none()).then(Vec::new);
    let minimum = if block > DEFAULT { 0 } else { MIN_REQUESTS };
    let each = (PER_DEPTH * point.depth).max(minimum);
    let (mut values, mut correct, mut deepest) = (Vec::new(), 0, 0);
    let times_each = bench.times_every_iteration();
    let time = TrialTime::start(bench, VALUES);
    let (bytes, counts) = (DeviceBytes::start(), DeviceCounts::start(files.target.descriptor()));
    let earlier = usage::read(UsageScope::Thread);
    if times_each {
        (correct, deepest) = load.run_individually(bench, &mut requests)?;
    }
    while !times_each && time.allows(values.len()) {
        let (start, cpu) = (time.clock.moment(), cpu_time()?);
        let done = load.run(&mut requests, each)?;
        let nanos = match measured {
            Measured::Cpu => cpu_time()? - cpu,
            _ => time.clock.moment().nanos_since(start),
        };
        values.push(nanos as f64 / each as f64);
        correct += done.right;
        deepest = done.deepest.max(deepest);
    }
    if let Some(percent) = point.load {
        let full_ns = values.iter().sum::<f64>() / values.len().max(1) as f64;
        correct += load.run_at_load(bench, &mut requests, percent, full_ns)?;
    }
    let slept = earlier.and_then(|earlier| Ok(usage::read(UsageScope::Thread)?.since(&earlier).voluntary));
    bench.try_count("requests.slept", slept.map(|slept| slept as f64), load.made as f64);
    let (reads, writes) = ((load.made - load.writes) as f64, load.writes as f64);
    if reads > 0.0 {
        bytes.count(bench, reads * block as f64);
    }
    counts.count(bench, reads + writes, writes * block as f64);
    if !times_each {
        bench.count("answers", correct as f64, load.made as f64);
    }
    bench.count("requests.deepest", f64::from(deepest), 1.0);
    if mix != Mix::Reads {
        load.verify(bench)?;
    }
    if !times_each {
        bench.values(load.latencies.take().unwrap_or(values));
    }
    Ok(())
}

/// The ring of a point. Before its first request one is made by address and descriptor: where they are registered, the kernel
/// must refuse it, and where completions are polled it says whether the device allows that.
fn requests_by(bench: &mut Bench<'_>, point: &QueuedRequest, files: &Files, depth: u32) -> Result<Requests> {
    let block = point.block.bytes() as usize;
    let file = files.source.descriptor();
    let first = Request { file, direction: Direction::Read, offset: 0 };
    match point.method {
        Method::Plain => {
            let mut requests = Requests::new(block, depth)?;
            if block < DEFAULT as usize && requests.try_plain(&first)? != 0 {
                return Err(Failure::skipped(
                    "the device or the file system refuses O_DIRECT requests of such small blocks",
                    "name a directory by --dir on a device whose queue/logical_block_size is as small",
                ));
            }
            Ok(requests)
        }
        Method::Registered => {
            let files = [file, files.target.descriptor()];
            let mut requests = Requests::with(RingMethod::Registered(&files), block, depth)?;
            count_refusal(bench, &mut requests, &first)?;
            Ok(requests)
        }
        Method::Polled => {
            let unpolled = || {
                Failure::skipped(
                    "the device cannot be polled for completions (queue/io_poll is 0)",
                    "give its driver queues to poll: nvme.poll_queues=2 or virtio_blk.poll_queues=2 for the kernel",
                )
            };
            if BlockDevice::holding(file).is_ok_and(|device| !device.can_be_polled()) {
                return Err(unpolled());
            }
            let mut requests = Requests::with(RingMethod::Polled, block, depth)?;
            match requests.try_plain(&first)? {
                0 => Ok(requests),
                _ => Err(unpolled()),
            }
        }
    }
}

/// Counts whether the kernel refuses a request for a registered buffer that does not name the registration.
///
/// # Errors
/// When the kernel refuses the call.
pub fn count_refusal(bench: &mut Bench<'_>, requests: &mut Requests, plain: &Request<'_>) -> Result<()> {
    let is_refused = requests.try_plain(plain)? != 0;
    bench.count("unregistered.refused", f64::from(u8::from(is_refused)), 1.0);
    Ok(())
}

/// The files of a load, and where the part of the source begins that is read.
fn open_files(bench: &mut Bench<'_>, mix: Mix) -> Result<(Files, u64)> {
    let target = if mix == Mix::Reads { None } else { Some(own_files::to_overwrite_at_depth(bench)?) };
    match (mix, target) {
        (Mix::Writes, Some(file)) => {
            count_on_disk(bench, &file)?;
            let [source, target] = [reopened(&file, CacheMode::Direct)?, reopened(&file, CacheMode::Direct)?];
            Ok((Files { source, target }, 0))
        }
        (_, target) => {
            let test_file = TestFile::on_device(bench, BYTES)?;
            let source = test_file.reopen(CacheMode::Direct)?;
            let target = match target {
                Some(file) => reopened(&file, CacheMode::Direct)?,
                None => test_file.reopen(CacheMode::Direct)?,
            };
            Ok((Files { source, target }, test_file.range.start))
        }
    }
}

/// The CPU time of this process in nanoseconds.
fn cpu_time() -> Result<i64> {
    let nanos = CpuClock::PROCESS.nanos();
    nanos.ok_or_else(|| Failure::failed("the CPU time of this process cannot be read"))
}
