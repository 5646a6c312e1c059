//! Several runs on each side: the change of a point with what runs differ by, measured by these runs themselves.
//!
//! The variance of a run has the degrees of freedom of the runs on both sides, and those that the class of the point
//! allows ([`CLASS_FREEDOM`]), as in `earlier_runs`: two runs a side do not make a point exact, and ten count more than the
//! table. The interval is Student's.

use super::clocks::{at_one_clock, of_all_runs, reference_of};
use super::decision::{decide, incomparable};
use super::levels::other_levels;
use super::shapes::{Change, Compare, Compared, Comparison, Decision, Limits, NoDecision, is_of_a_moment};
use super::{by_size, compare, place};
use crate::rows::earlier_runs::COVERED;
use crate::rows::row::Row;
use crate::thresholds::{CLASS_FREEDOM, LOUDER_THAN_CLASS, RUNS_OF_A_MOMENT};
use record::{PointId, Range};
use stats::normal::{beyond, student_of_normal};
use stats::order::median;
use stats::spread::mean;
use std::borrow::Cow;

/// Compares the runs of the second side with those of the first. Facts and clocks are those of the first run of each side.
/// Where `paired`, the runs of both sides alternate, and the nth of one belongs to the nth of the other: what drifts is the
/// same for both. One run on each side is compared by its trials, as [`compare`] does. `None` where a side has no run.
pub fn compare_runs(
    first: &[Compare<'_>],
    second: &[Compare<'_>],
    paired: bool,
    limits: &Limits,
) -> Option<Comparison> {
    let mut comparison = compare(first.first()?, second.first()?, limits);
    if first.len() == 1 && second.len() == 1 {
        return Some(comparison);
    }
    let is_of_a_moment = !paired && [first, second].iter().any(|side| is_of_a_moment(side));
    comparison.is_of_a_moment = is_of_a_moment;
    let model = first.first()?.analysis;
    let at_hz = reference_of(&first.iter().chain(second).collect::<Vec<_>>());
    let rows = |side: &'_ [Compare<'_>], id: &PointId| -> Vec<Row> {
        let alike = side.iter().filter(|run| other_levels(id, model, run.analysis).is_none());
        alike.filter_map(|run| run.analysis.row(id)).cloned().collect()
    };
    for point in &mut comparison.points {
        let (before, after) = (rows(first, &point.id), rows(second, &point.id));
        let all = at_one_clock(&before.iter().chain(&after).collect::<Vec<_>>(), at_hz);
        let mut all: Vec<Row> = all.into_iter().map(Cow::into_owned).collect();
        let after = all.split_off(before.len());
        let before = all;
        let is_paired = paired && [before.len(), after.len(), second.len()] == [first.len(); 3];
        if let Some(compared) = compared(&before, &after, is_paired, is_of_a_moment, limits) {
            *point = compared;
        }
    }
    comparison.clocks = comparison.clocks.and_then(|clocks| of_all_runs(clocks, first, second));
    comparison.points.sort_by(|a, b| place(a).cmp(&place(b)).then(by_size(a, b)));
    let decided = comparison.points.iter().filter(|point| point.decision.is_decided());
    comparison.common = median(decided.filter_map(Compared::cost));
    Some(comparison)
}

/// A point of the runs of both sides; `None` where no pair of them can be compared.
fn compared(
    first: &[Row],
    second: &[Row],
    paired: bool,
    is_of_a_moment: bool,
    limits: &Limits,
) -> Option<Compared> {
    let model = first.iter().find(|row| row.typical().is_some())?;
    let usable = |rows: &[Row]| -> Vec<Row> {
        rows.iter().filter(|row| incomparable(model, row).is_none()).cloned().collect()
    };
    let (before, after) = (usable(first), usable(second));
    let (Some(one), Some(other)) = (typical(&before), typical(&after)) else { return None };
    let is_factor = before.iter().chain(&after).all(|row| row.typical().is_some_and(|value| value > 0.0));
    let scale = one.abs();
    let values = |rows: &[Row]| -> Vec<f64> {
        let medians = rows.iter().filter_map(Row::typical);
        let values: Vec<f64> =
            medians.map(|value| if is_factor { value.ln() } else { value / scale }).collect();
        // Runs of one moment are one run, as far as what lasts for longer is concerned.
        if is_of_a_moment { mean(values).into_iter().collect() } else { values }
    };
    let paired = paired && before.len() == first.len() && after.len() == second.len();
    let change = match paired {
        true => {
            let pairs = values(&before).into_iter().zip(values(&after));
            Spread::of_pairs(&pairs.map(|(one, other)| other - one).collect::<Vec<_>>())
        }
        false => Spread::of_sides(&values(&before), &values(&after)),
    };
    let least = if is_of_a_moment { RUNS_OF_A_MOMENT } else { 0.0 };
    let range = change.range(model, &[before.as_slice(), &after].concat(), least, limits.level);
    let change = range.map(|range| match is_factor {
        true => Change::Factor(range.map(f64::exp)),
        false => Change::Difference(range.map(|by| by * scale)),
    });
    let mut compared = Compared {
        id: model.point.id.clone(),
        area: model.point.area.clone(),
        quantity: model.quantity(),
        first: Some(one),
        second: Some(other),
        change,
        decision: Decision::Unclear,
        reason: Some(NoDecision::TooFewTrials),
        noisy: false,
        between: f64::INFINITY,
    };
    if let Some(factor) = compared.relative() {
        (compared.decision, compared.reason) = decide(factor, compared.quantity, limits);
    }
    Some(compared)
}

fn typical(rows: &[Row]) -> Option<f64> {
    median(rows.iter().filter_map(Row::typical))
}

/// A change with what the runs say of its error.
struct Spread {
    change: f64,
    /// Squares around the mean, and their degrees of freedom.
    squares: f64,
    freedom: f64,
    /// Variances of a run that the change has.
    of_change: f64,
    /// Variances of a run that a square has.
    of_square: f64,
}

fn squares(values: &[f64]) -> f64 {
    let centre = mean(values).unwrap_or(0.0);
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

impl Spread {
    fn of_sides(first: &[f64], second: &[f64]) -> Self {
        let (n, m) = (first.len() as f64, second.len() as f64);
        Self {
            change: mean(second).unwrap_or(0.0) - mean(first).unwrap_or(0.0),
            squares: squares(first) + squares(second),
            freedom: n + m - 2.0,
            of_change: 1.0 / n + 1.0 / m,
            of_square: 1.0,
        }
    }

    fn of_pairs(differences: &[f64]) -> Self {
        let n = differences.len() as f64;
        Self {
            change: mean(differences).unwrap_or(0.0),
            squares: squares(differences),
            freedom: n - 1.0,
            of_change: 2.0 / n,
            of_square: 2.0,
        }
    }

    /// The change with its interval at this level. What the class of the point, or earlier runs, say of the variance
    /// counts with their degrees of freedom; its standard deviation is `least` or more. `None` where nothing says anything of it.
    fn range(&self, model: &Row, rows: &[Row], least: f64, level: f64) -> Option<Range> {
        let half_widths = rows.iter().filter_map(|row| row.estimate.as_ref()?.half_width());
        let within = mean(
            half_widths
                .map(|half| (half / COVERED).powi(2))
                .filter(|square| square.is_finite())
                .collect::<Vec<_>>(),
        );
        let known = model.between_runs().map(|between| match between.freedom.is_finite() {
            true => (between.deviation, between.freedom),
            // The class covers as much with its degrees of freedom as the table does without.
            false => (between.deviation * COVERED / student_of_normal(COVERED, CLASS_FREEDOM), CLASS_FREEDOM),
        });
        let (between, prior) = known.unwrap_or((0.0, 0.0));
        let of_class = between.max(least).powi(2) + within.unwrap_or(0.0);
        let own = self.squares / self.of_square / self.freedom.max(1.0);
        // Runs that differ by much more than their class are judged by themselves.
        let prior = if self.freedom >= 1.0 && own > LOUDER_THAN_CLASS * of_class { 0.0 } else { prior };
        let freedom = prior + self.freedom;
        if freedom < 1.0 {
            return None;
        }
        let variance = (prior * of_class + self.freedom * own) / freedom;
        // Runs of a quantity without a class may agree to the last digit: what their own intervals cover counts then.
        let variance = variance.max(if prior > 0.0 { 0.0 } else { within.unwrap_or(0.0) });
        let deviations = student_of_normal(beyond((1.0 - level) / 2.0), freedom);
        let reach = deviations * (variance * self.of_change).sqrt();
        Some(Range { low: self.change - reach, value: self.change, high: self.change + reach })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::decision::tests::row as row_of;
    use crate::run::analysis::Analysis;
    use quantity::Quantity;
    use record::{Machine, Plan};

    /// Runs of a system call whose value differs from run to run by this share.
    fn runs(random: &mut fastrand::Rng, count: usize, level: f64, between: f64, drift: f64) -> Vec<Row> {
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let values = (0..count).map(|at| level * (between * normal() + drift * at as f64).exp());
        let rows = values.map(|value| {
            let trials: Vec<f64> = (0..12).map(|at| value * (1.0 + 0.001 * f64::from(at % 5 - 2))).collect();
            let mut row = row_of(Quantity::Latency, &trials, 0.0);
            row.point.id = PointId::new("syscall.getppid", "");
            row
        });
        rows.collect()
    }

    fn decisions(count: usize, change: f64, between: f64, paired: bool, drift: f64) -> usize {
        let found = (0..200).filter(|seed| {
            let mut random = fastrand::Rng::with_seed(*seed);
            let [first, second] =
                [1.0, 1.0 + change].map(|level| runs(&mut random, count, level, between, drift));
            let compared = compared(&first, &second, paired, false, &Limits::default());
            compared.is_some_and(|compared| compared.decision.is_change())
        });
        found.count()
    }

    #[test]
    fn runs_without_a_change_are_hardly_called_different_and_a_change_is_found() {
        for between in [0.002, 0.01, 0.03] {
            let wrong = decisions(3, 0.0, between, false, 0.0);
            assert!(wrong <= 6, "{wrong} of 200 at {between}");
        }
        assert!(decisions(5, 0.04, 0.01, false, 0.0) > 150);
        // Two runs of a point that is ten times as loud as its class: its own spread counts with two degrees of freedom of five.
        let wrong = decisions(2, 0.0, 0.03, false, 0.0);
        assert!(wrong <= 10, "{wrong} of 200");
    }

    /// Four runs within two seconds agree with each other, and not with those of another moment.
    #[test]
    fn runs_of_a_moment_do_not_tell_what_moments_differ_by() {
        let mut random = fastrand::Rng::with_seed(3);
        for (change, is_of_a_moment, is_found) in
            [(0.069, false, true), (0.069, true, false), (0.9, true, true)]
        {
            let [first, second] = [1.0, 1.0 + change].map(|level| runs(&mut random, 4, level, 0.001, 0.0));
            let found = compared(&first, &second, false, is_of_a_moment, &Limits::default());
            assert_eq!(found.is_some_and(|found| found.decision.is_change()), is_found, "{change}");
        }
        let period = |began: f64| Some([began, began + 0.5]);
        let (machine, plan, analysis) = (Machine::default(), Plan::default(), Analysis::default());
        let run = |period| Compare { machine: &machine, plan: &plan, analysis: &analysis, period };
        for (periods, expected) in [
            (vec![period(0.0), period(1.0), period(2.0)], true),
            (vec![period(3.0), period(0.0), period(20.0)], false),
            (vec![period(0.0), None], false),
            (vec![Some([0.0, 60.0])], false),
        ] {
            assert_eq!(is_of_a_moment(&periods.into_iter().map(run).collect::<Vec<_>>()), expected);
        }
    }

    #[test]
    fn alternating_runs_share_what_drifts() {
        let [paired, sides] = [true, false].map(|paired| decisions(6, 0.03, 0.002, paired, 0.01));
        assert!(paired > 180 && sides < 100, "{paired} {sides}");
    }

    #[test]
    fn a_run_without_a_number_is_left_out_and_one_a_side_is_judged_by_its_class() {
        let mut random = fastrand::Rng::with_seed(1);
        let first = runs(&mut random, 3, 1.0, 0.0, 0.0);
        let mut second = runs(&mut random, 3, 1.2, 0.0, 0.0);
        second[1].estimate = None;
        let found = compared(&first, &second, true, false, &Limits::default());
        assert!(found.is_some_and(|found| found.decision == Decision::Slower));
        assert_eq!(compared(&first, &second[1..2], false, false, &Limits::default()), None);
        let one = compared(&first[..1], &second[..1], false, false, &Limits::default());
        assert!(one.is_some_and(|one| one.change.is_some()));
    }
}
