//! The actors of an exchange, two processes or two threads, and batches of their round trips.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result, Work, parameters};
use quantity::Bytes;
use sys::process::Actor;
use sys::usage::{CpuClock, Usage, UsageScope};

/// Words of round trips count from 1 to this; larger ones are commands.
const LAST_WORD: u8 = 200;
/// The partner writes its usage to the shared page.
const REPORT: u8 = 254;
/// The partner ends.
const QUIT: u8 = 255;

/// The endpoint that starts each round trip and is timed.
struct Initiator<S: Endpoint> {
    endpoint: S,
    turn: u8,
}

impl<S: Endpoint> Initiator<S> {
    /// `n` round trips; gives how many words came back right. Consecutive words differ, so a late answer is a wrong
    /// one.
    fn round_trips(&mut self, n: u64) -> Result<u64> {
        let mut right = 0;
        self.endpoint.begin()?;
        for _ in 0..n {
            self.turn = self.turn % LAST_WORD + 1;
            self.endpoint.send(self.turn)?;
            right += u64::from(self.endpoint.receive()? == self.turn);
        }
        self.endpoint.end()?;
        Ok(right)
    }

    /// One more round trip, with a command.
    fn ask(&mut self, word: u8) -> Result<()> {
        self.endpoint.begin()?;
        self.endpoint.send(word)?;
        let answer = self.endpoint.receive()?;
        self.endpoint.end()?;
        if answer == word {
            Ok(())
        } else {
            Err(Failure::failed(format!("the partner answered {answer} to {word}")))
        }
    }

    /// Ends the partner.
    fn quit(&mut self) -> Result<()> {
        self.endpoint.begin()?;
        Ok(self.endpoint.send(QUIT)?)
    }
}

/// Sends every word back until `QUIT`; false when the exchange broke.
fn respond(endpoint: &mut impl Endpoint, mut report_usage: impl FnMut()) -> bool {
    if endpoint.enter().is_err() {
        return false;
    }
    while let Ok(word) = endpoint.receive() {
        match word {
            QUIT => return true,
            REPORT => report_usage(),
            _ => {}
        }
        if endpoint.send(word).is_err() {
            return false;
        }
    }
    false
}

parameters! {
    /// Messages between two actors.
    pub struct Messages {
        /// Of each.
        bytes: Bytes = Bytes::from_bytes(1),
    }
}

fn setting(bench: &Bench<'_>, between_processes: bool) -> Result<Setting> {
    let bytes = bench.parameters::<Messages>()?.bytes.bytes() as usize;
    Ok(Setting { between_processes, bytes, seed: bench.seed() })
}

/// `n` times the system calls of a round trip, by one task.
fn control_turns(control: &mut impl Control, n: u64) -> Result<u64> {
    let mut right = 0;
    for turn in 0..n {
        let word = (turn % u64::from(LAST_WORD)) as u8 + 1;
        let mut both = true;
        // One place of the call, which is inlined there.
        for _ in 0..2 {
            both &= control(word)? == word;
        }
        right += u64::from(both);
    }
    Ok(right)
}

fn batches<E: Endpoint>(
    bench: &mut Bench<'_>,
    initiator: &mut Initiator<E>,
    mut control: Option<impl Control>,
    (cpu, multiple_of): (Vec<CpuClock>, u64),
    report_usage: Option<&SharedWords>,
) -> Result<()> {
    // The round trips and the command use the initiator one after the other.
    let initiator = std::cell::RefCell::new(initiator);
    let mut others = || {
        initiator.borrow_mut().ask(REPORT)?;
        Ok(report_usage.map_or_else(Usage::default, reported_usage))
    };
    let mut control = control.as_mut().map(|control| move |n| control_turns(control, n));
    bench.batches(Work {
        control: control.as_mut().map(|control| control as _),
        multiple_of,
        cpu,
        others: report_usage.is_some().then_some(&mut others as _),
        ..Work::new(&mut |n| initiator.borrow_mut().round_trips(n))
    })
}

/// Batches of round trips between two processes, alternating with the same system calls by one task.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn processes<E: Endpoint, C: Control>(
    bench: &mut Bench<'_>,
    mechanism: impl FnOnce(Setting) -> Result<Exchange<E, C>>,
) -> Result<()> {
    between_processes(bench, mechanism(setting(bench, true)?)?, true, E::MULTIPLE_OF)
}

/// Batches of round trips between two processes.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn round_trips<E: Endpoint, C: Control>(
    bench: &mut Bench<'_>,
    mechanism: impl FnOnce(Setting) -> Result<Exchange<E, C>>,
) -> Result<()> {
    round_trips_by(bench, E::MULTIPLE_OF, mechanism)
}

/// The same in batches of a multiple of this number of round trips.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn round_trips_by<E: Endpoint, C: Control>(
    bench: &mut Bench<'_>,
    multiple_of: u64,
    mechanism: impl FnOnce(Setting) -> Result<Exchange<E, C>>,
) -> Result<()> {
    between_processes(bench, mechanism(setting(bench, true)?)?, false, multiple_of)
}

fn between_processes<E: Endpoint>(
    bench: &mut Bench<'_>,
    ([initiator, mut their_endpoint], control): Exchange<E, impl Control>,
    compare: bool,
    multiple_of: u64,
) -> Result<()> {
    let words = SharedWords::new(2)?;
    let their_words = &words;
    // The responder moves into the child and is dropped here: a descriptor that the child loses is closed.
    let partner = Actor::spawn(bench.peer_cpu(), move || {
        i32::from(!respond(&mut their_endpoint, || report_usage(their_words)))
    })?;
    let mut initiator = Initiator { endpoint: initiator, turn: 0 };
    let cpu = vec![CpuClock::THREAD, CpuClock::of_process(partner.pid())];
    batches(bench, &mut initiator, compare.then_some(control), (cpu, multiple_of), Some(&words))?;
    initiator.quit()?;
    partner.join()?;
    Ok(())
}

/// Batches of round trips between two threads, alternating with the same system calls by one task.
///
/// # Errors
/// When the partner cannot be made.
pub fn threads<E: Endpoint, C: Control>(
    bench: &mut Bench<'_>,
    mechanism: impl FnOnce(Setting) -> Result<Exchange<E, C>>,
) -> Result<()> {
    let ([initiator, mut their_endpoint], control) = mechanism(setting(bench, false)?)?;
    let mut initiator = Initiator { endpoint: initiator, turn: 0 };
    let peer_cpu = bench.peer_cpu();
    sys::thread::beside(
        peer_cpu,
        move || {
            respond(&mut their_endpoint, || {});
        },
        || {
            let result = batches(
                bench,
                &mut initiator,
                Some(control),
                (vec![CpuClock::PROCESS], E::MULTIPLE_OF),
                None,
            );
            // The partner must end, also after an error.
            let ended = initiator.quit();
            result.and(ended)
        },
    )?
}

/// Writes this process's usage to the shared words.
fn report_usage(words: &SharedWords) {
    let usage = sys::usage::read(UsageScope::Process).unwrap_or_default();
    words.set(0, usage.voluntary.cast_unsigned());
    words.set(1, usage.involuntary.cast_unsigned());
}

/// The partner's usage.
fn reported_usage(words: &SharedWords) -> Usage {
    let [voluntary, involuntary] = [0, 1].map(|at| words.get(at).cast_signed());
    Usage { voluntary, involuntary, ..Usage::default() }
}
