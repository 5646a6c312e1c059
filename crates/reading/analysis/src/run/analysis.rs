//! What an analysis says of a whole run.

use crate::answers::answer::Answer;
use crate::answers::contrast::Contrast;
use crate::answers::{answer, contrast};
use crate::deviations::likely_reason;
use crate::rows::core_use::{CpuUse, QuietSpan};
use crate::rows::row::{Row, SweepLine, find};
use crate::run::accuracy::Accuracy;
use crate::run::drift_by_round::RoundDrift;
use crate::run::machine_history::MachineHistory;
use crate::run::more_time::MoreTime;
use crate::run::pairs::Pairs;
use crate::run::plots::Drawing;
use crate::run::run_placements::RunPlacements;
use crate::run::scaling::ScalingCurve;
use crate::run::{drift_by_round, plots, scaling, sweep};
use crate::tails::point_tail::PointTail;
use crate::thresholds::LEAST_SLOWED;
use record::{Disturbance, Machine};
use stats::order::median;
use std::collections::HashSet;

/// A remark on a whole run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunNote {
    /// What the plan left out, in its own words.
    LeftOut(String),
    /// Entries of points that are not planned, which were left out.
    Unplanned(usize),
    /// The record holds no plan: the run ended before it was made.
    NoPlan,
    /// The rate of the time counter changed by this share during the run.
    ClockDrift(f64),
}

/// All that a record says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// One row per planned point, in the plan's order.
    pub rows: Vec<Row>,
    /// The lines of sweeps that have one.
    pub lines: Vec<SweepLine>,
    /// The plots of sweeps that have one, and of curves.
    pub drawings: Vec<Drawing>,
    /// Of these, the curves that trials kept.
    pub curves: Vec<Drawing>,
    /// What was measured between every two CPUs.
    pub pairs: Vec<Pairs>,
    /// Operations on several CPUs, compared with the same on one.
    pub scaling: Vec<ScalingCurve>,
    /// Every flawed method beside the right one, in the plan's order.
    pub contrasts: Vec<Contrast>,
    /// How well the predictions did.
    pub accuracy: Accuracy,
    /// The answers to all questions, in the order of the questions.
    pub answers: Vec<Answer>,
    /// How far the trials of each round lay from the typical values of the run.
    pub drift_by_round: Vec<RoundDrift>,
    /// Clock of the core in hertz: the reference clock where rows were carried to it, otherwise the median over the rows.
    pub core_hz: Option<f64>,
    /// The highest clock that the core reached, in hertz; `None` where no trial knows its clock.
    pub highest_hz: Option<f64>,
    /// The clock to which rows are carried that follow it: the highest, unless another was asked for.
    pub reference_hz: Option<f64>,
    /// The clocks of the trials: their 5th, 50th and 95th percentile, in hertz.
    pub clock_range: Option<[f64; 3]>,
    /// How the CPUs of the actors were used.
    pub cpus: Vec<CpuUse>,
    /// How quiet they were over the run, part by part.
    pub quiet_spans: Vec<QuietSpan>,
    /// The tails of points of which every iteration was timed, in the plan's order.
    pub tails: Vec<PointTail>,
    /// The same in a run of batches, of points of which each value is one iteration.
    pub single_tails: Vec<PointTail>,
    /// Where the host had the two CPUs of actors.
    pub placements: RunPlacements,
    /// Median slow-down while the core was shared, over the points that were seen often enough in both states.
    pub slowdown: Option<f64>,
    /// Share of the time of the run in which workers waited for a quiet core; `None` where none could wait.
    pub waited: Option<f64>,
    /// What changed of the machine during the run.
    pub machine_history: MachineHistory,
    /// What disturbed the run.
    pub disturbances: Vec<Disturbance>,
    /// What the rows that are not narrow would take.
    pub more_time: MoreTime,
    /// Complete rounds.
    pub rounds: u32,
    /// Remarks on the whole run.
    pub notes: Vec<RunNote>,
}

impl Analysis {
    /// The analysis of rows that no analyst made, on a machine without facts.
    pub fn from_rows(rows: Vec<Row>, rounds: u32, notes: Vec<RunNote>) -> Self {
        let machine = Machine::default();
        Self::on_machine(&machine, likely_reason::explained(rows, &machine), rounds, notes)
    }

    /// What finished rows come to together.
    pub(crate) fn on_machine(machine: &Machine, rows: Vec<Row>, rounds: u32, notes: Vec<RunNote>) -> Self {
        let lines = sweep::lines(&rows);
        Self {
            scaling: scaling::curves(&rows),
            contrasts: contrast::contrasts(&rows),
            accuracy: Accuracy::from_rows(&rows),
            answers: answer::answers(&rows, &lines, machine),
            drawings: plots::drawings(&rows),
            drift_by_round: drift_by_round::drift_by_round(&rows),
            core_hz: drift_by_round::core_hz(&rows),
            slowdown: slowdown(&rows),
            lines,
            rows,
            rounds,
            notes,
            ..Self::default()
        }
    }

    /// Leaves out the rows that are not wanted, and what is said of them alone. Questions belong to the whole run, and go.
    pub fn keep(&mut self, is_wanted: impl Fn(&Row) -> bool) {
        self.rows.retain(is_wanted);
        let rows = &self.rows;
        let kept: HashSet<&str> = rows.iter().map(|row| row.point.id.operation.as_str()).collect();
        self.lines.retain(|line| kept.contains(line.sweep.operation.as_str()));
        self.pairs.retain(|pairs| kept.contains(pairs.of.operation.as_str()));
        self.scaling.retain(|curve| kept.contains(curve.of.operation.as_str()));
        self.contrasts.retain(|contrast| kept.contains(contrast.method.operation.as_str()));
        for tails in [&mut self.tails, &mut self.single_tails] {
            tails.retain(|tail| find(rows, &tail.id).is_some());
        }
        self.curves.retain(|curve| kept.contains(curve.of.operation.as_str()));
        self.drawings = plots::drawings(rows);
        self.drawings.extend(self.curves.iter().cloned());
        self.accuracy = Accuracy::from_rows(rows);
        self.answers.clear();
        self.notes.clear();
    }

    /// Whether the values of some rows were carried to the reference clock.
    pub fn is_carried(&self) -> bool {
        let mut estimates = self.rows.iter().filter_map(|row| row.estimate.as_ref());
        estimates.any(|estimate| estimate.clock_share.is_some())
    }

    /// Whether its run timed every iteration of this point.
    pub(crate) fn has_tail(&self, id: &record::PointId) -> bool {
        self.tails.iter().any(|tail| tail.id == *id)
    }

    /// The row of this point.
    pub fn row(&self, id: &record::PointId) -> Option<&Row> {
        find(&self.rows, id)
    }
}

/// Median slow-down of points while the core was shared, of enough of them.
fn slowdown(rows: &[Row]) -> Option<f64> {
    let slowed: Vec<f64> = rows.iter().filter_map(|row| row.core?.slowdown).collect();
    if slowed.len() < LEAST_SLOWED {
        return None;
    }
    median(slowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::core_use::{CoreState, CoreUse};
    use crate::rows::row::Estimate;
    use record::{PlannedPoint, PointId};

    fn row(operation: &str, clock_share: Option<f64>) -> Row {
        Row {
            estimate: Some(Estimate { clock_share, core_hz: Some(3e9), ..Estimate::default() }),
            core: Some(CoreUse {
                state: CoreState::Quiet,
                quiet_share: None,
                slowdown: Some(1.5),
                untriggered: None,
            }),
            ..Row::new(PlannedPoint::new(PointId::new(operation, "")))
        }
    }

    #[test]
    fn a_run_is_carried_where_one_of_its_rows_is() {
        for (clock_shares, expected) in [(&[][..], false), (&[None], false), (&[None, Some(0.0)], true)] {
            let rows = clock_shares.iter().map(|share| row("a.x", *share)).collect();
            assert_eq!(Analysis::from_rows(rows, 1, Vec::new()).is_carried(), expected);
        }
    }

    #[test]
    fn what_is_not_wanted_is_left_out_with_what_is_said_of_it() {
        let rows = ["a.x", "a.y", "a.z"].map(|operation| row(operation, None));
        let mut all = Analysis::from_rows(rows.to_vec(), 7, vec![RunNote::NoPlan]);
        assert_eq!((all.core_hz, all.slowdown, all.rounds, all.rows.len()), (Some(3e9), Some(1.5), 7, 3));
        assert_eq!(slowdown(&rows[..2]), None, "two points are too few");
        assert!(!all.answers.is_empty() && all.notes == [RunNote::NoPlan]);
        let lines = ["a.x", "a.y"].map(|operation| SweepLine {
            sweep: PointId::new(operation, ""),
            slope_name: String::new(),
            slope: 1.0,
            slope_interval: None,
            intercept_name: String::new(),
            intercept: 1.0,
            intercept_interval: None,
            worst: 0.0,
        });
        all.lines = lines.to_vec();
        all.keep(|row| row.point.id.operation == "a.y");
        assert_eq!(all.rows, [row("a.y", None)]);
        assert_eq!(all.lines, lines[1..]);
        assert!(all.answers.is_empty() && all.notes.is_empty());
        let (kept, gone) = (PointId::new("a.y", ""), PointId::new("a.x", ""));
        assert_eq!((all.row(&kept), all.row(&gone)), (Some(&row("a.y", None)), None));
    }
}
