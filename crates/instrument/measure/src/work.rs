//! The work that an operation gives to the bench.

use crate::Failure;
use sys::usage::{CpuClock, Usage};

/// The work of one batch: does `n` iterations and gives how many of them gave the right answer.
pub type Batch<'w> = &'w mut dyn FnMut(u64) -> Result<u64, Failure>;

/// What a batch of n iterations needs before it begins: untimed, untraced, and its faults not counted.
pub type Before<'w> = &'w mut dyn FnMut(u64) -> Result<(), Failure>;

/// Work for batches of several lengths, and what belongs to it.
pub struct Work<'w> {
    /// The operation.
    pub main: Batch<'w>,
    /// What is made ready for each batch of `main`, such as pages that were never touched. Faults are counted
    /// within the batches alone then.
    pub before: Option<Before<'w>>,
    /// The same without the thing measured, to be subtracted.
    pub control: Option<Batch<'w>>,
    /// Batches hold a multiple of this number of iterations.
    pub multiple_of: u64,
    /// The kernel does a part of the work once for this number of iterations, such as 31 new pages moved to its lists. Timed
    /// batches hold whole periods: a shorter one has that part or lacks it, and the median of such samples is the cost of neither.
    pub period: u64,
    /// Batches hold this number of iterations at most, where each uses something up.
    pub at_most: u64,
    /// CPU time of all actors.
    pub cpu: Vec<CpuClock>,
    /// Whether the actors work in parallel, on a CPU each: the least of their CPU times counts.
    pub in_parallel: bool,
    /// Usage of actors in other processes; asking costs the operation one more iteration.
    pub others: Option<&'w mut dyn FnMut() -> Result<Usage, Failure>>,
}

/// The part of the shortest batch that each batch does before its clock starts. Predictors would otherwise learn the loop
/// just after the system calls that meter a batch, and keep what they learned to its end: a call on a Zen 5 cost 5.6 cycles
/// instead of 4.
const LEAD_IN: u64 = 32;

/// How many iterations a batch may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    pub multiple_of: u64,
    pub at_most: u64,
    /// Whether iterations may go before the clock starts: not where each uses up what was made for the batch.
    pub leads_in: bool,
}

impl Default for Length {
    fn default() -> Self {
        Self { multiple_of: 1, at_most: u64::MAX, leads_in: true }
    }
}

impl Length {
    /// The longest of the shortest batches: another batch has four times as many iterations.
    pub fn of_shortest(self) -> u64 {
        (self.at_most / 4 / self.multiple_of * self.multiple_of).max(self.multiple_of)
    }

    /// Iterations before the clock starts, where the shortest batch has enough.
    pub fn lead_in(self, shortest: u64) -> u64 {
        match self.leads_in {
            true => shortest / LEAD_IN / self.multiple_of * self.multiple_of,
            false => 0,
        }
    }
}

impl<'w> Work<'w> {
    /// Work of the calling thread alone.
    pub fn new(main: Batch<'w>) -> Self {
        Self {
            main,
            before: None,
            control: None,
            multiple_of: 1,
            period: 1,
            at_most: u64::MAX,
            cpu: vec![CpuClock::THREAD],
            in_parallel: false,
            others: None,
        }
    }

    pub(crate) fn length(&self) -> Length {
        let leads_in = self.before.is_none() && self.at_most == u64::MAX;
        Length { multiple_of: self.multiple_of.max(1), at_most: self.at_most, leads_in }
    }

    /// The same of batches that are timed, which hold whole periods.
    pub(crate) fn timed_length(&self) -> Length {
        let (length, period) = (self.length(), self.period.max(1));
        let mut multiple_of = length.multiple_of;
        while !multiple_of.is_multiple_of(period) {
            multiple_of += length.multiple_of;
        }
        Length { multiple_of, ..length }
    }

    /// Whether the calling thread is the only actor.
    pub(crate) fn is_single_task(&self) -> bool {
        self.others.is_none() && self.cpu == [CpuClock::THREAD]
    }
}
