//! Round trips: between two processes, to a peer, and both halves by one task.

use super::{Echo, Kind, Messages, length, receive, send};
use crate::network::workloads::options::{Congestion, Options};
use crate::network::workloads::services::{Entry, QUIT, Service};
use crate::network::workloads::session::{Session, unreachable};
use measure::{Bench, Failure, Work};
use sys::descriptor::Descriptor;
use sys::inet;
use sys::tcp_info::{self, TcpInfo};
use sys::usage::Usage;

/// Bytes up to which a message is one segment and comes by one read: half of the window with which a connection
/// begins.
const ONE_SEGMENT: u64 = 32_768;

/// What TCP_INFO counted over so many round trips.
fn tell_segments(bench: &mut Bench<'_>, before: TcpInfo, after: TcpInfo, turns: u64, far: u64) {
    let turns = turns as f64;
    let counts = [
        ("segments.out", after.data_segments_out - before.data_segments_out),
        ("segments.in", after.data_segments_in - before.data_segments_in),
        (
            "segments.without_data",
            (after.segments_out - before.segments_out)
                .saturating_sub(after.data_segments_out - before.data_segments_out),
        ),
    ];
    for (counter, count) in counts {
        bench.count(counter, f64::from(count), turns);
    }
    // Of several segments on their way the last is sent again when its acknowledgement is late, lost or not (RFC 8985).
    let is_probed = bench.point().size("bytes").is_ok_and(|bytes| bytes > ONE_SEGMENT);
    bench.count(
        "retransmissions",
        f64::from(after.retransmissions) + far as f64,
        if is_probed { turns } else { 1.0 },
    );
}

/// Batches of round trips with a service that echoes.
fn echoes(bench: &mut Bench<'_>, session: &Session, echo: &mut Echo<'_>) -> Result<(), Failure> {
    // Both the round trips and the question use the near end, one after the other.
    let echo = std::cell::RefCell::new(echo);
    let mut main = |n| echo.borrow_mut().round_trips(n);
    // A peer's usage is not asked for.
    let mut others = || -> Result<Usage, Failure> { echo.borrow_mut().usage(session.ledger()) };
    let others: Option<&mut dyn FnMut() -> Result<Usage, Failure>> = match session.is_remote() {
        true => None,
        false => Some(&mut others),
    };
    bench.batches(Work {
        main: &mut main,
        before: None,
        control: None,
        multiple_of: 1,
        cpu: session.clocks(),
        side_by_side: false,
        others,
    })
}

/// Round trips over TCP.
///
/// # Errors
/// As [`tcp_with`].
pub fn tcp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    tcp_with(bench, Options::MESSAGES)
}

/// Round trips over TCP with these options.
///
/// # Errors
/// When there is no way to the other end, or it is lost.
pub fn tcp_with(bench: &mut Bench<'_>, options: Options) -> Result<(), Failure> {
    let bytes = length(bench)?;
    let session = Session::tcp(bench, Service::EchoStream { bytes }, options)?;
    let mut echo = Echo::new(session.near(), Kind::Stream, bytes as usize, bench.seed());
    // The first one is over before anything is counted: the far end is there and has chosen its options.
    echo.round_trips(1)?;
    let (before, began) = (tcp_info::read(session.near())?, echo.turns());
    echoes(bench, &session, &mut echo)?;
    let after = tcp_info::read(session.near())?;
    let turns = echo.turns() - began;
    bench.count(
        "no_delay",
        f64::from(u8::from(inet::no_delay(session.near())?)),
        1.0,
    );
    inet::shutdown_write(session.near())?;
    let ledger = session.join_and_tell(bench)?;
    tell_segments(bench, before, after, turns, ledger.get(Entry::Retransmissions));
    Ok(())
}

/// Round trips over UDP.
///
/// # Errors
/// As [`tcp_with`].
pub fn udp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = length(bench)?;
    let session = Session::udp(bench, Service::EchoDatagrams { bytes })?;
    let mut echo = Echo::new(session.near(), Kind::Datagrams, bytes as usize, bench.seed());
    echoes(bench, &session, &mut echo)?;
    session.near().write_all(&[QUIT])?;
    session.join().map(|_| ())
}

/// Messages that one task sends and takes, in both directions in turns.
fn by_one_task(
    bench: &mut Bench<'_>,
    kind: Kind,
    near: &Descriptor,
    far: &Descriptor,
) -> Result<u64, Failure> {
    let mut messages = Messages::new(length(bench)? as usize, bench.seed());
    let mut into = vec![1; messages.bytes()];
    let mut turns = 0;
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            let mut both = true;
            for (from, to) in [(near, far), (far, near)] {
                let message = messages.next();
                send(from, kind, message)?;
                receive(to, kind, &mut into)?;
                both &= into == message;
            }
            right += u64::from(both);
        }
        turns += n;
        Ok(right)
    })?;
    Ok(turns)
}

/// Both halves of a round trip over TCP.
///
/// # Errors
/// When there is no loopback interface.
pub fn tcp_by_one_task(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let listener = Options::MESSAGES.listen(false).map_err(unreachable)?;
    let near = Options::MESSAGES
        .connect(listener.address())
        .map_err(unreachable)?;
    let far = listener.accept()?;
    let before = tcp_info::read(&near)?;
    let turns = by_one_task(bench, Kind::Stream, &near, &far)?;
    let (after, again) = (tcp_info::read(&near)?, tcp_info::read(&far)?.retransmissions);
    tell_segments(bench, before, after, turns, u64::from(again));
    inet::reset_when_closed(&near)?;
    Ok(())
}

/// Both halves of a round trip over UDP.
///
/// # Errors
/// As [`tcp_by_one_task`].
pub fn udp_by_one_task(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pair = inet::udp_pair(false).map_err(unreachable)?;
    by_one_task(bench, Kind::Datagrams, &pair.near, &pair.far).map(|_| ())
}

/// Messages of 64 bytes in two writes, with Nagle on.
///
/// # Errors
/// As [`tcp_with`].
pub fn in_two_writes(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let options = Options {
        no_delay: false,
        congestion: Congestion::ByLoss,
    };
    let session = Session::tcp(bench, Service::EchoStream { bytes: 64 }, options)?;
    let mut messages = Messages::new(64, bench.seed());
    let mut into = [0; 64];
    let near = session.near();
    bench.each_beside(session.far_clock(), &mut || {
        let message = messages.next();
        let (first, second) = message.split_at(32);
        send(near, Kind::Stream, first)?;
        send(near, Kind::Stream, second)?;
        receive(near, Kind::Stream, &mut into)?;
        Ok(u64::from(into == message))
    })?;
    inet::shutdown_write(near)?;
    session.join().map(|_| ())
}
