//! What may be said of one point of two records.

use super::shapes::{Change, Compared, Decision, Limits, NoDecision, Position, has_number};
use crate::rows::placement::is_one_placement;
use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use crate::thresholds::{LEAST_TRIALS, RUNS_OF_A_MOMENT};
use quantity::Quantity;
use record::Range;
use stats::normal;
use stats::order::Sorted;
use stats::shift::{Shift, shift};
use std::collections::HashMap;

/// What two runs as a whole tell of each of their points.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BothRuns {
    /// The time of a cache line between two CPUs in each, in nanoseconds.
    pub(super) line_ns: [Option<f64>; 2],
    /// Whether one of them lies within [`MOMENT_S`](crate::thresholds::MOMENT_S).
    pub(super) is_of_a_moment: bool,
}

/// One point of both records.
pub(super) fn compared(first: &Row, second: &Row, both: BothRuns, limits: &Limits) -> Compared {
    let mut compared = Compared {
        id: first.point.id.clone(),
        area: first.point.area.clone(),
        quantity: first.quantity(),
        first: first.typical(),
        second: second.typical(),
        change: None,
        decision: Decision::Incomparable,
        reason: incomparable(first, second),
        noisy: [first, second].iter().any(|row| row.verdict == Verdict::Noisy),
        between: 0.0,
    };
    if compared.reason.is_some() {
        return compared;
    }
    let in_first = machine_state(first, Position::First, limits.paired);
    let in_second = machine_state(second, Position::Second, limits.paired);
    let (between_states, others) =
        [in_first, in_second].into_iter().flatten().partition::<Vec<_>, _>(is_of_states);
    compared.reason = others.into_iter().next();
    if compared.reason.is_some() {
        compared.decision = Decision::Unclear;
        return compared;
    }
    compared.reason = other_placement(first, second, both.line_ns).filter(|_| !limits.paired);
    if compared.reason.is_some() {
        compared.decision = Decision::Unclear;
        return compared;
    }
    // The first trials of a run are not any trials of it, so that few of them decide nothing however many the other has.
    if !limits.paired && [first, second].iter().any(|row| row.trials.len() < LEAST_TRIALS) {
        (compared.decision, compared.reason) = (Decision::Unclear, Some(NoDecision::TooFewTrials));
        return compared;
    }
    compared.change = match limits.paired {
        true => paired_change(first, second, limits.level),
        false => None,
    };
    if compared.change.is_none() {
        let reaches = reaches([first, second], both.is_of_a_moment, limits.level);
        let unpaired = change(&values(first), &values(second), limits.level);
        let unpaired = unpaired.map(|change| widened(change, [first, second]));
        // Trials that were interleaved share what lasts for minutes.
        compared.change = match limits.paired {
            true => unpaired,
            false => unpaired.map(|change| between(change, [first, second], reaches)),
        };
        compared.between = if limits.paired { 0.0 } else { reaches[0].hypot(reaches[1]) };
    }
    if !between_states.is_empty() {
        compared.change = compared.change.map(|change| from_any_state_to_any(change, [first, second]));
    }
    (compared.decision, compared.reason) = match compared.relative() {
        None => (Decision::Unclear, Some(NoDecision::TooFewTrials)),
        Some(factor) => decide(factor, compared.quantity, limits),
    };
    if compared.decision == Decision::Unclear {
        compared.reason = between_states.into_iter().next().or(compared.reason);
    }
    compared
}

/// Why two rows cannot be compared.
pub(super) fn incomparable(first: &Row, second: &Row) -> Option<NoDecision> {
    let (one, other) = (&first.point, &second.point);
    if one.revision != other.revision {
        return Some(NoDecision::Revision(one.revision, other.revision));
    }
    if one.quantity != other.quantity || one.payload_bytes != other.payload_bytes {
        return Some(NoDecision::Quantity);
    }
    if one.estimator != other.estimator {
        return Some(NoDecision::Estimator);
    }
    [(first, Position::First), (second, Position::Second)]
        .into_iter()
        .find(|(row, _)| !has_number(row))
        .map(|(row, position)| NoDecision::NoNumber(position, row.verdict, row.reasons.clone()))
}

/// What says that the value of a row is that of a state of the machine. That may be another one in the other record: then
/// a difference says nothing of the operation, unless it is larger than what its states differ by. Other programs disturb both
/// trials of a pair.
fn machine_state(row: &Row, position: Position, is_paired: bool) -> Option<NoDecision> {
    let reason = row.reasons.iter().find(|reason| {
        matches!(
            reason,
            Reason::Unsteady { .. } | Reason::SetAside(..) | Reason::OtherTasks(_) | Reason::Noise(_)
        ) || matches!(reason, Reason::BesidePrograms(_) if !is_paired)
    });
    let is_between = row.reasons.contains(&Reason::States) || !row.undecided_states().is_empty();
    let states = is_between.then_some(&Reason::States);
    Some(NoDecision::MachineState(position, reason.or(states)?.clone()))
}

fn is_of_states(reason: &NoDecision) -> bool {
    matches!(reason, NoDecision::MachineState(_, Reason::States))
}

/// The change with an interval that holds also where either run shows another one of its states the next time.
fn from_any_state_to_any(change: Change, rows: [&Row; 2]) -> Change {
    let [first, second] = rows.map(Row::range_of_states);
    match change {
        Change::Factor(factor) => {
            let [first, second] = [first, second].map(|states| states.map(|value| value / states.value));
            let (low, high) = (second.low / first.high, second.high / first.low);
            Change::Factor(Range { low: factor.low * low, high: factor.high * high, ..factor })
        }
        Change::Difference(difference) => {
            let [first, second] = [first, second].map(|states| states.map(|value| value - states.value));
            let (low, high) = (second.low - first.high, second.high - first.low);
            Change::Difference(Range {
                low: difference.low + low,
                high: difference.high + high,
                ..difference
            })
        }
    }
}

/// What says that the host had the CPUs of the actors in another placement in the second record: no trials of the first one's
/// are among those of the second, or too few. Actors on every CPU leave none to probe it with; what the other points of the run
/// found holds for them.
fn other_placement(first: &Row, second: &Row, lines: [Option<f64>; 2]) -> Option<NoDecision> {
    let is_parallel = first.point.id.parameter("cpus").is_some_and(|cpus| cpus != "1");
    let line =
        |row: &Row, of_run: Option<f64>| row.estimate.as_ref()?.line_ns.or(of_run.filter(|_| is_parallel));
    let (one, other) = line(first, lines[0]).zip(line(second, lines[1]))?;
    (!is_one_placement(one, other)).then_some(NoDecision::Placements(one, other))
}

/// The factor between the two trials of a round: its median over the rounds, with an interval from order statistics. What
/// changes between rounds is the same for both. `None` where there are too few pairs, or a value is not above zero.
fn paired_change(first: &Row, second: &Row, level: f64) -> Option<Change> {
    let before: HashMap<u32, f64> = first.trials.iter().map(|trial| (trial.round, trial.typical)).collect();
    let pairs = second.trials.iter().filter_map(|trial| Some((*before.get(&trial.round)?, trial.typical)));
    let logarithms: Vec<f64> = pairs
        .map(|(one, other)| (one > 0.0 && other > 0.0).then(|| (other / one).ln()))
        .collect::<Option<_>>()?;
    let sorted = Sorted::from_values(&logarithms);
    let (low, high) = sorted.median_interval(level)?.ends();
    Some(Change::Factor(Range { low, value: sorted.median()?, high }.map(f64::exp)))
}

/// The trials' values in the order of time.
fn values(row: &Row) -> Vec<f64> {
    let mut trials = row.trials.clone();
    trials.sort_by_key(|trial| trial.round);
    trials.iter().map(|trial| trial.typical).collect()
}

/// How the second values lie to the first: by a factor where all are above zero.
fn change(first: &[f64], second: &[f64], level: f64) -> Option<Change> {
    if first.iter().chain(second).all(|value| *value > 0.0) {
        let [first, second]: [Vec<f64>; 2] =
            [first, second].map(|values| values.iter().map(|value| value.ln()).collect());
        let shift = shift(&first, &second, level)?;
        return Some(Change::Factor(range(shift).map(f64::exp)));
    }
    Some(Change::Difference(range(shift(first, second, level)?)))
}

/// The change with an interval that holds also how far the carrying to one clock may be off, which all trials share.
fn widened(change: Change, rows: [&Row; 2]) -> Change {
    let estimates = rows.map(|row| row.estimate.as_ref());
    let errors = estimates.map(|estimate| estimate.map_or(0.0, |estimate| estimate.clock_error));
    let medians = estimates.map(|estimate| estimate.map_or(0.0, |estimate| estimate.typical.abs()));
    let by = errors[0] + errors[1];
    match change {
        Change::Factor(factor) => {
            Change::Factor(Range { low: factor.low * (-by).exp(), high: factor.high * by.exp(), ..factor })
        }
        Change::Difference(difference) => {
            let by = errors[0] * medians[0] + errors[1] * medians[1];
            Change::Difference(Range { low: difference.low - by, high: difference.high + by, ..difference })
        }
    }
}

/// By how much each run may lie beside others in what lasts for minutes, as a share of its value. That may be another state of
/// its processes. A run of some seconds tells less than the runs that made the table of classes.
fn reaches(rows: [&Row; 2], is_of_a_moment: bool, level: f64) -> [f64; 2] {
    let deviations = normal::beyond((1.0 - level) / 2.0);
    let least = if is_of_a_moment { RUNS_OF_A_MOMENT * deviations } else { 0.0 };
    rows.map(|row| {
        let between = row.between_runs().map_or(0.0, |between| between.reach(deviations).max(least));
        between.max(row.reach_of_states())
    })
}

/// The change with an interval that holds also by how much two runs differ.
fn between(change: Change, rows: [&Row; 2], [first, second]: [f64; 2]) -> Change {
    match change {
        Change::Factor(factor) => {
            let by = first.hypot(second);
            Change::Factor(reaching(factor.map(f64::ln), by).map(f64::exp))
        }
        Change::Difference(difference) => {
            let [first, second] = [(first, rows[0]), (second, rows[1])]
                .map(|(share, row)| share * row.typical().unwrap_or_default().abs());
            Change::Difference(reaching(difference, first.hypot(second)))
        }
    }
}

/// The range whose ends lie further out by this much, which is independent of it.
fn reaching(range: Range, by: f64) -> Range {
    Range {
        low: range.value - (range.value - range.low).hypot(by),
        high: range.value + (range.high - range.value).hypot(by),
        ..range
    }
}

fn range(shift: Shift) -> Range {
    Range { low: shift.low, value: shift.typical, high: shift.high }
}

/// A change is one where the whole interval is beyond the least that counts; the same is what lies in a narrow one.
pub(crate) fn decide(factor: Range, quantity: Quantity, limits: &Limits) -> (Decision, Option<NoDecision>) {
    let (up, down) = (1.0 + limits.least, 1.0 / (1.0 + limits.least));
    let within = (factor.high - 1.0).abs().max((1.0 - factor.low).abs());
    let decision = match (factor.low > up, factor.high < down, quantity) {
        (true, _, Quantity::Latency) | (_, true, Quantity::Bandwidth) => Decision::Slower,
        (true, _, Quantity::Bandwidth) | (_, true, Quantity::Latency) => Decision::Faster,
        (true, _, _) => Decision::Larger,
        (_, true, _) => Decision::Smaller,
        _ if within <= limits.same => Decision::Same { within },
        _ => Decision::Unclear,
    };
    let reason = (decision == Decision::Unclear).then_some(NoDecision::TooWide);
    (decision, reason)
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use crate::rows::note::Note;
    use crate::rows::row::{Estimate, TrialValue};
    use record::{PlannedPoint, PointId, Witness};

    pub(in crate::compare) fn row(quantity: Quantity, trials: &[f64], clock_error: f64) -> Row {
        let area = "cpu".to_owned();
        let mut row = Row::new(PlannedPoint { quantity, area, ..PlannedPoint::new(PointId::new("a.x", "")) });
        row.verdict = Verdict::Measured;
        row.trials =
            (1..).zip(trials).map(|(round, &typical)| TrialValue { round, typical, best: typical }).collect();
        row.estimate = Some(Estimate {
            typical: stats::order::median(trials).unwrap_or_default(),
            trials: trials.len(),
            clock_error,
            ..Estimate::default()
        });
        row
    }

    /// Values around this one, so close together that their interval is narrow.
    pub(in crate::compare) fn around(value: f64) -> Vec<f64> {
        (0..20).map(|at| value + value.abs() * 1e-4 * f64::from(at % 5)).collect()
    }

    fn between(quantity: Quantity, first: f64, second: f64) -> Compared {
        let [first, second] = [first, second].map(|value| row(quantity, &around(value), 0.0));
        compared(&first, &second, &Limits::default())
    }

    #[test]
    fn up_is_slower_faster_or_larger_by_the_quantity() {
        for (quantity, up, down) in [
            (Quantity::Latency, Decision::Slower, Decision::Faster),
            (Quantity::Bandwidth, Decision::Faster, Decision::Slower),
            (Quantity::Size, Decision::Larger, Decision::Smaller),
        ] {
            assert_eq!(between(quantity, 10.0, 10.2).decision, up);
            assert_eq!(between(quantity, 10.2, 10.0).decision, down);
            let same = between(quantity, 10.0, 10.05).decision;
            assert!(matches!(same, Decision::Same { within } if within < 0.008), "{same:?}");
        }
    }

    fn compared(first: &Row, second: &Row, limits: &Limits) -> Compared {
        super::compared(first, second, BothRuns::default(), limits)
    }

    /// Two sides of some seconds each, 45 s apart, were called 6.9 % slower; nothing had changed.
    #[test]
    fn runs_of_a_moment_show_only_changes_beyond_what_moments_differ_by() {
        for (is_of_a_moment, by, expected) in [
            (false, 1.069, Decision::Slower),
            (true, 1.069, Decision::Unclear),
            (true, 1.2, Decision::Slower),
        ] {
            let [first, second] = [10.0, 10.0 * by].map(|value| {
                let mut row = row(Quantity::Latency, &around(value), 0.0);
                row.point.id = PointId::new("syscall.getppid", "method=raw");
                row
            });
            let both = BothRuns { is_of_a_moment, ..BothRuns::default() };
            let found = super::compared(&first, &second, both, &Limits::default());
            assert_eq!(found.decision, expected, "{found:?}");
        }
    }

    /// No point with an actor on every CPU has a probe of its own: a bandwidth of all CPUs was called 73 % slower when the
    /// host had moved them.
    #[test]
    fn bandwidths_of_all_cpus_are_not_compared_between_two_placements() {
        for (cpus, line_ns, is_compared) in [("all", 325.0, false), ("all", 62.0, true), ("1", 325.0, true)] {
            let rows = [10.0, 13.0].map(|value| {
                let mut row = row(Quantity::Bandwidth, &around(value), 0.0);
                row.point.id = PointId::new("memory.bandwidth.read", &format!("bytes=1GiB cpus={cpus}"));
                row
            });
            let both = BothRuns { line_ns: [Some(60.0), Some(line_ns)], is_of_a_moment: false };
            let found = super::compared(&rows[0], &rows[1], both, &Limits::default());
            assert_eq!(found.decision == Decision::Faster, is_compared, "{cpus} {line_ns}: {found:?}");
        }
    }

    #[test]
    fn values_of_two_placements_are_not_compared() {
        for (line_ns, is_compared) in [(62.0, true), (90.0, true), (325.0, false)] {
            let [mut first, mut second] =
                [10.0, 13.0].map(|value| row(Quantity::Latency, &around(value), 0.0));
            first.estimate.as_mut().unwrap().line_ns = Some(60.0);
            second.estimate.as_mut().unwrap().line_ns = Some(line_ns);
            let found = compared(&first, &second, &Limits::default());
            assert_eq!(found.decision == Decision::Slower, is_compared, "{found:?}");
            let placements = NoDecision::Placements(60.0, line_ns);
            assert_eq!(found.reason, Some(placements).filter(|_| !is_compared));
            // Trials that were interleaved saw the same placements.
            let paired = Limits { paired: true, ..Limits::default() };
            assert_eq!(compared(&first, &second, &paired).decision, Decision::Slower);
        }
    }

    /// Costs below zero, such as those less a control, have a difference and no factor; it counts as a share of the first.
    /// The other run may have most of its processes in another of the states.
    #[test]
    fn a_change_within_the_states_of_a_run_is_none() {
        let modes = [(10.0, 0.8), (11.0, 0.2)].map(|(at, share)| stats::modes::Mode { at, share });
        for (second, expected) in [(11.0, Decision::Unclear), (13.0, Decision::Slower)] {
            let mut first = row(Quantity::Latency, &around(10.0), 0.0);
            let second = row(Quantity::Latency, &around(second), 0.0);
            assert_eq!(compared(&first, &second, &Limits::default()).decision, Decision::Slower);
            first.notes = vec![Note::States(modes.to_vec())];
            assert_eq!(compared(&first, &second, &Limits::default()).decision, expected);
        }
    }

    #[test]
    fn values_below_zero_differ_by_a_difference() {
        let up = between(Quantity::Latency, -1.0, 2.0);
        assert!(matches!(up.change, Some(Change::Difference(by)) if (by.value - 3.0).abs() < 0.01), "{up:?}");
        assert_eq!(up.decision, Decision::Slower);
        assert_eq!(between(Quantity::Latency, 2.0, -1.0).decision, Decision::Faster);
        let same = between(Quantity::Latency, -100.0, -100.5).decision;
        assert!(matches!(same, Decision::Same { within } if within < 0.01), "{same:?}");
    }

    #[test]
    fn an_uncertain_clock_widens_the_interval_at_both_ends() {
        for (first, second) in [(10.0, 12.0), (-10.0, 12.0)] {
            let first = row(Quantity::Latency, &around(first), 0.0);
            let [narrow, wide] = [0.0, 0.5].map(|clock_error| {
                let second = row(Quantity::Latency, &around(second), clock_error);
                match compared(&first, &second, &Limits::default()).change {
                    Some(Change::Factor(range) | Change::Difference(range)) => range,
                    None => panic!("no change with an error of {clock_error}"),
                }
            });
            assert!(wide.low < narrow.low - 1e-3 && wide.high > narrow.high + 1e-3);
            assert!((wide.value - narrow.value).abs() < 1e-12);
        }
        let [exact, carried] =
            [(10.0, 0.0), (12.0, 0.5)].map(|(value, error)| row(Quantity::Latency, &around(value), error));
        let unclear = compared(&exact, &carried, &Limits::default());
        assert_eq!(unclear.decision, Decision::Unclear);
        assert_eq!(unclear.reason, Some(NoDecision::TooWide));
    }

    #[test]
    fn too_few_trials_decide_nothing() {
        let few = row(Quantity::Latency, &[1.0; 5], 0.0);
        let many = row(Quantity::Latency, &[2.0; 70], 0.0);
        for (first, second) in [(&few, &few), (&few, &many), (&many, &few)] {
            let compared = compared(first, second, &Limits::default());
            assert_eq!(compared.decision, Decision::Unclear);
            assert_eq!(compared.reason, Some(NoDecision::TooFewTrials));
        }
    }

    const fn range(low: f64, high: f64) -> Range {
        Range { low, value: 1.0, high }
    }

    #[test]
    fn a_change_is_beyond_the_least_and_the_same_is_within_the_narrowest() {
        let limits = Limits { least: 0.25, same: 0.5, ..Limits::default() };
        for (low, high, expected) in [
            (1.25, 2.0, Decision::Unclear),
            (1.26, 2.0, Decision::Slower),
            (0.5, 0.8, Decision::Same { within: 0.5 }),
            (0.5, 0.79, Decision::Faster),
            (0.9, 1.5, Decision::Same { within: 0.5 }),
            (0.9, 1.75, Decision::Unclear),
            (0.25, 1.2, Decision::Unclear),
            (0.75, 1.125, Decision::Same { within: 0.25 }),
        ] {
            let reason = (expected == Decision::Unclear).then_some(NoDecision::TooWide);
            assert_eq!(
                decide(range(low, high), Quantity::Latency, &limits),
                (expected, reason),
                "{low} {high}"
            );
        }
    }

    #[test]
    fn a_difference_counts_as_a_share_of_the_first() {
        // From −4 to −2: by 2 of 4, which is a factor of 1.5.
        let compared = between(Quantity::Latency, -4.0, -4.2);
        assert!(matches!(compared.decision, Decision::Faster), "{compared:?}");
        let wide = Limits { least: 0.4, same: 0.3, ..Limits::default() };
        let first = row(Quantity::Latency, &around(-4.0), 0.0);
        let [half, less, same] = [-2.0, -2.5, -3.0].map(|second| {
            let second = row(Quantity::Latency, &around(second), 0.0);
            self::compared(&first, &second, &wide).decision
        });
        assert_eq!([half, less], [Decision::Slower, Decision::Unclear]);
        assert!(matches!(same, Decision::Same { within } if (within - 0.25).abs() < 4e-3));
    }

    #[test]
    fn errors_of_both_clocks_add_up_at_both_ends() {
        let rows = [row(Quantity::Latency, &[-10.0], 0.1), row(Quantity::Latency, &[20.0], 0.3)];
        let rows = [&rows[0], &rows[1]];
        let given = Range { low: 1.0, value: 2.0, high: 4.0 };
        for change in [Change::Factor(given), Change::Difference(given)] {
            let (found, low, high) = match widened(change, rows) {
                Change::Factor(found) => (found, (-0.4f64).exp(), 4.0 * 0.4f64.exp()),
                Change::Difference(found) => (found, 1.0 - 7.0, 4.0 + 7.0),
            };
            assert!((found.low - low).abs() < 1e-12 && (found.high - high).abs() < 1e-12, "{found:?}");
            assert!((found.value - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn trials_of_a_round_are_paired() {
        let first = row(Quantity::Latency, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0], 0.0);
        let mut second = row(Quantity::Latency, &[3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 192.0, 384.0], 0.0);
        second.trials.reverse();
        // Rounds that one of them lacks are no pairs.
        second.trials.push(TrialValue { round: 99, typical: 1.0, best: 1.0 });
        let Some(Change::Factor(factor)) = paired_change(&first, &second, 0.95) else { panic!("no factor") };
        for end in [factor.low, factor.value, factor.high] {
            assert!((end - 3.0).abs() < 1e-12, "{factor:?}");
        }
        // One value that is not above zero is enough.
        let [first_with_zero, second_with_zero] = [&first, &second].map(|row| {
            let mut row = row.clone();
            row.trials[0].typical = 0.0;
            row
        });
        assert_eq!(paired_change(&first, &second_with_zero, 0.95), None);
        assert_eq!(paired_change(&first_with_zero, &second, 0.95), None);
        assert_eq!(paired_change(&first, &second, 0.9999), None, "too few");
        assert_eq!(values(&second), [3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 192.0, 384.0, 1.0]);
        let (one, zero) = ([1.0; 20], [[0.0; 1].as_slice(), &[1.0; 19]].concat());
        assert!(matches!(change(&one, &one, 0.95), Some(Change::Factor(_))));
        assert!(matches!(change(&zero, &one, 0.95), Some(Change::Difference(_))));
        assert!(matches!(change(&one, &zero, 0.95), Some(Change::Difference(_))));
    }

    #[test]
    fn rows_that_do_not_mean_the_same_are_not_compared() {
        type Case = (fn(&mut Row), [NoDecision; 2]);
        let cases: [Case; 5] = [
            (|row| row.point.revision = 2, [NoDecision::Revision(1, 2), NoDecision::Revision(2, 1)]),
            (|row| row.point.quantity = Quantity::Size, [NoDecision::Quantity, NoDecision::Quantity]),
            (|row| row.point.payload_bytes = Some(1), [NoDecision::Quantity, NoDecision::Quantity]),
            (
                |row| row.point.estimator = record::Estimator::Each,
                [NoDecision::Estimator, NoDecision::Estimator],
            ),
            (
                |row| row.estimate = None,
                [Position::Second, Position::First]
                    .map(|position| NoDecision::NoNumber(position, Verdict::Measured, Vec::new())),
            ),
        ];
        let ten = row(Quantity::Latency, &around(10.0), 0.0);
        assert_eq!(incomparable(&ten, &ten), None);
        for (change, [as_second, as_first]) in cases {
            let mut other = ten.clone();
            change(&mut other);
            assert_eq!(incomparable(&ten, &other), Some(as_second));
            assert_eq!(incomparable(&other, &ten), Some(as_first));
        }
    }

    #[test]
    fn values_of_a_state_of_the_machine_are_not_compared() {
        let broken =
            crate::rows::reason::Broken { witness: Witness::default(), counted: 0.0, broken: 1, read: 1 };
        let states = [
            Reason::Unsteady { by: 0.1, trials: 1, all: 1 },
            Reason::SetAside(0.1, None),
            Reason::OtherTasks(0.1),
            Reason::Noise(broken),
        ];
        let wide = Reason::TooWide { half: 0.1, precision: 0.05 };
        let steady = Row { verdict: Verdict::Noisy, ..row(Quantity::Latency, &around(10.0), 0.0) };
        let limits = Limits::default();
        for reason in states {
            let other = Row { reasons: vec![wide.clone(), reason.clone()], ..steady.clone() };
            for (first, second, position) in
                [(&steady, &other, Position::Second), (&other, &steady, Position::First)]
            {
                let compared = compared(first, second, &limits);
                let expected = NoDecision::MachineState(position, reason.clone());
                assert_eq!((compared.decision, compared.reason), (Decision::Unclear, Some(expected)));
                assert!(compared.noisy);
            }
        }
        let wide = Row { reasons: vec![wide], ..steady };
        let narrow = compared(&wide, &wide, &limits);
        assert!(matches!(narrow.decision, Decision::Same { .. }), "{narrow:?}");
        assert!(!between(Quantity::Latency, 1.0, 1.0).noisy);
    }

    /// A system call that took four times as long was undecided because its time lay at 75 or at 82 ns.
    #[test]
    fn between_states_only_a_change_beyond_all_of_them_is_one() {
        let wide = Reason::TooWide { half: 0.1, precision: 0.05 };
        let first = row(Quantity::Latency, &around(10.0), 0.0);
        for reason in [Reason::States, wide] {
            for (value, expected) in [
                (14.0, Decision::Unclear),
                (16.0, Decision::Slower),
                (8.0, Decision::Unclear),
                (6.0, Decision::Faster),
                (10.0, Decision::Unclear),
            ] {
                // Two states, at 0.7 and 1.4 of the value.
                let modes = [(0.7, 0.4), (1.4, 0.6)];
                let modes = modes.map(|(at, share)| stats::modes::Mode { at: at * value, share }).to_vec();
                let second = row(Quantity::Latency, &around(value), 0.0);
                let second = Row { verdict: Verdict::Noisy, reasons: vec![reason.clone()], modes, ..second };
                for limits in [false, true].map(|paired| Limits { paired, ..Limits::default() }) {
                    let found = compared(&first, &second, &limits);
                    let states = NoDecision::MachineState(Position::Second, Reason::States);
                    let reason = (expected == Decision::Unclear).then_some(states);
                    assert_eq!((found.decision, found.reason), (expected, reason), "{value}");
                    let Some(Change::Factor(factor)) = found.change else { panic!("no factor") };
                    let ends = [factor.low / factor.value, factor.high / factor.value];
                    assert!(ends[0] < 0.71 && ends[1] > 1.39, "{factor:?}");
                }
            }
        }
        // Where values are not all above zero.
        let [first, second] = [-4.0, 8.0].map(|value| {
            let modes = [-5.0, 9.0].map(|at| stats::modes::Mode { at, share: 0.5 }).to_vec();
            Row { modes, ..row(Quantity::Latency, &[value], 0.0) }
        });
        let given = Change::Difference(Range { low: 11.0, value: 12.0, high: 13.0 });
        let expected = Range { low: 11.0 - 13.0 - 13.0, value: 12.0, high: 13.0 + 1.0 + 1.0 };
        assert_eq!(from_any_state_to_any(given, [&first, &second]), Change::Difference(expected));
    }
}
