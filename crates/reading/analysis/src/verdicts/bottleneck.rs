//! What limits the bandwidth of a stream, by what was counted at both its ends.

use crate::rows::note::{Bottleneck, Limit, Note, StreamShares};
use crate::rows::row::Judged;
use crate::thresholds::{FULL_CPU, LIMITED_SHARE};
use quantity::Quantity;
use record::PlannedPoint;

/// What limits the stream of a point; `None` where its ends were not watched, and of points that say something else of a
/// stream than its bandwidth.
pub(crate) fn bottleneck(point: &PlannedPoint, witnesses: &[Judged]) -> Option<Note> {
    if point.quantity != Quantity::Bandwidth {
        return None;
    }
    let [receiver, sender, window, buffer] =
        ["cpu.receiver", "cpu.sender", "limited.window", "limited.buffer"]
            .map(|counter| witnesses.iter().find(|judged| judged.witness.counter == counter)?.counted);
    let shares = StreamShares { receiver, sender, window, buffer };
    let id = &point.id;
    let is_remote = id.has("path=remote");
    // Where no CPU of the other end is named, it is that of the worker.
    let is_on_one_cpu = id.has("cpu=same") || !id.point.contains("cpu=");
    limit(shares, is_on_one_cpu && !is_remote, is_remote).map(Note::Bottleneck)
}

fn limit(shares: StreamShares, is_on_one_cpu: bool, is_remote: bool) -> Option<Bottleneck> {
    if let Some(limit) = by_cpu(&shares, is_on_one_cpu) {
        return Some(Bottleneck { limit, may_share_cpu: false, shares });
    }
    let limit = by_sender(&shares).or_else(|| by_neither(&shares, is_remote))?;
    // Ends of a path may share a CPU all the same: in two namespaces, or in two guests.
    let sum = shares.receiver.zip(shares.sender).map(|(one, other)| one + other);
    let may_share_cpu = is_remote && sum.is_some_and(|sum| (FULL_CPU..=2.0 - FULL_CPU).contains(&sum));
    Some(Bottleneck { limit, may_share_cpu, shares })
}

fn by_cpu(shares: &StreamShares, is_on_one_cpu: bool) -> Option<Limit> {
    let (receiver, sender) = (shares.receiver?, shares.sender?);
    match (receiver >= FULL_CPU, sender >= FULL_CPU) {
        (true, true) => Some(Limit::BothCpus),
        (true, false) => Some(Limit::ReceiverCpu),
        (false, true) => Some(Limit::SenderCpu),
        // A receiver that waits for that CPU has a full window, so nothing else can be said, also where other programs have the rest.
        (false, false) => is_on_one_cpu.then_some(Limit::SharedCpu),
    }
}

/// The window or the buffer. Without the CPU of the end that they are of nothing is said: a receiver that waits for its CPU
/// has a full window, too.
fn by_sender(shares: &StreamShares) -> Option<Limit> {
    let causes = [
        (Limit::Window, shares.receiver.and(shares.window)),
        (Limit::Buffer, shares.sender.and(shares.buffer)),
    ];
    let cause = causes.into_iter().find(|(_, share)| share.is_some_and(|share| share >= LIMITED_SHARE));
    cause.map(|(limit, _)| limit)
}

/// What is left when neither CPU is full and the sender never waits; said only where all was counted.
fn by_neither(shares: &StreamShares, is_remote: bool) -> Option<Limit> {
    shares.receiver.and(shares.sender).and(shares.window)?;
    Some(if is_remote { Limit::Path } else { Limit::WakeUps })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use record::{PointId, Witness};

    fn limit(shares: [Option<f64>; 4], one: bool, remote: bool) -> Option<(Limit, bool)> {
        let [receiver, sender, window, buffer] = shares;
        let shares = StreamShares { receiver, sender, window, buffer };
        let found = super::limit(shares, one, remote)?;
        Some((found.limit, found.may_share_cpu))
    }

    #[test]
    fn full_cpu_comes_before_window_and_buffer_and_these_before_the_path() {
        for (shares, is_on_one_cpu, is_remote, expected) in [
            ([0.97, 0.4, 0.8, 0.0], false, true, (Limit::ReceiverCpu, false)),
            ([0.4, 0.97, 0.8, 0.0], false, true, (Limit::SenderCpu, false)),
            ([0.9, 0.9, 0.8, 0.0], false, true, (Limit::BothCpus, false)),
            ([0.45, 0.53, 0.0, 0.0], true, false, (Limit::SharedCpu, false)),
            ([0.3, 0.2, 1.0, 0.0], true, false, (Limit::SharedCpu, false)),
            ([0.1, 0.1, 0.8, 0.0], false, true, (Limit::Window, false)),
            ([0.2, 0.3, 0.1, 0.7], false, true, (Limit::Buffer, false)),
            ([0.12, 0.08, 0.0, 0.0], false, true, (Limit::Path, false)),
            ([0.48, 0.52, 0.0, 0.0], false, true, (Limit::Path, true)),
            ([0.6, 0.7, 0.0, 0.0], false, false, (Limit::WakeUps, false)),
        ] {
            assert_eq!(limit(shares.map(Some), is_on_one_cpu, is_remote), Some(expected), "{shares:?}");
        }
    }

    #[test]
    fn without_counts_nothing_is_said() {
        assert_eq!(limit([Some(0.1), None, Some(0.0), Some(0.0)], false, true), None);
        assert_eq!(limit([None, None, Some(0.9), Some(0.9)], false, true), None);
        assert_eq!(limit([None; 4], false, false), None);
    }

    #[test]
    fn sum_of_two_whole_cpus_is_not_one_cpu_shared() {
        for (one, may_share) in [(0.44, false), (0.45, true), (0.55, true), (0.56, false), (0.6, false)] {
            let found = limit([Some(one), Some(one), Some(0.0), None], false, true);
            assert_eq!(found, Some((Limit::Path, may_share)), "{one}");
        }
    }

    fn planned(point: &str, quantity: Quantity) -> PlannedPoint {
        PlannedPoint { quantity, ..PlannedPoint::new(PointId::new("network.tcp.bandwidth", point)) }
    }

    #[test]
    fn ends_share_a_cpu_unless_another_is_named_or_they_are_on_two_machines() {
        let counts = [("limited.window", 0.0), ("cpu.sender", 0.53), ("cpu.receiver", 0.45)];
        let witnesses = counts.map(|(counter, count)| Judged {
            witness: Witness { counter: counter.to_owned(), ..Witness::default() },
            counted: Some(count),
            ..Judged::default()
        });
        for (point, expected, may_share_cpu) in [
            ("path=loopback cpu=same", Limit::SharedCpu, false),
            ("path=loopback", Limit::SharedCpu, false),
            ("path=loopback cpu=other", Limit::WakeUps, false),
            ("path=remote", Limit::Path, true),
            ("path=remote cpu=same", Limit::Path, true),
        ] {
            let planned = planned(point, Quantity::Bandwidth);
            let Some(Note::Bottleneck(found)) = bottleneck(&planned, &witnesses) else {
                panic!("{point}");
            };
            assert_eq!((found.limit, found.may_share_cpu), (expected, may_share_cpu), "{point}");
            let shares =
                StreamShares { receiver: Some(0.45), sender: Some(0.53), window: Some(0.0), buffer: None };
            assert_eq!(found.shares, shares);
        }
        assert_eq!(bottleneck(&planned("path=loopback", Quantity::Latency), &witnesses), None);
    }
}
