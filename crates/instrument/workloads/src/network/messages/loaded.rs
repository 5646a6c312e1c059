//! Round trips while a TCP stream from the same server to the same client runs.

use super::{Echo, Framing};
use crate::network::options::{Congestion, Options};
use crate::network::services::{Counter, Method, QUIT, Service};
use crate::network::session::{Server, Session};
use crate::network::streams::receive_blocks;
use measure::{Bench, Failure, Result, choice, parameters};
use quantity::Bytes;
use sys::kernel_time::raw_nanos;

choice! {
    /// The protocol of the messages.
    pub enum Protocol {
        /// A TCP connection of its own.
        Tcp = "tcp",
        /// UDP datagrams.
        Udp = "udp",
    }
}

parameters! {
    /// Round trips of messages while a stream runs.
    pub struct Loaded {
        /// Of the messages; the stream is always TCP.
        protocol: Protocol,
        /// Of each message.
        bytes: Bytes,
    }
}

/// Parts of the timed time, in each of which the stream must move: a tenth of a trial is many scheduler slices.
const PARTS: i64 = 10;

/// The share of the trial that the stream runs before the first timed round trip, so that its windows and queues are full.
const LEAD_IN: i64 = 4;

/// Most round trips of a trial: 64 MiB of values.
const MAX_ROUND_TRIPS: usize = 8 << 20;

/// A stream from the server to a process next to the client.
pub struct StreamBeside {
    session: Session,
    receiver: Server,
}

impl StreamBeside {
    /// Starts it: the source where the server is, the receiver on the client's CPU.
    ///
    /// # Errors
    /// When the server cannot be reached or a process cannot be created.
    pub fn start(bench: &Bench<'_>) -> Result<Self> {
        let seed = bench.seed();
        let options = Options { no_delay: false, congestion: Congestion::ByLoss };
        let session = Session::tcp(bench, Service::Source { method: Method::Plain, seed }, options)?;
        let receiver =
            Server::process(bench.cpu(), |counters| receive_blocks(session.client(), seed, counters))?;
        Ok(Self { session, receiver })
    }

    /// Bytes received so far.
    pub fn bytes(&self) -> u64 {
        self.receiver.counters.get(Counter::Bytes)
    }

    /// Stops the source after its current block.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn stop(&self) -> Result<()> {
        self.session.ask_to_end()
    }

    /// Ends the stream; bytes received and sent in all.
    ///
    /// # Errors
    /// When an end failed, or a block had a wrong content.
    pub fn end(self) -> Result<(u64, u64)> {
        self.stop()?;
        let received = self.receiver.join()?.get(Counter::Bytes);
        Ok((received, self.session.join()?.get(Counter::Bytes)))
    }
}

/// In how many parts of the timed time the stream moved.
struct Parts {
    length_ns: i64,
    began: (i64, u64),
    first: Option<(i64, u64)>,
    last: (i64, u64),
    ended: u64,
    moved: u64,
}

impl Parts {
    fn new(spend_ns: i64) -> Self {
        Self {
            length_ns: (spend_ns / PARTS).max(1),
            began: (0, 0),
            first: None,
            last: (0, 0),
            ended: 0,
            moved: 0,
        }
    }

    /// Before the first round trip, and after each: the time and the bytes of the stream.
    fn note(&mut self, now: i64, bytes: u64) {
        self.last = (now, bytes);
        if self.first.is_none() {
            (self.first, self.began) = (Some(self.last), self.last);
        }
        if now - self.began.0 >= self.length_ns {
            self.ended += 1;
            self.moved += u64::from(bytes > self.began.1);
            self.began = self.last;
        }
    }

    fn count(&self, bench: &mut Bench<'_>) {
        let first = self.first.unwrap_or_default();
        bench.count("stream.moved", self.moved as f64, self.ended as f64);
        let seconds = (self.last.0 - first.0) as f64 / 1e9;
        bench.count("stream.bytes_per_second", (self.last.1 - first.1) as f64, seconds.max(1e-9));
    }
}

/// Messages that are in flight when another one is sent, for the sabotage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// None: each reply is that of the message just sent.
    None,
    /// One.
    One,
}

/// Round trips of the point's protocol while a stream runs.
///
/// # Errors
/// When the server cannot be reached or is lost.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let stream = StreamBeside::start(bench)?;
    round_trips(bench, &stream, Ahead::None)?;
    count_bytes(bench, stream)
}

/// Ends the stream and counts the bytes of both ends.
///
/// # Errors
/// As [`StreamBeside::end`].
pub fn count_bytes(bench: &mut Bench<'_>, stream: StreamBeside) -> Result<()> {
    let (received, sent) = stream.end()?;
    bench.count("bytes.received_per_sent", received as f64, sent as f64);
    Ok(())
}

/// The round trips, each timed by itself.
///
/// # Errors
/// As [`run`].
pub fn round_trips(bench: &mut Bench<'_>, stream: &StreamBeside, ahead: Ahead) -> Result<()> {
    let Loaded { protocol, bytes } = bench.parameters()?;
    let length = u32::try_from(bytes.bytes()).map_err(|_| Failure::failed("the message exceeds 4 GiB"))?;
    let (session, framing) = match protocol {
        Protocol::Tcp => {
            let service = Service::EchoStream { bytes: length };
            (Session::tcp(bench, service, Options::MESSAGES)?, Framing::Stream)
        }
        Protocol::Udp => (Session::udp(bench, Service::EchoDatagrams { bytes: length })?, Framing::Datagrams),
    };
    let mut echo = Echo::new(session.client(), framing, length as usize, bench.seed());
    if ahead == Ahead::One {
        echo.send_one()?;
    }
    let spend_ns = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX);
    let began = raw_nanos();
    while raw_nanos() - began < spend_ns / LEAD_IN {
        echo.round_trips(1)?;
    }
    let mut parts = Parts::new(spend_ns);
    let start = raw_nanos();
    parts.note(start, stream.bytes());
    let mut correct = 0;
    let turns = bench.each_value(
        &|made| made < MAX_ROUND_TRIPS && (made == 0 || raw_nanos() - start < spend_ns),
        &mut || {
            let sent = raw_nanos();
            correct += echo.round_trips(1)?;
            let came = raw_nanos();
            parts.note(came, stream.bytes());
            Ok((came - sent) as f64)
        },
    )?;
    bench.count("echoes.correct", correct as f64, turns);
    parts.count(bench);
    match protocol {
        Protocol::Tcp => sys::inet::shutdown_write(session.client())?,
        Protocol::Udp => session.client().write_all(&[QUIT])?,
    }
    session.join().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_without_bytes_of_the_stream_is_counted() {
        let mut parts = Parts::new(1_000);
        for (now, bytes) in [(0, 5), (90, 6), (110, 7), (150, 7), (230, 7), (340, 8)] {
            parts.note(now, bytes);
        }
        assert_eq!((parts.ended, parts.moved, parts.first), (3, 2, Some((0, 5))));
    }
}
