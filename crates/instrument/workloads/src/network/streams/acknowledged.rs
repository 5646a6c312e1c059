//! A stream that this end sends, in windows: the bytes that the receiver acknowledged in each, by the sender's kernel.

use super::Stream;
use crate::network::messages::Messages;
use crate::network::services::{BLOCK, Counter, Service, fill, put};
use crate::network::session::Session;
use measure::{Bench, Failure, Result};
use sys::clock::{Clock, Moment};
use sys::descriptor::Descriptor;
use sys::{inet, tcp_info};

/// Blocks after which the receiver answers with one byte: the answers of the fastest stream fit a socket's buffer.
const BLOCKS_CONFIRMED: u64 = 512;

/// Sends for the time of the trial in this many windows; the bytes per second that were acknowledged in each.
///
/// # Errors
/// When the server cannot be reached or is lost, or when the kernel did not count every byte as acknowledged.
pub fn send_stream(bench: &mut Bench<'_>, windows: usize) -> Result<Vec<f64>> {
    let bytes = BLOCKS_CONFIRMED * BLOCK as u64;
    let options = bench.parameters::<Stream>()?.options();
    let session = Session::tcp(bench, Service::Confirm { bytes }, options)?;
    let mut sender = Sender {
        client: session.client(),
        messages: Messages::new(BLOCK, bench.seed()),
        blocks: 0,
        last_bytes: Vec::new(),
    };
    let before = sender.acknowledged()?;
    let window_ns = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX) / windows.max(1) as i64;
    let rates = bench.watched(|| sender.send_windows(windows, window_ns))?;
    while !sender.blocks.is_multiple_of(BLOCKS_CONFIRMED) {
        sender.send_block()?;
    }
    let mut answers = vec![0; sender.last_bytes.len()];
    fill(sender.client, &mut answers)?;
    let correct = answers.iter().zip(&sender.last_bytes).filter(|(answer, last)| answer == last).count();
    bench.count("answers", correct as f64, answers.len() as f64);
    // The last answer came after everything was acknowledged.
    let sent = sender.blocks * BLOCK as u64;
    let acknowledged = sender.acknowledged()? - before;
    Failure::unless(acknowledged == sent, "the kernel did not count every byte as acknowledged")?;
    inet::shutdown_write(sender.client)?;
    let counters = session.join_and_count(bench)?;
    bench.count("bytes.received_per_sent", counters.get(Counter::Bytes) as f64, sent as f64);
    Ok(rates)
}

/// The sending end.
struct Sender<'s> {
    client: &'s Descriptor,
    messages: Messages,
    /// Blocks sent.
    blocks: u64,
    /// The last byte of every run of blocks that the receiver confirms.
    last_bytes: Vec<u8>,
}

impl Sender<'_> {
    fn send_block(&mut self) -> Result<()> {
        let message = self.messages.next_message();
        put(self.client, message)?;
        self.blocks += 1;
        if self.blocks.is_multiple_of(BLOCKS_CONFIRMED) {
            self.last_bytes.extend(message.last());
        }
        Ok(())
    }

    /// Bytes acknowledged so far.
    fn acknowledged(&self) -> Result<u64> {
        Ok(tcp_info::read(self.client)?.bytes_acknowledged)
    }

    /// Sends until the time is over; the moment.
    fn send_for(&mut self, clock: Clock, start: Moment, nanos: i64) -> Result<Moment> {
        loop {
            self.send_block()?;
            let now = clock.moment();
            if now.nanos_since(start) >= nanos {
                return Ok(now);
            }
        }
    }

    /// The bytes per second that were acknowledged in each window.
    fn send_windows(&mut self, windows: usize, window_ns: i64) -> Result<Vec<f64>> {
        let clock = Clock::select();
        let mut rates = Vec::with_capacity(windows);
        let (mut start, mut before) = (clock.moment(), self.acknowledged()?);
        for _ in 0..windows {
            let end = self.send_for(clock, start, window_ns)?;
            let acknowledged = self.acknowledged()?;
            rates.push((acknowledged - before) as f64 * 1e9 / (end.nanos_since(start) as f64).max(1.0));
            (start, before) = (end, acknowledged);
        }
        Ok(rates)
    }
}
