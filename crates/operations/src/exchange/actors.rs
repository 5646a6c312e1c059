//! Who exchanges: two processes or two threads, and how a batch of round trips is counted and timed.

use super::{Alone, Mechanism, Setting, Side, Sides};
use measure::{Bench, Failure, Work};
use std::sync::atomic::Ordering;
use sys::memory::Mapping;
use sys::process::Actor;
use sys::usage::{CpuClock, Usage, Whose};

/// Words of round trips count from 1 to this; the ones above have a meaning.
const LAST_TURN: u8 = 200;
/// A word that asks for the partner's usage in the shared page.
const TELL: u8 = 254;
/// A word that ends the partner.
const QUIT: u8 = 255;

/// The leading side, which knows the turn.
struct Lead<S: Side> {
    side: S,
    turn: u8,
}

impl<S: Side> Lead<S> {
    /// `n` round trips; gives how many words came back right. Consecutive words differ, so that an answer that
    /// is a turn late is a wrong one.
    fn round_trips(&mut self, n: u64) -> Result<u64, Failure> {
        let mut right = 0;
        self.side.begin()?;
        for _ in 0..n {
            self.turn = self.turn % LAST_TURN + 1;
            self.side.send(self.turn)?;
            right += u64::from(self.side.receive()? == self.turn);
        }
        self.side.end()?;
        Ok(right)
    }

    /// One more round trip, which asks for something.
    fn ask(&mut self, word: u8) -> Result<(), Failure> {
        self.side.begin()?;
        self.side.send(word)?;
        let answer = self.side.receive()?;
        self.side.end()?;
        if answer == word {
            Ok(())
        } else {
            Err(Failure::Failed(format!(
                "the partner answered {answer} to {word}"
            )))
        }
    }

    /// Ends the partner, whatever happened.
    fn quit(&mut self) -> Result<(), Failure> {
        self.side.begin()?;
        Ok(self.side.send(QUIT)?)
    }
}

/// Sends every word back until it is told to end; gives whether that was asked for.
fn answer(side: &mut impl Side, mut tell: impl FnMut()) -> bool {
    if side.enter().is_err() {
        return false;
    }
    while let Ok(word) = side.receive() {
        match word {
            QUIT => return true,
            TELL => tell(),
            _ => {}
        }
        if side.send(word).is_err() {
            return false;
        }
    }
    false
}

fn setting(bench: &Bench<'_>, between_processes: bool) -> Setting {
    let bytes = bench.point().size("bytes").ok();
    Setting {
        between_processes,
        bytes: bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(1),
        seed: bench.seed(),
    }
}

/// `n` times the calls of a round trip by one task, which sends and receives as often as both sides do.
fn turns_alone(alone: &mut impl Alone, n: u64) -> Result<u64, Failure> {
    let mut right = 0;
    for turn in 0..n {
        let word = (turn % u64::from(LAST_TURN)) as u8 + 1;
        right += u64::from(alone.once(word)? == word) & u64::from(alone.once(word)? == word);
    }
    Ok(right)
}

fn batches<M: Mechanism>(
    bench: &mut Bench<'_>,
    lead: &mut Lead<M::Side>,
    control: Option<&mut M::Alone>,
    cpu: Vec<CpuClock>,
    tell: Option<&Mapping>,
) -> Result<(), Failure> {
    // Both the round trips and the question use the leading side, one after the other.
    let lead = std::cell::RefCell::new(lead);
    let mut main = |n| lead.borrow_mut().round_trips(n);
    let mut others = || {
        lead.borrow_mut().ask(TELL)?;
        Ok(tell.map_or_else(Usage::default, told))
    };
    let mut alone = control.map(|control| move |n| turns_alone(control, n));
    bench.batches(Work {
        main: &mut main,
        control: alone.as_mut().map(|alone| alone as _),
        multiple_of: M::MULTIPLE_OF,
        cpu,
        others: tell.is_some().then_some(&mut others as _),
        before: None,
        side_by_side: false,
    })
}

/// Batches of round trips between two processes, in turns with the same calls by one task.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn processes<M: Mechanism>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    between_processes::<M>(bench, true)
}

/// Batches of round trips between two processes.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn round_trips<M: Mechanism>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    between_processes::<M>(bench, false)
}

fn between_processes<M: Mechanism>(bench: &mut Bench<'_>, compare: bool) -> Result<(), Failure> {
    let Sides {
        lead,
        answer: mut their_side,
        mut alone,
    } = M::sides(setting(bench, true))?;
    let page = Mapping::shared(64)?;
    let their_page = &page;
    // Their side is moved into the child: here it is dropped, so that an end of it that they lose is closed.
    let partner = Actor::spawn(bench.peer_cpu(), move || {
        i32::from(!answer(&mut their_side, || tell(their_page)))
    })?;
    let mut lead = Lead { side: lead, turn: 0 };
    let cpu = vec![CpuClock::THREAD, CpuClock::of_process(partner.pid())];
    let control = compare.then_some(&mut alone);
    batches::<M>(bench, &mut lead, control, cpu, Some(&page))?;
    lead.quit()?;
    partner.join()?;
    Ok(())
}

/// Batches of round trips between two threads, in turns with the same calls by one task.
///
/// # Errors
/// When the partner cannot be made.
pub fn threads<M: Mechanism>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let Sides {
        lead,
        answer: mut their_side,
        mut alone,
    } = M::sides(setting(bench, false))?;
    let mut lead = Lead { side: lead, turn: 0 };
    let peer_cpu = bench.peer_cpu();
    let act = move || {
        answer(&mut their_side, || {});
    };
    sys::thread::beside(peer_cpu, act, || {
        let cpu = vec![CpuClock::PROCESS];
        let result = batches::<M>(bench, &mut lead, Some(&mut alone), cpu, None);
        // The partner must end whatever happened here.
        let ended = lead.quit();
        result.and(ended)
    })?
}

/// Puts what the kernel counted for this process into the shared page.
fn tell(page: &Mapping) {
    let usage = sys::usage::read(Whose::Process).unwrap_or_default();
    for (word, count) in page.words().iter().zip([usage.voluntary, usage.involuntary]) {
        word.store(count.cast_unsigned(), Ordering::Release);
    }
}

/// What the partner told.
fn told(page: &Mapping) -> Usage {
    let word = |index: usize| {
        let word = page.words().get(index);
        word.map_or(0, |word| word.load(Ordering::Acquire).cast_signed())
    };
    Usage {
        voluntary: word(0),
        involuntary: word(1),
        ..Usage::default()
    }
}
