//! Streams of numbered messages, between two processes or within one task, checked and counted at both ends.

use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Placement, Result, Work, parameters};
use quantity::Bytes;
use sys::footprint::Footprint;
use sys::memory::Mapping;
use sys::pipe::{Carrier, ReadEnd, WriteEnd, stream};
use sys::process::Actor;
use sys::usage::{self, CpuClock, UsageScope};

/// Bytes in the shortest batch: many times the capacity of any buffer; on two CPUs, where the sides resynchronise after
/// each batch, twice as many.
fn least_batch(bench: &Bench<'_>) -> u64 {
    if bench.point().placement() == Some(Placement::Same) { 512 << 10 } else { 1 << 20 }
}

parameters! {
    /// A stream of messages.
    pub struct ByteStream {
        /// Of a message.
        bytes: Bytes,
    }
}

/// The reading side of a stream.
struct Reader {
    expected: Footprint,
    buffer: Mapping,
    bytes: usize,
    number: u64,
}

impl Reader {
    fn new(bench: &Bench<'_>) -> Result<Self> {
        let bytes = usize::try_from(bench.parameters::<ByteStream>()?.bytes.bytes()).unwrap_or(usize::MAX);
        let mut buffer = Mapping::private(bytes)?;
        buffer.touch(bench.seed());
        Ok(Self { expected: Footprint::new(bytes, bench.seed())?, buffer, bytes, number: 0 })
    }

    /// Reads one message; whether it was complete, with the right number and word.
    fn take(&mut self, source: &ReadEnd) -> Result<bool> {
        self.number += 1;
        let buffer = self.buffer.bytes_mut().get_mut(..self.bytes).unwrap_or_default();
        if source.fill(buffer)? != self.bytes {
            return Err(Failure::failed("the other process stopped within a message"));
        }
        let words = self.bytes / 8;
        let place = 8 * (1 + (self.number.wrapping_mul(0x9e37_79b9) as usize) % (words - 1));
        let word = buffer.get(place..place + 8);
        Ok(buffer.get(..8) == Some(&self.number.to_ne_bytes())
            && word.is_some()
            && word == self.expected.bytes().get(place..place + 8))
    }

    /// Compares the last message byte by byte.
    fn check_last(&mut self) -> Result<()> {
        let came = self.buffer.bytes_mut().get(8..self.bytes);
        let is_right = came.is_some() && came == self.expected.bytes().get(8..);
        Failure::unless(is_right, "the last message is not what was sent")
    }
}

/// Times messages that the calling task writes and reads back.
///
/// # Errors
/// When a message is not what was sent, or does not fit the buffer.
pub fn within_one_task(bench: &mut Bench<'_>, carrier: Carrier) -> Result<()> {
    let (source, sink) = stream(carrier)?;
    sink.refuse_to_wait()?;
    let mut reader = Reader::new(bench)?;
    let mut message = Footprint::new(reader.bytes, bench.seed())?;
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            message.stamp(reader.number + 1);
            sink.send(message.bytes())?;
            right += u64::from(reader.take(&source)?);
        }
        Ok(right)
    })?;
    reader.check_last()
}

/// Words of the shared page.
const STOP: usize = 0;
const SENT: usize = 8;
const SWITCHES: usize = 9;

/// Writes messages until STOP, then reports their bytes.
fn write_messages(sink: &WriteEnd, message: &mut Footprint, page: &SharedWords) -> i32 {
    let mut number = 0;
    while page.get(STOP) == 0 {
        number += 1;
        message.stamp(number);
        if sink.send(message.bytes()).is_err() {
            return 1;
        }
    }
    let switches = usage::read(UsageScope::Process).unwrap_or_default().switches();
    page.set(SENT, number * message.length() as u64);
    page.set(SWITCHES, switches.cast_unsigned());
    0
}

/// Times messages that another process, on the point's CPU, writes continuously.
///
/// # Errors
/// When the other process is lost, or a message is not what was sent.
pub fn between(bench: &mut Bench<'_>, carrier: Carrier) -> Result<()> {
    let mut reader = Reader::new(bench)?;
    let mut message = Footprint::new(reader.bytes, bench.seed())?;
    let page = SharedWords::new(16)?;
    let (source, sink) = stream(carrier)?;
    let mut sink = Some(sink);
    let writer = Actor::spawn(bench.peer_cpu(), || {
        sink.take().map_or(1, |sink| write_messages(&sink, &mut message, &page))
    })?;
    // The stream ends when the writer closes the only write end.
    drop(sink);
    bench.batches(Work {
        multiple_of: least_batch(bench).div_ceil(bench.parameters::<ByteStream>()?.bytes.bytes()),
        cpu: vec![CpuClock::THREAD, CpuClock::of_process(writer.pid())],
        ..Work::new(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                right += u64::from(reader.take(&source)?);
            }
            Ok(right)
        })
    })?;
    reader.check_last()?;
    page.set(STOP, 1);
    let mut received = reader.number * reader.bytes as u64;
    loop {
        let buffer = reader.buffer.bytes_mut().get_mut(..reader.bytes).unwrap_or_default();
        match source.fill(buffer)? {
            0 => break,
            came => received += came as u64,
        }
    }
    writer.join()?;
    let messages = reader.number as f64;
    bench.count("bytes.received_per_sent", received as f64, page.get(SENT) as f64);
    bench.count("switches.writer", page.get(SWITCHES) as f64, messages);
    Ok(())
}
