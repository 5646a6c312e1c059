//! What a view of a history is given.

use crate::compared_words;
use crate::wording::joined;
use analysis::{PastValue, PointHistory, Step};
use record::Header;

/// A run of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRun<'a> {
    /// What its record is called.
    pub name: String,
    /// Which program, when.
    pub header: &'a Header,
    /// The release of the kernel.
    pub kernel: Option<&'a str>,
    /// In what it differs from the run before, in words.
    pub changed: Vec<String>,
}

/// What a history shows.
#[derive(Debug, Clone, Copy)]
pub struct HistoryView<'a> {
    /// The runs in order of time.
    pub runs: &'a [PastRun<'a>],
    /// The points.
    pub points: &'a [PointHistory],
    /// Whether each value is shown, or a line for each point.
    pub is_detailed: bool,
    /// The steps of all points, those that matter most first.
    pub steps: &'a [ShownStep<'a>],
    /// What is not among the runs, in words.
    pub left_out: &'a [String],
}

/// A step of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownStep<'a> {
    /// Of which point.
    pub history: &'a PointHistory,
    /// Where and by how much.
    pub step: &'a Step,
    /// Why it is expected, if the user acknowledged it.
    pub acknowledged: Option<String>,
}

impl ShownStep<'_> {
    /// When it began, and its change with the interval, in words.
    pub fn words(&self, runs: &[PastRun<'_>]) -> String {
        format!("{} since {}", compared_words(&self.step.change), self.began(runs))
    }

    fn value(&self, at: usize) -> Option<&PastValue> {
        self.history.values.get(at)
    }

    fn run<'r>(&self, at: usize, runs: &'r [PastRun<'r>]) -> Option<&'r PastRun<'r>> {
        self.value(at).and_then(|value| run_of(value, runs))
    }

    /// When the first run of the new level was made.
    pub fn began(&self, runs: &[PastRun<'_>]) -> String {
        self.run(self.step.at, runs).map(|run| run.header.second()).unwrap_or_default()
    }

    /// The runs among which the new level began, from the last that surely had the old one.
    pub fn runs_between(&self) -> std::ops::RangeInclusive<usize> {
        let run = |at: usize| self.value(at).map(|value| value.run);
        let first = self.step.earliest.checked_sub(1).and_then(run).unwrap_or(0);
        first..=run(self.step.latest).unwrap_or(first)
    }

    /// What changed in the runs among which it began.
    pub(super) fn changed(&self, runs: &[PastRun<'_>]) -> String {
        let between = runs.get(self.runs_between()).unwrap_or_default();
        let changed = between.iter().skip(1).flat_map(|run| run.changed.iter());
        joined(changed, "; ")
    }

    /// The runs at both ends of the interval of its date.
    pub(super) fn between(&self, runs: &[PastRun<'_>]) -> [String; 2] {
        [self.step.earliest, self.step.latest]
            .map(|at| self.run(at, runs).map(|run| run.header.second()).unwrap_or_default())
    }

    /// What it is.
    pub(super) fn word(&self) -> &'static str {
        match (self.step.is_drift, self.step.lasts, &self.acknowledged) {
            (_, _, Some(_)) => "acknowledged",
            (_, false, _) => "undone since",
            (true, ..) => "drift",
            (false, ..) => "step",
        }
    }
}

/// The run that a value is of.
pub(super) fn run_of<'r>(value: &PastValue, runs: &'r [PastRun<'r>]) -> Option<&'r PastRun<'r>> {
    runs.get(value.run)
}
