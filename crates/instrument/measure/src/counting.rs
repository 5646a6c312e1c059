//! Counted batches: the worker of `oscope count` runs in an emulator whose clock advances with instructions, so nothing is
//! timed, triggered or probed. A plugin of the emulator counts what lies between the marks around a batch.

use crate::Failure;
use crate::work::{Batch, Before, Length, Work};
use record::{Role, Skip};
use serde::{Deserialize, Serialize};
use sys::clock::Clock;
use sys::kernel_time::raw_nanos;
use sys::marks;
use sys::usage::{self, UsageScope};

/// Instructions of the shorter batch: a hundred times what surrounds the batch, and short against the tick of the kernel
/// (4 000 000 instructions at 250 Hz).
const BATCH: i64 = 200_000;

/// Pairs of batches, n and 4n: of five the median is no pair that a tick fell into.
const PAIRS: usize = 5;

/// Instructions of a point at most, beyond the first pair: 150 points then take half a minute of an emulator.
const MAX_INSTRUCTIONS: i64 = 16_000_000;

/// Instructions of one iteration at most. Choice: a second of an emulator.
const MAX_ITERATION: i64 = 100_000_000;

/// Instructions of an iteration from which the longer batch is not done once more before it is counted.
const MAX_WARM_UP: i64 = 1_000_000;

/// Iterations of a batch at most.
const MAX_BATCH: u64 = 1 << 16;

/// Parts that are timed by themselves, and those that are not kept: what prepares a part may be long.
const MIN_PARTS: usize = 3;
const MAX_PARTS: usize = 24;
const WARM_UP_PARTS: usize = 3;

/// Iterations that are tried for each that goes as the point says.
const TRIES: usize = 8;

/// What was counted for a point, without what the plugin counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "counted", rename_all = "snake_case")]
pub enum Counted {
    /// Batches of the point, and of its control where it has one.
    Batches {
        /// One for each role.
        series: Vec<CountedSeries>,
        /// Switches of the actors in an iteration of the main batches.
        switches: f64,
    },
    /// Why it was not counted.
    Skipped(Skip),
    /// It failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// Pairs of batches of one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedSeries {
    /// Main or control.
    pub role: Role,
    /// Iterations of the shorter batch; the longer one has four times as many.
    pub n: u64,
    /// Nanoseconds of the virtual clock, which are instructions, of both batches of a pair.
    pub pairs: Vec<[i64; 2]>,
    /// Whether these are parts that an operation times by itself: the plugin does not count them.
    #[serde(default)]
    pub is_of_parts: bool,
}

/// The label of a window: which point of the job, which role, which pair, how many iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// Index of the point in the job.
    pub point: usize,
    /// Main or control.
    pub role: Role,
    /// Number of the pair.
    pub pair: usize,
    /// Iterations.
    pub n: u64,
}

impl Label {
    /// As it is passed to the plugin.
    fn text(self) -> String {
        let role = if self.role == Role::Main { 'm' } else { 'c' };
        format!("{}/{role}/{}/{}", self.point, self.pair, self.n)
    }

    /// Reads a label as the plugin writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split('/');
        let point = words.next()?.parse().ok()?;
        let role = if words.next()? == "m" { Role::Main } else { Role::Control };
        Some(Self { point, role, pair: words.next()?.parse().ok()?, n: words.next()?.parse().ok()? })
    }
}

/// The counts of a trial so far.
#[derive(Default)]
pub(crate) struct Counting {
    /// Index of the point in the job.
    pub(crate) point: usize,
    pub(crate) series: Vec<CountedSeries>,
    pub(crate) switches: f64,
}

impl Counting {
    /// Pairs of batches of the work and its control.
    pub(crate) fn pairs(&mut self, work: &mut Work<'_>) -> Result<(), Failure> {
        let length = work.length();
        let mut nothing = |_| Ok(());
        let before: Before<'_> = match &mut work.before {
            Some(before) => before,
            None => &mut nothing,
        };
        let others = &mut work.others;
        let mut switches = || -> Result<f64, Failure> {
            let own = usage::read(UsageScope::Process).unwrap_or_default();
            let both = match others {
                Some(others) => own.plus(&others()?),
                None => own,
            };
            Ok((both.voluntary + both.involuntary) as f64)
        };
        let earlier = switches()?;
        let iterations = self.series_of(Role::Main, length, before, work.main)?;
        self.switches = (switches()? - earlier) / iterations.max(1) as f64;
        if let Some(control) = &mut work.control {
            self.series_of(Role::Control, length, &mut |_| Ok(()), control)?;
        }
        Ok(())
    }

    /// Pairs of batches of iterations that are otherwise timed individually.
    pub(crate) fn individual(
        &mut self,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        let mut batch = |n| (0..n).try_fold(0, |done, _| main().map(|answers| done + answers));
        self.series_of(Role::Main, Length::default(), &mut |_| Ok(()), &mut batch).map(drop)
    }

    /// The parts of `n` iterations that the operation times by itself, by the virtual clock alone: each is a pair of nothing and
    /// three of it, so that a tick falls into few of them.
    pub(crate) fn parts(
        &mut self,
        n: u64,
        main: &mut dyn FnMut(Clock) -> Result<Option<i64>, Failure>,
    ) -> Result<(), Failure> {
        let cost = Clock::Kernel.cost_ticks() as i64;
        let (began, mut parts) = (raw_nanos(), Vec::new());
        for turn in 0..TRIES * MAX_PARTS {
            // The kernel's clock has nanoseconds, which are instructions.
            let ticks = main(Clock::Kernel)?;
            let spent = raw_nanos() - began;
            // The first ones warm up, and find out how long an iteration is.
            if turn >= WARM_UP_PARTS {
                parts.extend(ticks.map(|ticks| [0, 3 * (ticks - cost)]));
            }
            if parts.len() == MAX_PARTS || parts.len() >= MIN_PARTS && spent > MAX_INSTRUCTIONS {
                break;
            }
        }
        if parts.len() < MIN_PARTS {
            return Err(Failure::failed("too few iterations went as the point says"));
        }
        self.series.push(CountedSeries { role: Role::Main, n, pairs: parts, is_of_parts: true });
        Ok(())
    }

    /// Finds the number of iterations, warms up, and counts; gives how many iterations were done.
    fn series_of(
        &mut self,
        role: Role,
        length: Length,
        before: Before<'_>,
        main: Batch<'_>,
    ) -> Result<u64, Failure> {
        let (step, most) = (length.multiple_of, length.of_shortest());
        let (mut n, mut instructions, mut done) = (step, 0, 0);
        // Doubling, so that what happens once does not count; the last of them also warms up.
        while instructions < BATCH / 2 && n < MAX_BATCH.min(most) {
            n = most.min(n * 2);
            done += n;
            before(n)?;
            instructions = batch(n, main)?;
        }
        let each = instructions / i64::try_from(n).unwrap_or(1).max(1);
        let n = iterations(each, length)?;
        let mut series = CountedSeries { role, n, pairs: Vec::new(), is_of_parts: false };
        // Long iterations have warmed up while their number was found.
        if each < MAX_WARM_UP {
            before(4 * n)?;
            batch(4 * n, main)?;
            done += 4 * n;
        }
        for pair in 0..pairs(each, n) {
            let mut nanos = [0; 2];
            for (nanos, n) in nanos.iter_mut().zip([n, 4 * n]) {
                before(n)?;
                marks::pass_line(&format!("W {}", Label { point: self.point, role, pair, n }.text()));
                *nanos = batch(n, main)?;
                marks::pass_line("E");
                done += n;
            }
            series.pairs.push(nanos);
        }
        self.series.push(series);
        Ok(done)
    }
}

/// One batch between marks; gives its instructions by the virtual clock. Each answer must be right.
#[inline(never)]
fn batch(n: u64, main: Batch<'_>) -> Result<i64, Failure> {
    let before = raw_nanos();
    marks::begin();
    let answers = main(n);
    marks::end();
    let nanos = raw_nanos() - before;
    match answers? {
        answers if answers == n => Ok(nanos),
        answers => Err(Failure::failed(format!("{answers} of {n} iterations gave the right answer"))),
    }
}

/// Iterations of the shorter batch: a power of two times the least number, so that kernels that differ a little are counted
/// over the same number; fewer where a batch holds fewer at most.
fn iterations(each: i64, length: Length) -> Result<u64, Failure> {
    if each > MAX_ITERATION {
        return Err(Failure::failed(format!(
            "an iteration executes {each} instructions, more than {MAX_ITERATION}"
        )));
    }
    let fit = u64::try_from(BATCH / each.max(1)).unwrap_or(1).clamp(1, MAX_BATCH) / length.multiple_of;
    let mut turns = fit.max(1).next_power_of_two();
    while turns > 1 && length.multiple_of * turns > length.of_shortest() {
        turns /= 2;
    }
    Ok(length.multiple_of * turns)
}

/// Pairs that fit into the instructions of a point: at least one.
fn pairs(each: i64, n: u64) -> usize {
    let pair = each.saturating_mul(5 * i64::try_from(n).unwrap_or(1)).max(1);
    usize::try_from(MAX_INSTRUCTIONS / pair).unwrap_or(1).clamp(1, PAIRS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn batch_has_200_000_instructions_and_a_number_that_close_kernels_share() {
        assert_eq!(
            [326, 327, 350, 225_000].map(|each| iterations(each, Length::default()).unwrap()),
            [1024, 1024, 1024, 1]
        );
        assert_eq!(iterations(300, Length { multiple_of: 24, ..Length::default() }).unwrap(), 24 * 32);
        assert_eq!(iterations(300, Length { at_most: 800, ..Length::default() }).unwrap(), 128);
        assert!(iterations(MAX_ITERATION + 1, Length::default()).is_err());
        assert_eq!(pairs(326, 1024), PAIRS);
        assert_eq!([pairs(2_000_000, 1), pairs(50_000_000, 1)], [1, 1]);
    }

    #[test]
    fn label_is_read_as_it_is_written() {
        let label = Label { point: 12, role: Role::Control, pair: 4, n: 512 };
        assert_eq!(Label::parse(&label.text()), Some(label));
        assert_eq!(Label::parse("12/m"), None);
    }
}
