//! What the tasks of all groups share: rounds, how far they are, and what each of them counted.

use crate::shared_words::SharedWords;
use measure::{Failure, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use sys::clock::Clock;
use sys::futex::{self, Scope};
use sys::memory::Mapping;
use sys::process::no_child_error;

/// Words of two adjacent cache lines, since some processors fetch lines in pairs.
const LINE: usize = 16;

/// Lines of all: messages of each sender to each receiver in this round, and messages that arrived right. Then follows one of
/// each task.
const LOOPS: usize = 0;
const RIGHT: usize = LINE;
const FIRST_TASK: usize = 2;

/// Words of a task's line.
const MESSAGES: usize = 0;
const BYTES: usize = 1;
const SWITCHES: usize = 2;

/// The futexes, each in lines of its own: the number of the round, and receivers that have all messages of it.
const ROUND: usize = 0;
const COMPLETE: usize = 2 * LINE;
const FUTEX_BYTES: usize = 4 * 4 * LINE;

/// The number of the round that ends the tasks.
const QUIT: u32 = u32::MAX;

/// Time after which a round is looked at that is not complete: an error of a task ends it.
const LOOK: Duration = Duration::from_millis(50);

/// Choice: the longest round, in nanoseconds. One of ten groups takes up to 1.5 s on one CPU.
const TIMEOUT_NS: i64 = 20_000_000_000;

/// What a task counted: messages that it wrote or read, their bytes, and how often it gave up its CPU or lost it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::os) struct Counts {
    pub(in crate::os) messages: u64,
    pub(in crate::os) bytes: u64,
    pub(in crate::os) switches: u64,
}

impl Counts {
    pub(in crate::os) fn plus(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            bytes: self.bytes + other.bytes,
            switches: self.switches + other.switches,
        }
    }
}

/// Memory that all tasks share.
pub(in crate::os) struct Board {
    words: SharedWords,
    futexes: Mapping,
    receivers: u32,
}

/// The error of a futex call, unless the word had changed, a signal came, or the time was over.
fn check_wait(result: isize) -> sys::Result<()> {
    match result {
        futex::CHANGED | futex::TIMED_OUT | futex::INTERRUPTED => Ok(()),
        other => sys::Error::check("futex", other).map(|_| ()),
    }
}

impl Board {
    pub(in crate::os) fn new(tasks: usize, receivers: u32) -> Result<Self> {
        let words = SharedWords::new((FIRST_TASK + tasks) * LINE)?;
        Ok(Self { words, futexes: Mapping::shared(FUTEX_BYTES)?, receivers })
    }

    fn futex(&self, at: usize) -> &AtomicU32 {
        static UNUSED: AtomicU32 = AtomicU32::new(0);
        self.futexes.short_words().get(at).unwrap_or(&UNUSED)
    }

    /// Messages of each sender to each receiver in this round.
    pub(in crate::os) fn loops(&self) -> u64 {
        self.words.get(LOOPS)
    }

    /// Waits until a round begins that is not this one; `None` when there is none any more.
    pub(in crate::os) fn next_round(&self, last: u32) -> sys::Result<Option<u32>> {
        loop {
            match self.futex(ROUND).load(Ordering::Acquire) {
                QUIT => return Ok(None),
                round if round != last => return Ok(Some(round)),
                _ => check_wait(futex::wait(self.futex(ROUND), last, Scope::Shared))?,
            }
        }
    }

    /// A receiver has all messages of the round, as many of them right; the last one wakes who waits for all.
    pub(in crate::os) fn complete(&self, right: u64) -> sys::Result<()> {
        self.words.word(RIGHT).fetch_add(right, Ordering::AcqRel);
        let complete = self.futex(COMPLETE).fetch_add(1, Ordering::AcqRel) + 1;
        if complete == self.receivers {
            sys::Error::check("futex", futex::wake_one(self.futex(COMPLETE), Scope::Shared))?;
        }
        Ok(())
    }

    /// A round: every sender writes this number of messages to every receiver. Gives how many arrived right.
    ///
    /// # Errors
    /// When a task had an error, or the round takes too long.
    pub(in crate::os) fn round(&self, loops: u64) -> Result<u64> {
        self.words.set(LOOPS, loops);
        self.words.set(RIGHT, 0);
        self.futex(COMPLETE).store(0, Ordering::Release);
        self.futex(ROUND).fetch_add(1, Ordering::AcqRel);
        sys::Error::check("futex", futex::wake_all(self.futex(ROUND), Scope::Shared))?;
        let clock = Clock::select();
        let start = clock.moment();
        loop {
            let complete = self.futex(COMPLETE).load(Ordering::Acquire);
            if complete == self.receivers {
                return Ok(self.words.get(RIGHT));
            }
            no_child_error()?;
            if clock.moment().nanos_since(start) > TIMEOUT_NS {
                let reason = format!("{complete} of {} receivers have their messages", self.receivers);
                return Err(Failure::failed(format!("timeout: {reason}")));
            }
            check_wait(futex::wait_at_most(self.futex(COMPLETE), complete, Scope::Shared, LOOK))?;
        }
    }

    /// Ends the senders; receivers end when no sender has their stream open.
    pub(in crate::os) fn quit(&self) {
        self.futex(ROUND).store(QUIT, Ordering::Release);
        // Where the call is denied nobody sleeps by it either.
        let _ = futex::wake_all(self.futex(ROUND), Scope::Shared);
    }

    /// Keeps what a task counted.
    pub(in crate::os) fn report(&self, task: usize, counts: Counts) {
        let Counts { messages, bytes, switches } = counts;
        let line = (FIRST_TASK + task) * LINE;
        for (word, count) in [(MESSAGES, messages), (BYTES, bytes), (SWITCHES, switches)] {
            self.words.set(line + word, count);
        }
    }

    /// What a task has reported.
    pub(in crate::os) fn reported(&self, task: usize) -> Counts {
        let [messages, bytes, switches] =
            [MESSAGES, BYTES, SWITCHES].map(|word| self.words.get((FIRST_TASK + task) * LINE + word));
        Counts { messages, bytes, switches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_when_every_receiver_has_its_messages() {
        let board = Board::new(3, 2).unwrap();
        let right = std::thread::scope(|scope| {
            for right in [3, 4] {
                let board = &board;
                scope.spawn(move || {
                    assert!(board.next_round(0).unwrap().is_some());
                    assert_eq!(board.loops(), 7);
                    board.complete(right).unwrap();
                });
            }
            board.round(7).map_err(|failure| failure.to_string())
        });
        assert_eq!(right, Ok(7));
    }

    #[test]
    fn no_round_begins_after_the_end() {
        let board = Board::new(1, 1).unwrap();
        board.quit();
        assert_eq!(board.next_round(0), Ok(None));
    }

    #[test]
    fn counts_of_tasks_are_kept_apart() {
        let board = Board::new(2, 1).unwrap();
        let counts = Counts { messages: 1, bytes: 2, switches: 3 };
        board.report(1, counts);
        assert_eq!([board.reported(0), board.reported(1)], [Counts::default(), counts]);
    }
}
