//! A ring of processes over pipes, all on one CPU: a token passes, and its holder may read a buffer.

use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result, Work, parameters};
use quantity::Bytes;
use std::cell::RefCell;
use sys::footprint::Footprint;
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::process::Actor;
use sys::usage::{self, CpuClock, Usage, UsageScope};

/// The token is passed on.
const PASS: u8 = 1;
/// Every process reads its buffer.
const TOUCH: u8 = 2;
/// Every process writes its counts to the shared page.
const REPORT: u8 = 3;
/// Every process passes it on and ends.
const QUIT: u8 = 4;
/// The token after a buffer with a wrong sum.
const WRONG: u8 = 5;

/// Words of the shared page per process: a cache line.
const WORDS: usize = 8;

/// The ring, seen by its first process.
pub struct Ring {
    to: WriteEnd,
    from: ReadEnd,
    own: Footprint,
    counts: SharedWords,
    actors: Vec<Actor>,
    rounds: u64,
}

/// Counts over all processes of a ring.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// How often the processes had a token to pass or to touch at.
    pub visits: i64,
    /// Switches of all processes but the first.
    pub others: Usage,
}

impl Ring {
    /// Starts `processes` with buffers of `bytes`, all on the CPU of the caller.
    ///
    /// # Errors
    /// When a process, a pipe or memory is not available.
    pub fn start(bench: &Bench<'_>, processes: usize, bytes: usize) -> Result<Self> {
        let counts = SharedWords::new(processes * WORDS)?;
        let (mut input, to) = pipe()?;
        let mut to = Some(to);
        let mut actors = Vec::with_capacity(processes);
        for index in 1..processes {
            let (next, output) = pipe()?;
            let mut next = Some(next);
            let own = Footprint::new(bytes, bench.seed() ^ index as u64)?;
            actors.push(Actor::spawn(bench.cpu(), || {
                // A process closes the ends that are not its own: when one exits, its neighbours see it.
                (to, next) = (None, None);
                member(&input, &output, &own, |visits| report(&counts, index, visits))
            })?);
            if let Some(next) = next {
                input = next;
            }
        }
        let to = to.ok_or_else(|| Failure::failed("the ring has no first process"))?;
        let own = Footprint::new(bytes, bench.seed())?;
        Ok(Self { to, from: input, own, counts, actors, rounds: 0 })
    }

    /// `n` rounds; gives in how many the token came back unchanged, with all sums right if they were asked for.
    ///
    /// # Errors
    /// When a process has exited.
    pub fn rounds(&mut self, n: u64, touch: bool) -> Result<u64> {
        let token = if touch { TOUCH } else { PASS };
        let mut right = 0;
        for _ in 0..n {
            let own = !touch || self.own.is_whole();
            right += u64::from(self.round(token)? == token && own);
        }
        self.rounds += n;
        Ok(right)
    }

    fn round(&self, token: u8) -> Result<u8> {
        self.to.write_byte(token)?;
        Ok(self.from.read_byte()?)
    }

    /// Reads the first process's own buffer repeatedly: it stays in the first cache that holds it.
    pub fn touch_own(&self, times: u64) -> bool {
        (0..times).all(|_| self.own.is_whole())
    }

    /// CPU time of every process.
    pub fn cpu(&self) -> Vec<CpuClock> {
        let others = self.actors.iter().map(|actor| CpuClock::of_process(actor.pid()));
        std::iter::once(CpuClock::THREAD).chain(others).collect()
    }

    /// Rounds so far, without those of commands.
    pub fn rounds_so_far(&self) -> u64 {
        self.rounds
    }

    /// The counts so far; takes one more round.
    ///
    /// # Errors
    /// When a process has exited.
    pub fn counts(&self) -> Result<Counts> {
        self.round(REPORT)?;
        let mut counts = Counts { visits: self.rounds.cast_signed(), others: Usage::default() };
        for index in 1..=self.actors.len() {
            let [visits, voluntary, involuntary] =
                [0, 1, 2].map(|word| self.counts.get(index * WORDS + word).cast_signed());
            counts.visits += visits;
            counts.others = counts.others.plus(&Usage { voluntary, involuntary, ..Usage::default() });
        }
        Ok(counts)
    }

    /// Ends all processes and waits for them.
    ///
    /// # Errors
    /// When one had exited before.
    pub fn stop(self) -> Result<()> {
        self.round(QUIT)?;
        for actor in self.actors {
            actor.join()?;
        }
        Ok(())
    }
}

parameters! {
    /// A ring of processes.
    pub struct TokenRing {
        /// Their number.
        processes: u64,
        /// That each of them reads.
        bytes: Bytes,
    }
}

/// Batches of rounds, alternating with the same calls and reads by one task.
///
/// # Errors
/// When a process, a pipe or memory is not available.
pub fn switches(bench: &mut Bench<'_>) -> Result<()> {
    run(bench, false)
}

/// Batches of rounds in which every process reads its buffer, alternating with rounds without, after which the first
/// reads its own as often.
///
/// # Errors
/// When a process, a pipe or memory is not available.
pub fn refills(bench: &mut Bench<'_>) -> Result<()> {
    run(bench, true)
}

fn run(bench: &mut Bench<'_>, refill: bool) -> Result<()> {
    let TokenRing { processes: members, bytes } = bench.parameters()?;
    let (bytes, touch) = (bytes.bytes() as usize, bytes.bytes() > 0);
    let ring = Ring::start(bench, usize::try_from(members).unwrap_or(2), bytes)?;
    let cpu = ring.cpu();
    let ring = RefCell::new(ring);
    let (reader, writer) = pipe()?;
    let mut main = |n| ring.borrow_mut().rounds(n, touch);
    if bench.is_rehearsal() {
        bench.slope(&mut main)?;
        return ring.into_inner().stop();
    }
    let mut control_calls = |n| {
        let (ring, mut right) = (ring.borrow(), 0);
        for _ in 0..n {
            for _ in 0..members {
                writer.write_byte(1)?;
                right += u64::from(reader.read_byte()? == 1 && ring.touch_own(u64::from(touch)));
            }
        }
        Ok(right / members)
    };
    let mut control_reads = |n| {
        let (mut ring, mut right) = (ring.borrow_mut(), 0);
        for _ in 0..n {
            right += ring.rounds(1, false)? * u64::from(ring.touch_own(members));
        }
        Ok(right)
    };
    bench.batches(Work {
        control: Some(if refill { &mut control_reads } else { &mut control_calls }),
        cpu,
        others: Some(&mut || Ok(ring.borrow().counts()?.others)),
        ..Work::new(&mut main)
    })?;
    let ring = ring.into_inner();
    let (counts, rounds) = (ring.counts()?, ring.rounds_so_far());
    bench.count("visits", counts.visits as f64, rounds as f64);
    ring.stop()
}

/// A process of the ring; gives its exit status. `report` gets its number of visits.
fn member(input: &ReadEnd, output: &WriteEnd, own: &Footprint, report: impl Fn(u64)) -> i32 {
    let mut visits = 0;
    while let Ok(mut token) = input.read_byte() {
        match token {
            TOUCH if !own.is_whole() => token = WRONG,
            REPORT => report(visits),
            _ => {}
        }
        visits += u64::from(matches!(token, PASS | TOUCH));
        if output.write_byte(token).is_err() {
            return 1;
        }
        if token == QUIT {
            return 0;
        }
    }
    1
}

fn report(page: &SharedWords, index: usize, visits: u64) {
    let usage = usage::read(UsageScope::Process).unwrap_or_default();
    let counts = [visits, usage.voluntary.cast_unsigned(), usage.involuntary.cast_unsigned()];
    for (word, count) in (index * WORDS..).zip(counts) {
        page.set(word, count);
    }
}
