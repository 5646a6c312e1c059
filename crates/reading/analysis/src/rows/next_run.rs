//! What the next run on this machine will say: repeatability within a run, and reproducibility between runs.
//!
//! Fresh processes sample the variance between processes. Nothing within a minute samples what lasts for minutes: the state of the
//! host's disk, of a cache that it shares out, of its memory. The deviation between runs by that is known from earlier runs on
//! the machine, or by class of point from a table.

use crate::rows::earlier_runs::{BetweenRuns, COVERED};
use crate::rows::note::Note;
use crate::rows::reason::Reason;
use crate::rows::row::{Estimate, Row};
use crate::rows::run_class::by_class;
use crate::thresholds::COVERAGE;
use stats::interval::{Coverage, Interval};
use stats::modes::Mode;
use std::f64::consts::SQRT_2;

impl Row {
    /// The deviation between runs besides what their intervals cover, from earlier runs or from the table; `None` for what is
    /// neither a time, a bandwidth nor the capacity of a shared cache.
    pub fn between_runs(&self) -> Option<BetweenRuns> {
        self.by_earlier_runs.or_else(|| by_class(&self.point).map(BetweenRuns::from_table))
    }

    /// The interval in which the next run on this machine finds the value with a probability of about 95 %; `None` without an
    /// interval, and without a deviation between runs. Beside other programs it holds all trials: in the next run these programs
    /// may be gone, or do more. Where fresh processes fell into states it holds all of them: states last for minutes as well, and
    /// the next run may have another one most frequently.
    pub fn next_run(&self) -> Option<Interval> {
        let between_runs = self.between_runs()?;
        let estimate = self.estimate.as_ref()?;
        let within = estimate.interval?;
        let between = between_runs.reach(COVERED) * estimate.typical.abs();
        let low = lower_end(estimate.typical, within.low, between);
        let high = estimate.typical + reach(within.high - estimate.typical, between);
        let is_beside_others = self.reasons.iter().any(Reason::is_of_other_programs);
        let all = self.range_of_trials().filter(|_| is_beside_others);
        let others = self.states().map(|state| state.at / estimate.typical);
        let (least, most) = others.fold((1.0_f64, 1.0_f64), |(low, high), at| (low.min(at), high.max(at)));
        Some(Interval {
            low: all.map_or(low * least, |all| low.min(all.low)),
            high: all.map_or(high * most, |all| high.max(all.high)),
            coverage: Coverage::NextRun(COVERAGE),
        })
    }

    /// The states into which fresh processes fell, of which the value is the most frequent one's; none where there is one.
    fn states(&self) -> impl Iterator<Item = &Mode> {
        self.notes.iter().flat_map(|note| match note {
            Note::States(states) => states.as_slice(),
            _ => &[],
        })
    }

    /// How far the state that is furthest from the value lies, as a logarithm of their ratio.
    pub(crate) fn reach_of_states(&self) -> f64 {
        let typical = self.typical().unwrap_or_default();
        let distances = self.states().map(|state| (state.at / typical).ln().abs());
        distances.filter(|distance| distance.is_finite()).fold(0.0, f64::max)
    }

    /// Half the width of that interval as a share of the value; that of this run where there is none.
    pub fn next_run_half_width(&self) -> Option<f64> {
        let estimate = self.estimate.as_ref()?;
        let next = Estimate { interval: self.next_run().or(estimate.interval), ..estimate.clone() };
        next.half_width()
    }
}

/// The lower end of the interval of the next run. Nothing takes less than no time: below half of the value what a run leaves open,
/// and what runs differ by, are factors.
fn lower_end(value: f64, low: f64, between: f64) -> f64 {
    let by_difference = value - reach(value - low, between);
    if low <= 0.0 || by_difference >= value / 2.0 {
        return by_difference;
    }
    (value / 2.0).min(value * (-reach((value / low).ln(), (between / value).ln_1p())).exp())
}

/// How far the next run may lie from this one, by what each leaves open and what runs differ by: either has both components.
pub(crate) fn reach(within: f64, between: f64) -> f64 {
    SQRT_2 * within.hypot(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::TrialValue;
    use quantity::Quantity;
    use record::{PlannedPoint, PointId};

    fn row(operation: &str, point: &str, area: &str, half: f64) -> Row {
        let planned = PlannedPoint::new(PointId::new(operation, point));
        let interval = Interval::at_level(100.0 - half, 100.0 + half, COVERAGE);
        let estimate = Estimate { typical: 100.0, interval: Some(interval), ..Estimate::default() };
        let planned = PlannedPoint { area: area.to_owned(), quantity: Quantity::Latency, ..planned };
        Row { estimate: Some(estimate), ..Row::new(planned) }
    }

    #[test]
    fn the_next_run_is_wider_than_this_one_by_both_components() {
        let next = row("file.read.direct", "access=random", "file", 3.0).next_run().unwrap();
        let half = SQRT_2 * 3.0_f64.hypot(1.96 * 7.0);
        assert!((next.high - 100.0 - half).abs() < 1e-9 && (100.0 - next.low - half).abs() < 1e-9);
        // Without a component between runs it is that of a difference of two.
        let next = row("call.procedure", "", "cpu", 1.0).next_run_half_width().unwrap();
        assert!((next - SQRT_2 * 0.01).abs() < 1e-4, "{next}");
    }

    #[test]
    fn lower_end_is_above_zero_and_below_that_of_the_run() {
        let mut before = 100.0;
        for (low, between) in
            [(99.0, 1.0), (90.0, 1.0), (70.0, 6.0), (60.0, 6.0), (40.0, 6.0), (5.0, 6.0), (5.0, 80.0)]
        {
            let end = lower_end(100.0, low, between);
            assert!(end > 0.0 && end < before && end <= low, "{low} {between}: {end}");
            before = end;
        }
        assert_eq!(lower_end(100.0, 90.0, 0.0), 100.0 - 10.0 * SQRT_2);
        assert!((lower_end(100.0, 25.0, 0.0) - 100.0 * 0.25_f64.powf(SQRT_2)).abs() < 1e-9);
        // A difference of two times may be below zero.
        assert!(lower_end(100.0, -10.0, 0.0) < -10.0 && lower_end(-100.0, -110.0, 0.0) < -110.0);
    }

    #[test]
    fn beside_other_programs_it_holds_all_trials() {
        let mut row = row("switch.process.pipe", "cpu=same", "os", 1.0);
        let trials = [60.0, 100.0, 180.0].map(|typical| TrialValue { round: 0, typical, best: typical });
        row.trials = trials.to_vec();
        assert!(row.next_run_half_width().unwrap() < 0.1);
        for reason in [Reason::OtherTasks(0.2), Reason::BesidePrograms(0.2)] {
            row.reasons = vec![reason];
            assert_eq!(row.next_run().unwrap().ends(), (60.0, 180.0));
            assert_eq!(row.next_run_half_width(), Some(0.6));
        }
    }

    /// Runs on a Zen 5 guest had the one state or the other of a system call most frequently, 8 % apart, and each said ± 1 %.
    #[test]
    fn it_holds_all_states_of_processes() {
        let mut row = row("syscall.getppid", "method=raw", "os", 1.0);
        let alone = row.next_run().unwrap();
        assert!(row.reach_of_states().abs() < 1e-12);
        row.notes = vec![Note::States(vec![Mode { at: 92.0, share: 0.2 }, Mode { at: 100.0, share: 0.8 }])];
        let next = row.next_run().unwrap();
        assert!((next.low - 0.92 * alone.low).abs() < 1e-9 && next.high == alone.high);
        assert!((row.reach_of_states() + 0.92_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn earlier_runs_count_instead_of_the_table() {
        let mut row = row("file.read.direct", "access=random", "file", 3.0);
        assert_eq!(row.between_runs(), Some(BetweenRuns::from_table(0.07)));
        let measured = BetweenRuns { deviation: 0.01, freedom: 5.0, records: 3 };
        row.by_earlier_runs = Some(measured);
        assert_eq!(row.between_runs(), Some(measured));
        let half = SQRT_2 * 0.03_f64.hypot(measured.reach(COVERED));
        assert!((row.next_run_half_width().unwrap() - half).abs() < 1e-12);
    }

    #[test]
    fn what_is_neither_a_time_nor_a_bandwidth_has_the_interval_of_its_run() {
        let mut count = row("clock.frequency", "", "cpu", 2.0);
        count.point.quantity = Quantity::Count;
        assert_eq!((count.next_run(), count.next_run_half_width()), (None, Some(0.02)));
    }
}
