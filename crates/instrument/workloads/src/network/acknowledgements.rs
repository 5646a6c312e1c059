//! Kernel times from a segment to its acknowledgement, by captured packets and by TCP_INFO.

use super::messages::{Echo, Framing, Messages, receive, send};
use super::options::Options;
use super::services::{Counter, Service};
use super::session::{Acceptor, Session, unreachable};
use crate::network::points;
use measure::{Bench, Failure, Point, Result, choice, parameters};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use sys::descriptor::Descriptor;
use sys::inet;
use sys::packet::{Capture, Interfaces, Segment};
use sys::remedies::Context;
use sys::tcp_info;

/// The measured segments of a connection, as values of a parameter.
pub const SEGMENTS: [&str; 3] = ["syn", "data", "fin"];

/// Round trips per query of TCP_INFO, and queries.
const TURNS: u64 = 64;
const QUERIES: usize = 20;

choice! {
    /// A round-trip time that the kernel keeps.
    pub enum Statistic {
        /// The smoothed one.
        Smoothed = "smoothed",
        /// The least.
        Minimum = "minimum",
    }
}

parameters! {
    /// Round-trip times of the kernel.
    pub struct KernelTimes {
        /// Which.
        statistic: Statistic,
    }
}

choice! {
    /// A segment that is acknowledged.
    pub enum AcknowledgedSegment {
        /// Of the connection.
        Syn = "syn",
        /// With data.
        Data = "data",
        /// Of the end.
        Fin = "fin",
    }
}

parameters! {
    /// Acknowledgements of segments.
    pub struct Acknowledgements {
        /// Of which.
        segment: AcknowledgedSegment,
    }
}

/// Round-trip times by TCP_INFO.
pub fn by_tcp_info(bench: &mut Bench<'_>) -> Result<()> {
    let session = Session::tcp(bench, Service::EchoStream { bytes: 64 }, Options::MESSAGES)?;
    let path = points::path_of(bench.point());
    let mut echo = Echo::new(session.client(), Framing::Stream, 64, bench.seed());
    let (mut smoothed, mut minimum, mut correct) = (Vec::new(), Vec::new(), 0);
    echo.round_trips(TURNS)?;
    bench.watched(|| {
        for _ in 0..QUERIES {
            correct += echo.round_trips(TURNS)?;
            let info = tcp_info::read(session.client())?;
            smoothed.push(f64::from(info.rtt_us) * 1e3);
            minimum.push(f64::from(info.least_rtt_us) * 1e3);
        }
        Ok(())
    })?;
    inet::shutdown_write(session.client())?;
    session.join()?;
    bench.count("answers", correct as f64, (QUERIES as u64 * TURNS) as f64);
    bench.values_at(path.clone().with("statistic", Statistic::Smoothed.name()), smoothed);
    bench.values_at(path.clone().with("statistic", Statistic::Minimum.name()), minimum);
    Ok(())
}

/// Nanoseconds of CLOCK_REALTIME, the clock of packet timestamps.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(0)
}

/// Times of a segment and of the first one that acknowledges its `length` sequence numbers.
fn acknowledged(captured: &[Segment], sent: &Segment, length: u32) -> Option<[i64; 2]> {
    let next = sent.sequence.wrapping_add(length);
    let mut answers = captured.iter().filter(|answer| answer.from == sent.to && answer.to == sent.from);
    let answer =
        answers.find(|answer| answer.ack && answer.acknowledges == next && answer.nanos >= sent.nanos)?;
    Some([sent.nanos, answer.nanos])
}

/// The timestamps of one connection: each segment and its acknowledgement.
fn timestamps(captured: &[Segment], port: u16) -> Option<[i64; 6]> {
    let sent = |is_wanted: fn(&Segment) -> bool| {
        captured.iter().find(|segment| segment.to == port && is_wanted(segment))
    };
    let (syn, data) = (sent(|segment| segment.syn)?, sent(|segment| segment.data > 0)?);
    let fin = sent(|segment| segment.fin)?;
    let [a, b] = acknowledged(captured, syn, 1)?;
    let [c, d] = acknowledged(captured, data, data.data)?;
    let [e, f] = acknowledged(captured, fin, fin.data + 1)?;
    Some([a, b, c, d, e, f])
}

/// Connections of a trial; the first does not count.
const CONNECTIONS: u64 = 41;

/// What the connections of a trial are, and which of their captured segments are timed.
struct Captured<'n, const ENDS: usize> {
    service: Service,
    /// From the end that the server has seen until all segments are there.
    last: Duration,
    /// The timestamps of one connection, by pairs: from one to the other is a value.
    timestamps: fn(&[Segment], u16) -> Option<[i64; ENDS]>,
    /// The parameter that distinguishes the pairs.
    parameter: &'n str,
    /// Its value for each pair.
    names: &'n [&'n str],
}

/// Connections one after the other, whose segments are captured; `talk` is what the client does on each before it closes it.
fn captured<const ENDS: usize>(
    bench: &mut Bench<'_>,
    of: &Captured<'_, ENDS>,
    talk: &mut dyn FnMut(&Descriptor) -> Result<()>,
) -> Result<()> {
    let mut acceptor = Acceptor::new(bench, of.service)?;
    let path = points::path_of(bench.point());
    let address = acceptor.destination().address().filter(SocketAddr::is_ipv4).ok_or_else(|| {
        Failure::skipped("segments are captured over IPv4 only", "name the peer by its IPv4 address")
    })?;
    let capture = capture(address.port(), &path)?;
    let mut samples: Vec<Vec<f64>> = of.names.iter().map(|_| Vec::new()).collect();
    bench.watched(|| {
        for turn in 0..CONNECTIONS {
            let before = now();
            let client = inet::connected(address).map_err(unreachable(address))?;
            talk(&client)?;
            sys::descriptor::close(client)?;
            acceptor.until_ended(turn + 1)?;
            std::thread::sleep(of.last);
            // Read before the packets, so that timestamps taken while reading them are rejected.
            let after = now();
            let Some(ends) = (of.timestamps)(&capture.segments()?, address.port()) else {
                continue;
            };
            let is_in_order = ends.is_sorted() && before <= ends[0] && ends[ENDS - 1] <= after;
            if turn > 0 && is_in_order {
                for (sample, [from, to]) in samples.iter_mut().zip(ends.as_chunks().0) {
                    sample.push((to - from) as f64);
                }
            }
        }
        Ok(())
    })?;
    let whole = samples.iter().map(Vec::len).min().unwrap_or(0);
    bench.count("answers", whole as f64, (CONNECTIONS - 1) as f64);
    let accepted = acceptor.counters().get(Counter::Turns);
    bench.count("connections.accepted", accepted as f64, CONNECTIONS as f64);
    for (name, sample) in of.names.iter().zip(samples) {
        bench.values_at(path.clone().with(of.parameter, name), sample);
    }
    acceptor.end()
}

/// Acknowledgement times from captured packets.
pub fn by_packets(bench: &mut Bench<'_>) -> Result<()> {
    let mut messages = Messages::new(1, bench.seed());
    let of = Captured {
        service: Service::Accept { bytes: 1 },
        last: Duration::ZERO,
        timestamps,
        parameter: "segment",
        names: &SEGMENTS,
    };
    captured(bench, &of, &mut |client| {
        inet::set_no_delay(client, true)?;
        send(client, Framing::Stream, messages.next_message())?;
        receive(client, Framing::Stream, &mut [0])
    })
}

choice! {
    /// An exchange of segments that makes or ends a connection.
    pub enum Phase {
        /// It is made.
        Setup = "setup",
        /// It ends.
        Teardown = "teardown",
    }
}

parameters! {
    /// The exchange of segments that makes or ends a connection.
    pub struct Handshake {
        /// Which.
        phase: Phase,
    }
}

/// The pause of a connection between its setup and its end, as in R3, 5.4.1.
const OPEN_FOR: Duration = Duration::from_millis(1);

/// From the first to the last segment of setup and teardown of connections without data, by captured packets.
pub fn handshakes(bench: &mut Bench<'_>) -> Result<()> {
    let names: Vec<&str> = Phase::ALL.iter().map(|phase| phase.name()).collect();
    let of = Captured {
        service: Service::Accept { bytes: 0 },
        // The last acknowledgement follows the end that the server has seen.
        last: OPEN_FOR,
        timestamps: ends_of_handshakes,
        parameter: "phase",
        names: &names,
    };
    captured(bench, &of, &mut |_| {
        std::thread::sleep(OPEN_FOR);
        Ok(())
    })
}

/// The first and the last segment of setup and teardown of one connection to this port: SYN and the acknowledgement of its SYN-ACK;
/// the client's FIN and the acknowledgement of the server's FIN.
fn ends_of_handshakes(captured: &[Segment], port: u16) -> Option<[i64; 4]> {
    let find = |is_wanted: &dyn Fn(&Segment) -> bool| captured.iter().find(|segment| is_wanted(segment));
    let syn = find(&|segment| segment.to == port && segment.syn)?;
    let fin = find(&|segment| segment.to == port && segment.fin)?;
    let answer = find(&|segment| segment.from == port && segment.syn)?;
    let other_fin = find(&|segment| segment.from == port && segment.fin)?;
    let [_, set_up] = acknowledged(captured, answer, 1)?;
    let [_, torn_down] = acknowledged(captured, other_fin, other_fin.data + 1)?;
    Some([syn.nanos, set_up, fin.nanos, torn_down])
}

/// Captures the segments of this port from now on.
fn capture(port: u16, path: &Point) -> Result<Capture> {
    let interfaces = if points::is_remote(path) { Interfaces::All } else { Interfaces::Loopback };
    let capture =
        Capture::new(port, interfaces).map_err(|error| Failure::of_call(error, Context::Packets))?;
    std::thread::sleep(Duration::from_millis(20));
    Ok(capture)
}

/// Connections of a trial; segments of a byte on each, the first of which does not count; and the pause before each.
///
/// The kernel acknowledges the first 16 segments of a connection while it receives them (TCP_MAX_QUICKACKS).
const TRAINS: usize = 3;
const PACED: usize = 13;
const PAUSE: Duration = Duration::from_millis(1);

/// Acknowledgement times of single bytes, a millisecond apart, to which the program at the other end gives no answer.
pub fn paced(bench: &mut Bench<'_>) -> Result<()> {
    let (mut samples, mut answers, mut read) = (Vec::new(), 0, 0);
    for _ in 0..TRAINS {
        let session = Session::tcp(bench, Service::Acknowledge { bytes: 1 }, Options::MESSAGES)?;
        let times = paced_train(bench, &session)?;
        inet::shutdown_write(session.client())?;
        read += session.join()?.get(Counter::Turns);
        answers += times.len();
        samples.extend(times.into_iter().skip(1));
    }
    let sent = (TRAINS * PACED) as f64;
    bench.count("answers", answers as f64, sent);
    bench.count("messages.read", read as f64, sent);
    bench.values(samples);
    Ok(())
}

/// The acknowledgement times of one connection.
fn paced_train(bench: &mut Bench<'_>, session: &Session) -> Result<Vec<f64>> {
    let [own, other] = inet::ports(session.client())?;
    let capture = capture(other, bench.point())?;
    let mut messages = Messages::new(1, bench.seed());
    let captured = bench.watched(|| {
        for _ in 0..PACED {
            std::thread::sleep(PAUSE);
            send(session.client(), Framing::Stream, messages.next_message())?;
        }
        std::thread::sleep(PAUSE * 10);
        Ok(capture.segments()?)
    })?;
    Ok(answered(&captured, own))
}

/// Nanoseconds from each segment with data from this port to the first that acknowledges it.
fn answered(captured: &[Segment], port: u16) -> Vec<f64> {
    let sent = captured.iter().filter(|segment| segment.from == port && segment.data > 0);
    let times = sent.filter_map(|sent| acknowledged(captured, sent, sent.data));
    times.map(|[sent, answered]| (answered - sent) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(nanos: i64, to: u16, sequence: u32, acknowledges: u32) -> Segment {
        Segment {
            nanos,
            from: 100 - to,
            to,
            sequence,
            acknowledges,
            data: 0,
            syn: false,
            fin: false,
            ack: true,
        }
    }

    #[test]
    fn each_segment_is_paired_with_its_acknowledgement() {
        let syn = Segment { syn: true, ack: false, ..segment(1, 80, 10, 0) };
        let data = Segment { data: 5, ..segment(4, 80, 11, 51) };
        let fin = Segment { fin: true, ..segment(8, 80, 16, 56) };
        let captured = [
            syn,
            segment(2, 20, 50, 11),
            segment(3, 80, 11, 51),
            data,
            segment(6, 20, 51, 16),
            fin,
            segment(7, 20, 51, 16),
            segment(9, 20, 56, 17),
        ];
        assert_eq!(timestamps(&captured, 80), Some([1, 2, 4, 6, 8, 9]));
        assert_eq!(timestamps(&captured[..6], 80), None);
    }

    #[test]
    fn handshakes_end_with_the_last_acknowledgement_of_the_client() {
        let syn = Segment { syn: true, ack: false, ..segment(1, 80, 10, 0) };
        let answer = Segment { syn: true, ..segment(2, 20, 50, 11) };
        let fin = Segment { fin: true, ..segment(8, 80, 11, 51) };
        let other_fin = Segment { fin: true, ..segment(10, 20, 51, 12) };
        let captured = [
            syn,
            answer,
            segment(3, 80, 11, 51),
            fin,
            segment(9, 20, 51, 12),
            other_fin,
            segment(12, 80, 12, 52),
        ];
        assert_eq!(ends_of_handshakes(&captured, 80), Some([1, 3, 8, 12]));
        assert_eq!(ends_of_handshakes(&captured[..6], 80), None);
    }

    #[test]
    fn segments_of_one_connection_are_paired_with_their_own_acknowledgements() {
        let byte = |nanos, sequence| Segment { data: 1, ..segment(nanos, 80, sequence, 51) };
        let other = Segment { from: 30, ..byte(2, 10) };
        let captured = [
            byte(1, 10),
            other,
            segment(4, 20, 51, 11),
            byte(5, 11),
            segment(7, 20, 51, 11),
            segment(12, 20, 51, 12),
            byte(20, 12),
        ];
        assert_eq!(answered(&captured, 20), [3.0, 7.0]);
    }
}
