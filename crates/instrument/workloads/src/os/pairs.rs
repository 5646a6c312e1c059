//! Every two CPUs, in rounds of disjoint pairs at the same time: the round trip of a cache line between them, and how much they
//! slow each other down.

use crate::threads::wait_until;
use measure::{Bench, Failure, Result};
use record::{MAX_CPUS, place_of_pair};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use sys::clock::Clock;

/// Pairs that a trial measures at most; where a machine has more, each trial takes rounds of its own.
const MAX_PAIRS: usize = 20_000;

/// Samples of a pair, of which the median counts.
const SAMPLES: usize = 7;

/// Round trips of a sample: 10 to 60 microseconds.
const ROUND_TRIPS: u64 = 100;

/// Turns of 50 additions in a loop that fills a core: some 15 microseconds.
const TURNS: u64 = 4_000;

/// What is measured between two CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// Nanoseconds of a round trip of a cache line.
    CacheLine,
    /// The time of a loop that fills a core beside the same on the other CPU, divided by its time alone.
    Core,
}

/// The partner of a participant in a round of a tournament in which each meets every other once, if it has one. `count` is even,
/// and there are `count` − 1 rounds.
fn partner(participant: usize, round: usize, count: usize) -> usize {
    let last = count - 1;
    if participant == last {
        // It meets the one that would meet itself.
        return (0..last).find(|&other| (2 * other) % last == round % last).unwrap_or(0);
    }
    let other = (round + last - participant % last) % last;
    if other == participant { last } else { other }
}

/// The rounds of a trial, in the order in which they are measured: all, or as many as there is room for.
fn rounds(cpus: usize, seed: u64) -> Vec<usize> {
    let count = cpus.next_multiple_of(2);
    let all = count - 1;
    let most = (MAX_PAIRS / (count / 2)).max(1);
    let first = (seed % all as u64) as usize;
    (0..all.min(most)).map(|round| (first + round) % all).collect()
}

/// A word in a page of its own, which its CPU touches first.
#[repr(align(4096))]
#[derive(Default)]
struct OwnPage(AtomicU64);

/// What all threads share.
struct Tournament<'a> {
    cpus: &'a [u32],
    rounds: Vec<usize>,
    between: Between,
    /// A word of each pair, that of its lower participant, who sets it to 0 before a round.
    words: Vec<OwnPage>,
    arrived: AtomicU64,
    ended: AtomicBool,
    /// The values of pairs.
    found: Mutex<Vec<((u32, u32), f64)>>,
    /// Participants that were on their CPU at the end.
    placed: AtomicU64,
    /// Steps that the higher participants of pairs took, and those that they had to take.
    steps: AtomicU64,
    expected: AtomicU64,
}

impl<'a> Tournament<'a> {
    fn new(cpus: &'a [u32], between: Between, seed: u64) -> Self {
        Self {
            cpus,
            rounds: rounds(cpus.len(), seed),
            between,
            words: cpus.iter().map(|_| OwnPage::default()).collect(),
            arrived: AtomicU64::default(),
            ended: AtomicBool::default(),
            found: Mutex::default(),
            placed: AtomicU64::default(),
            steps: AtomicU64::default(),
            expected: AtomicU64::default(),
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Polls until a condition holds; an error where the others have ended.
    fn wait(&self, condition: impl Fn() -> bool) -> Result<()> {
        wait_until(|| condition() || self.ended.load(Ordering::Acquire))?;
        Failure::unless(condition(), "a thread on another CPU ended early")
    }

    /// All rounds of one participant.
    fn take_part(&self, participant: usize) -> Result<()> {
        let all = self.cpus.len();
        let mut found = Vec::with_capacity(self.rounds.len());
        for (&round, meeting) in self.rounds.iter().zip(1..) {
            let own = self.words.get(participant);
            own.iter().for_each(|word| word.0.store(0, Ordering::Release));
            self.arrived.fetch_add(1, Ordering::AcqRel);
            self.wait(|| self.arrived.load(Ordering::Acquire) >= meeting * all as u64)?;
            let other = partner(participant, round, all.next_multiple_of(2));
            let (low, high) = (participant.min(other), participant.max(other));
            let (Some(word), Some(&high_cpu)) = (self.words.get(low), self.cpus.get(high)) else { continue };
            if participant == high {
                self.follow(&word.0)?;
            } else {
                let value = self.lead(&word.0)?;
                found.extend(self.cpus.get(low).map(|&low_cpu| ((low_cpu, high_cpu), value)));
            }
        }
        if sys::cpu::current() == self.cpus.get(participant).copied() {
            self.placed.fetch_add(1, Ordering::AcqRel);
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        Ok(())
    }

    /// The samples of the lower participant of a pair; gives the value of the pair.
    fn lead(&self, word: &AtomicU64) -> Result<f64> {
        let clock = Clock::select();
        let began = clock.moment();
        let mut samples = Vec::with_capacity(SAMPLES);
        let mut alone = Vec::with_capacity(SAMPLES);
        let mut step = 0;
        // The first sample is cold.
        for _ in 0..=SAMPLES {
            match self.between {
                Between::CacheLine => {
                    let start = clock.start();
                    for _ in 0..ROUND_TRIPS {
                        word.store(step + 1, Ordering::Release);
                        self.wait(|| word.load(Ordering::Acquire) >= step + 2)?;
                        step += 2;
                    }
                    samples.push((clock.stop() - start) as f64 / ROUND_TRIPS as f64);
                }
                Between::Core => {
                    alone.push(timed_loop(clock));
                    word.store(step + 1, Ordering::Release);
                    self.wait(|| word.load(Ordering::Acquire) >= step + 2)?;
                    samples.push(timed_loop(clock));
                    self.wait(|| word.load(Ordering::Acquire) >= step + 3)?;
                    step += 3;
                }
            }
        }
        let nanos = clock.nanos_per_tick(began, clock.moment());
        Ok(match self.between {
            Between::CacheLine => median(&mut samples) * nanos,
            Between::Core => median(&mut samples) / median(&mut alone).max(1.0),
        })
    }

    /// The steps of the higher participant.
    fn follow(&self, word: &AtomicU64) -> Result<()> {
        let rounds = SAMPLES as u64 + 1;
        let (turns, own) = match self.between {
            Between::CacheLine => (rounds * ROUND_TRIPS, 1),
            Between::Core => (rounds, 2),
        };
        let mut step = 0;
        for _ in 0..turns {
            self.wait(|| word.load(Ordering::Acquire) > step)?;
            word.store(step + 2, Ordering::Release);
            if self.between == Between::Core {
                // Longer than the loop of the other, which lies within.
                std::hint::black_box(sys::arch::independent_adds(3 * TURNS));
                word.store(step + 3, Ordering::Release);
            }
            step += 1 + own;
            self.steps.fetch_add(u64::from(self.between == Between::Core), Ordering::Relaxed);
        }
        self.expected.fetch_add(turns, Ordering::Relaxed);
        if self.between == Between::CacheLine {
            self.steps.fetch_add(turns, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Ticks of the loop that fills a core.
fn timed_loop(clock: Clock) -> f64 {
    let start = clock.start();
    std::hint::black_box(sys::arch::independent_adds(TURNS));
    (clock.stop() - start) as f64
}

/// The median of samples without the first, which is cold.
fn median(samples: &mut [f64]) -> f64 {
    let Some(warm) = samples.get_mut(1..).filter(|warm| !warm.is_empty()) else { return 0.0 };
    warm.sort_by(f64::total_cmp);
    warm.get(warm.len() / 2).copied().unwrap_or(0.0)
}

/// Round trips of a cache line between every two CPUs: the value is their median.
///
/// # Errors
/// When a thread cannot be made.
pub fn cache_lines(bench: &mut Bench<'_>) -> Result<()> {
    let found = measured(bench, Between::CacheLine)?;
    let mut values: Vec<f64> = std::iter::once(0.0).chain(found.iter().map(|(_, value)| *value)).collect();
    bench.values(vec![median(&mut values)]);
    Ok(())
}

/// How much two CPUs slow each other down: the value is the median over the CPUs of the most that another one slows it down.
///
/// # Errors
/// When a thread cannot be made.
pub fn cores(bench: &mut Bench<'_>) -> Result<()> {
    let found = measured(bench, Between::Core)?;
    let mut most = std::collections::BTreeMap::<u32, f64>::new();
    for ((one, other), value) in found {
        for cpu in [one, other] {
            let known = most.entry(cpu).or_default();
            *known = known.max(value);
        }
    }
    let mut values: Vec<f64> = std::iter::once(0.0).chain(most.into_values()).collect();
    bench.values(vec![median(&mut values)]);
    Ok(())
}

/// The values of all pairs of a trial, which the trial keeps as a curve.
fn measured(bench: &mut Bench<'_>, between: Between) -> Result<Vec<((u32, u32), f64)>> {
    let own = bench.cpu();
    let others: Vec<u32> = sys::cpu::allowed_before_pinning()?
        .into_iter()
        .filter(|&cpu| Some(cpu) != own && cpu < MAX_CPUS)
        .collect();
    let cpus: Vec<u32> = own.into_iter().chain(others.iter().copied()).collect();
    let tournament = Tournament::new(&cpus, between, bench.seed());
    sys::thread::beside_all(
        &others,
        |index, pinned| {
            if pinned.is_err() || tournament.take_part(index + 1).is_err() {
                tournament.end();
            }
        },
        || tournament.end(),
        || tournament.take_part(0).inspect_err(|_| tournament.end()),
    )??;
    let count = |counter: &AtomicU64| counter.load(Ordering::Acquire) as f64;
    bench.count("cpus.working", count(&tournament.placed), cpus.len() as f64);
    bench.count("line.handed_back", count(&tournament.steps), count(&tournament.expected));
    let found = tournament.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    bench.count("answers", found.iter().filter(|(_, value)| *value > 0.0).count() as f64, found.len() as f64);
    bench.curve(found.iter().map(|(pair, value)| (place_of_pair(*pair), *value)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everyone_meets_every_other_once_in_rounds_of_disjoint_pairs() {
        for count in [2, 4, 6, 16, 64, 576] {
            let mut met = BTreeSet::new();
            for round in 0..count - 1 {
                for one in 0..count {
                    let other = partner(one, round, count);
                    assert!(other != one && partner(other, round, count) == one, "{count} {round} {one}");
                    if one < other {
                        assert!(met.insert((one, other)), "{count}: {one} meets {other} twice");
                    }
                }
            }
            assert_eq!(met.len(), count * (count - 1) / 2);
        }
    }

    #[test]
    fn large_machines_are_sampled_round_by_round() {
        for (cpus, expected) in [(2, 1), (3, 3), (64, 63), (200, 199), (576, 69), (1024, 39), (4096, 9)] {
            let rounds = rounds(cpus, 12_345);
            assert_eq!(rounds.len(), expected, "{cpus}");
            let distinct: BTreeSet<usize> = rounds.iter().copied().collect();
            assert_eq!(distinct.len(), expected);
            assert!(distinct.iter().all(|&round| round < cpus.next_multiple_of(2) - 1));
        }
        assert_ne!(rounds(576, 1), rounds(576, 2));
    }
}
