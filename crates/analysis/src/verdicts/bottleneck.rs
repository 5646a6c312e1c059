//! What bounds a stream, by what was counted at both its ends.

use crate::rows::row::{Note, NoteKind, Row};
use quantity::{Quantity, show_percent};

/// A CPU of which an end has this share is full.
const FULL: f64 = 0.9;
/// What holds a sender back for this share of its time holds it back for the most of it.
const MOST: f64 = 0.5;

/// The shares that were counted, where they were.
struct Shares {
    receiver: Option<f64>,
    sender: Option<f64>,
    window: Option<f64>,
    buffer: Option<f64>,
}

/// A remark on what bounds the stream of a row; `None` where its ends were not watched, and of rows that tell something
/// else of a stream than its bandwidth.
pub(crate) fn held_back(row: &Row) -> Option<Note> {
    if row.quantity() != Quantity::Bandwidth {
        return None;
    }
    let share = |counter: &str| {
        let judged = row.witnesses.iter();
        let mut of_it = judged.filter(|judged| judged.witness.counter == counter);
        of_it.next()?.counted
    };
    let shares = Shares {
        receiver: share("cpu.receiver"),
        sender: share("cpu.sender"),
        window: share("limited.window"),
        buffer: share("limited.buffer"),
    };
    let is_remote = has(row, "path=remote");
    // Where no place of the other end is named, it is that of the worker.
    let is_on_one_cpu = has(row, "cpu=same") || !row.point.id.point.contains("cpu=");
    let brief = shares.bound(is_on_one_cpu && !is_remote, is_remote)?;
    Some(Note {
        kind: NoteKind::HeldBack,
        text: format!("what bounds it: {brief}"),
        brief,
    })
}

/// Whether a point has this parameter.
fn has(row: &Row, parameter: &str) -> bool {
    row.point.id.point.split(' ').any(|word| word == parameter)
}

impl Shares {
    fn bound(&self, is_on_one_cpu: bool, is_remote: bool) -> Option<String> {
        if let (Some(receiver), Some(sender)) = (self.receiver, self.sender) {
            let both = format!(
                "receiver {}, sender {}",
                show_percent(receiver),
                show_percent(sender)
            );
            let name = match (receiver >= FULL, sender >= FULL) {
                (true, true) => Some("the CPUs of both ends"),
                (true, false) => Some("the receiver's CPU"),
                (false, true) => Some("the sender's CPU"),
                (false, false) if is_on_one_cpu && receiver + sender >= FULL => {
                    Some("the CPU that both ends share")
                }
                _ => None,
            };
            if let Some(name) = name {
                return Some(format!("{name} ({both})"));
            }
        }
        let rest = self.held_back().or_else(|| self.neither(is_remote))?;
        // Ends of a path may share a CPU all the same: in two namespaces, or in two guests.
        let sum = self.receiver.zip(self.sender).map(|(one, other)| one + other);
        let may_share = is_remote && sum.is_some_and(|sum| (FULL..=2.0 - FULL).contains(&sum));
        Some(if may_share {
            format!("one CPU, if both ends are on one machine, or else {rest}")
        } else {
            rest
        })
    }

    /// By the window or the buffer. Without the CPU of the end that they are of it is not said: a receiver that waits for
    /// its CPU has a full window, too.
    fn held_back(&self) -> Option<String> {
        let named = [
            (
                "the receiver's window",
                self.window.filter(|_| self.receiver.is_some()),
            ),
            (
                "the sender's buffer",
                self.buffer.filter(|_| self.sender.is_some()),
            ),
        ];
        let mut most = named
            .into_iter()
            .filter_map(|(name, share)| Some((name, share.filter(|share| *share >= MOST)?)));
        let (name, share) = most.next()?;
        Some(format!("{name} ({} of the time)", show_percent(share)))
    }

    /// What is left when neither CPU is full and nothing at the ends holds it back; said only where all was counted.
    fn neither(&self, is_remote: bool) -> Option<String> {
        let shares = [
            ("receiver", self.receiver?),
            ("sender", self.sender?),
            ("window", self.window?),
        ];
        let said = shares.map(|(name, share)| format!("{name} {}", show_percent(share)));
        let what = if is_remote {
            "what lies between the ends: the link, or the control of congestion"
        } else {
            "the ends wait for each other to wake"
        };
        Some(format!("{what} ({})", said.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(shares: [Option<f64>; 4], one: bool, remote: bool) -> String {
        let [receiver, sender, window, buffer] = shares;
        let shares = Shares {
            receiver,
            sender,
            window,
            buffer,
        };
        shares.bound(one, remote).unwrap_or_default()
    }

    #[test]
    fn a_full_cpu_comes_first() {
        let said = bound([Some(0.97), Some(0.4), Some(0.8), Some(0.0)], false, true);
        assert_eq!(said, "the receiver's CPU (receiver 97 %, sender 40 %)");
        let said = bound([Some(0.45), Some(0.53), Some(0.0), None], true, false);
        assert_eq!(said, "the CPU that both ends share (receiver 45 %, sender 53 %)");
    }

    #[test]
    fn then_what_the_kernel_says_and_then_what_is_left() {
        let said = bound([Some(0.1), Some(0.1), Some(0.8), Some(0.0)], false, true);
        assert_eq!(said, "the receiver's window (80 % of the time)");
        let said = bound([Some(0.2), Some(0.3), Some(0.1), Some(0.7)], false, true);
        assert_eq!(said, "the sender's buffer (70 % of the time)");
        let said = bound([Some(0.12), Some(0.08), Some(0.0), Some(0.0)], false, true);
        assert!(said.starts_with("what lies between the ends"), "{said}");
        let said = bound([Some(0.48), Some(0.52), Some(0.0), Some(0.0)], false, true);
        assert!(said.starts_with("one CPU, if"), "{said}");
        let said = bound([Some(0.6), Some(0.7), Some(0.0), Some(0.0)], false, false);
        assert!(said.starts_with("the ends wait"), "{said}");
    }

    #[test]
    fn what_was_not_counted_is_not_said() {
        assert_eq!(bound([Some(0.1), None, Some(0.0), Some(0.0)], false, true), "");
        assert_eq!(bound([None, None, Some(0.9), Some(0.9)], false, true), "");
        assert_eq!(bound([None; 4], false, false), "");
    }
}
