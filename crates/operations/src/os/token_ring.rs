//! Processes in a ring of pipes, all on one CPU: a token goes round, and whoever has it may read its buffer.

use measure::{Bench, Failure};
use std::sync::atomic::Ordering;
use sys::footprint::Footprint;
use sys::memory::Mapping;
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::process::Actor;
use sys::usage::{self, CpuClock, Usage, UsageScope};

/// A token that is only handed on.
const PASS: u8 = 1;
/// A token at which everybody reads the whole of its buffer.
const TOUCH: u8 = 2;
/// A token at which everybody tells its counts in the shared page.
const TELL: u8 = 3;
/// A token that ends everybody who has handed it on.
const QUIT: u8 = 4;
/// What becomes of a token that met a buffer with a wrong sum.
const WRONG: u8 = 5;

/// Words of the shared page that belong to one process: a cache line.
const WORDS: usize = 8;

/// The ring, seen by its first process.
pub struct Ring {
    to: WriteEnd,
    from: ReadEnd,
    own: Footprint,
    told: Mapping,
    actors: Vec<Actor>,
    rounds: u64,
}

/// What all processes of a ring have counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// How often a process had a token to pass or to touch at.
    pub visits: i64,
    /// Switches of all processes but the first.
    pub others: Usage,
}

impl Ring {
    /// So many processes with so many bytes each, all on the CPU of the caller.
    ///
    /// # Errors
    /// When a process, a pipe or the memory cannot be had.
    pub fn start(bench: &Bench<'_>, processes: usize, bytes: usize) -> Result<Self, Failure> {
        let told = Mapping::shared(processes * WORDS * 8)?;
        let (mut input, to) = pipe()?;
        let mut to = Some(to);
        let mut actors = Vec::with_capacity(processes);
        for index in 1..processes {
            let (next, output) = pipe()?;
            let mut next = Some(next);
            let own = Footprint::new(bytes, bench.seed() ^ index as u64)?;
            actors.push(Actor::spawn(bench.cpu(), || {
                // Nobody keeps an end that is not its own: when one is gone, all hear of it.
                (to, next) = (None, None);
                member(&input, &output, &own, |visits| tell(&told, index, visits))
            })?);
            if let Some(next) = next {
                input = next;
            }
        }
        let to = to.ok_or_else(|| Failure::Failed("the ring has no first process".to_owned()))?;
        let own = Footprint::new(bytes, bench.seed())?;
        Ok(Self {
            to,
            from: input,
            own,
            told,
            actors,
            rounds: 0,
        })
    }

    /// `n` rounds; gives in how many the token came back as it was sent, all sums right if it asked for them.
    ///
    /// # Errors
    /// When a process is gone.
    pub fn rounds(&mut self, n: u64, touch: bool) -> Result<u64, Failure> {
        let token = if touch { TOUCH } else { PASS };
        let mut right = 0;
        for _ in 0..n {
            let own = !touch || self.own.is_whole();
            right += u64::from(self.round(token)? == token && own);
        }
        self.rounds += n;
        Ok(right)
    }

    fn round(&self, token: u8) -> Result<u8, Failure> {
        self.to.write_byte(token)?;
        Ok(self.from.read_byte()?)
    }

    /// The first process's own buffer, read over and over: it stays in the nearest cache that holds it.
    pub fn touch_own(&self, times: u64) -> bool {
        (0..times).all(|_| self.own.is_whole())
    }

    /// CPU time of every process.
    pub fn cpu(&self) -> Vec<CpuClock> {
        let others = self.actors.iter().map(|actor| CpuClock::of_process(actor.pid()));
        std::iter::once(CpuClock::THREAD).chain(others).collect()
    }

    /// Rounds so far, those that ask or tell apart.
    pub fn rounds_so_far(&self) -> u64 {
        self.rounds
    }

    /// What all have counted so far; one more round.
    ///
    /// # Errors
    /// When a process is gone.
    pub fn counts(&self) -> Result<Counts, Failure> {
        self.round(TELL)?;
        let mut counts = Counts {
            visits: self.rounds.cast_signed(),
            others: Usage::default(),
        };
        for words in self.told.words().chunks(WORDS).skip(1).take(self.actors.len()) {
            let mut told = words
                .iter()
                .map(|word| word.load(Ordering::Acquire).cast_signed());
            let mut next = || told.next().unwrap_or_default();
            counts.visits += next();
            counts.others = counts.others.plus(&Usage {
                voluntary: next(),
                involuntary: next(),
                ..Usage::default()
            });
        }
        Ok(counts)
    }

    /// Ends everybody and waits for them.
    ///
    /// # Errors
    /// When somebody was gone already.
    pub fn stop(self) -> Result<(), Failure> {
        self.round(QUIT)?;
        for actor in self.actors {
            actor.join()?;
        }
        Ok(())
    }
}

/// A process of the ring; gives its exit status. `tell` is given how often it had the token.
fn member(input: &ReadEnd, output: &WriteEnd, own: &Footprint, tell: impl Fn(u64)) -> i32 {
    let mut visits = 0;
    while let Ok(mut token) = input.read_byte() {
        match token {
            TOUCH if !own.is_whole() => token = WRONG,
            TELL => tell(visits),
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

fn tell(told: &Mapping, index: usize, visits: u64) {
    let usage = usage::read(UsageScope::Process).unwrap_or_default();
    let counts = [
        visits,
        usage.voluntary.cast_unsigned(),
        usage.involuntary.cast_unsigned(),
    ];
    let words = told.words().iter().skip(index * WORDS);
    for (word, count) in words.zip(counts) {
        word.store(count, Ordering::Release);
    }
}
