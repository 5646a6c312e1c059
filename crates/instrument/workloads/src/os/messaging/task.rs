//! A task of a group: a sender, which writes to all receivers of the group, or a receiver.

use super::board::{Board, Counts};
use std::sync::Arc;
use sys::pipe::{Carrier, ReadEnd, WriteEnd, stream};
use sys::usage::{self, UsageScope};

/// Bytes of a message: those of hackbench and of `perf bench sched messaging`.
const MESSAGE: usize = 100;

/// What a message is filled with.
const FILLING: u8 = 0x5a;

/// Which message it is: the number of its sender within the group, and how many that has written to this receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    sender: u32,
    message: u32,
}

impl Number {
    /// Its first eight bytes; the last four repeat the number of the message.
    fn stamp(self, message: &mut [u8; MESSAGE]) {
        let words = [self.sender, self.message, self.message];
        for (at, word) in [0, 4, MESSAGE - 4].into_iter().zip(words) {
            if let Some(bytes) = message.get_mut(at..at + 4) {
                bytes.copy_from_slice(&word.to_ne_bytes());
            }
        }
    }

    /// That of a message; `None` where its beginning and its end differ.
    fn read(message: &[u8; MESSAGE]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_ne_bytes(message.get(at..at + 4)?.try_into().ok()?));
        let number = Self { sender: word(0)?, message: word(4)? };
        (word(MESSAGE - 4)? == number.message).then_some(number)
    }
}

/// What a task is, with the descriptors that only it has open.
pub(super) enum Role {
    /// A sender with the streams of all receivers; for each loop of a round it makes `share` loops.
    Sender { number: u32, to: Arc<Vec<WriteEnd>>, share: u64 },
    /// The receiver of a stream from this number of senders.
    Receiver { from: ReadEnd, senders: u64 },
}

impl Role {
    /// The roles of a group: first its receivers, then as many senders, of which every `one_in`th sends for the others, too.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub(super) fn of_group(carrier: Carrier, descriptors: u64, one_in: u64) -> sys::Result<Vec<Self>> {
        let (mut roles, mut to) = (Vec::new(), Vec::new());
        for _ in 0..descriptors {
            let (from, end) = stream(carrier)?;
            roles.push(Self::Receiver { from, senders: descriptors });
            to.push(end);
        }
        let to = Arc::new(to);
        roles.extend((0..descriptors).map(|number| Self::Sender {
            number: number as u32,
            to: Arc::clone(&to),
            share: if number.is_multiple_of(one_in) { one_in } else { 0 },
        }));
        Ok(roles)
    }

    /// Sends or receives until there is no round any more; then reports what it counted.
    ///
    /// # Errors
    /// When a call fails.
    pub(super) fn act(self, board: &Board, task: usize, scope: UsageScope) -> sys::Result<()> {
        let counts = match self {
            Self::Sender { number, to, share } => send(board, number, &to, share),
            Self::Receiver { from, senders } => receive(board, &from, senders),
        }?;
        let switches = usage::read(scope).map_or(0, |usage| usage.switches().unsigned_abs());
        board.report(task, Counts { switches, ..counts });
        Ok(())
    }
}

fn send(board: &Board, sender: u32, to: &[WriteEnd], share: u64) -> sys::Result<Counts> {
    let mut bytes = [FILLING; MESSAGE];
    let mut number = Number { sender, message: 0 };
    let mut counts = Counts::default();
    let mut round = 0;
    while let Some(next) = board.next_round(round)? {
        round = next;
        for _ in 0..board.loops() * share {
            number.message = number.message.wrapping_add(1);
            number.stamp(&mut bytes);
            for end in to {
                end.descriptor().write_all(&bytes)?;
            }
            counts.messages += to.len() as u64;
        }
    }
    counts.bytes = counts.messages * MESSAGE as u64;
    Ok(counts)
}

fn receive(board: &Board, from: &ReadEnd, senders: u64) -> sys::Result<Counts> {
    let mut bytes = [0; MESSAGE];
    let mut last = vec![0_u32; usize::try_from(senders).unwrap_or(0)];
    let mut counts = Counts::default();
    let (mut received, mut right) = (0, 0);
    loop {
        match from.fill(&mut bytes)? {
            0 => return Ok(counts),
            MESSAGE => {}
            _ => return Err(sys::Error { call: "read", errno: 0 }),
        }
        counts.messages += 1;
        counts.bytes += MESSAGE as u64;
        received += 1;
        right += u64::from(Number::read(&bytes).is_some_and(|number| is_next(&mut last, number)));
        // The number of loops is that of the round whose first message has arrived.
        if received == senders * board.loops() {
            board.complete(right)?;
            (received, right) = (0, 0);
        }
    }
}

/// Whether a message follows the last one of its sender, which it becomes.
fn is_next(last: &mut [u32], number: Number) -> bool {
    let Some(last) = last.get_mut(number.sender as usize) else { return false };
    let is_next = number.message == last.wrapping_add(1);
    *last = number.message;
    is_next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_number_at_both_ends() {
        let number = Number { sender: 3, message: 70_000 };
        let mut bytes = [FILLING; MESSAGE];
        number.stamp(&mut bytes);
        assert_eq!(Number::read(&bytes), Some(number));
        bytes[MESSAGE - 1] ^= 1;
        assert_eq!(Number::read(&bytes), None);
    }

    #[test]
    fn lost_and_repeated_messages_are_wrong() {
        let mut last = vec![0, 5];
        let mut is_right = |sender, message| is_next(&mut last, Number { sender, message });
        assert!(is_right(0, 1) && is_right(1, 6) && is_right(0, 2));
        assert!(!is_right(0, 2), "repeated");
        assert!(!is_right(1, 8), "one is lost");
        assert!(!is_right(2, 1), "of no sender");
    }
}
