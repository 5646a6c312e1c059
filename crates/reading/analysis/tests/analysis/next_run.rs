//! Simulated machines whose runs differ by a known amount: the interval of the next run, the earlier runs that it is
//! estimated from, and a state that changes in a run.

use crate::simulated::{Course, Simulated, analyst, normal, point, settings};
use analysis::{Analysis, Analyst, EarlierRuns, Note, Row};
use fastrand::Rng;
use record::{PlannedPoint, PointId};

/// Points of a machine, and machines.
const POINTS: usize = 100;
const MACHINES: u64 = 10;
/// Runs before the one whose interval is judged by the one after it.
const EARLIER: usize = 10;

/// The deviation between runs of two classes as the table has it, and an operation of each.
const SWITCHES: (&str, f64) = ("switch.process.pipe", 0.012);
const SIGNALS: (&str, f64) = ("signal.deliver.self", 0.0022);

/// How the deviations between the runs of the points of a machine lie to that of their class.
#[derive(Clone, Copy)]
enum Points {
    /// As points of a class do: some are quiet, some are loud, and the table covers 95 % of all.
    AsInAClass,
    /// All have this multiple of the deviation of their class.
    Times(f64),
}

impl Points {
    fn deviation(self, class: f64, random: &mut Rng) -> f64 {
        match self {
            Self::Times(factor) => factor * class,
            Self::AsInAClass => {
                // Three degrees of freedom, of which 95 % reach 3.182 deviations.
                let chi_square: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                class * 1.96 / 3.182 * (3.0 / chi_square).sqrt()
            }
        }
    }
}

fn planned(operation: &str, number: usize) -> PlannedPoint {
    PlannedPoint { area: "os".to_owned(), ..point(operation, &format!("number={number}")) }
}

/// A run of twelve rounds, in which every point has the cost that it has in this run.
fn run(operation: &str, costs_ns: &[f64], seed: u64) -> Analyst {
    let points: Vec<PlannedPoint> = (0..costs_ns.len()).map(|number| planned(operation, number)).collect();
    let mut analyst = analyst(points.clone(), settings(0.05, 12));
    for (number, (planned, cost_ns)) in points.iter().zip(costs_ns).enumerate() {
        let quiet = Simulated { layout: 0.005, outliers: 0.0, triples: 5, ..Simulated::default() };
        let machine = Simulated { cost_ns: *cost_ns, ..quiet };
        let mut course = Course::new(machine, 12, seed * 1000 + number as u64);
        (1..=12).for_each(|round| analyst.add_trial(&course.trial(&planned.id, round)));
    }
    (1..=12).for_each(|round| analyst.end_round(round));
    analyst
}

/// The runs of a machine, one after the other.
fn runs((operation, class): (&str, f64), points: Points, seed: u64) -> Vec<Analyst> {
    let mut random = Rng::with_seed(seed);
    let deviations: Vec<f64> = (0..POINTS).map(|_| points.deviation(class, &mut random)).collect();
    let runs = (0..EARLIER as u64 + 2).map(|number| {
        let costs = deviations.iter().map(|deviation| 50.0 * (deviation * normal(&mut random)).exp());
        run(operation, &costs.collect::<Vec<_>>(), seed * 100 + number)
    });
    runs.collect()
}

/// For how many of the points the interval of a run covers the value of the next one.
struct Covered {
    /// For each number of earlier runs the share, and the median half width.
    by_earlier: Vec<(f64, f64)>,
    /// The share without the component between runs.
    without: f64,
}

fn coverages(class: (&str, f64), points: Points, earlier: &[usize]) -> Covered {
    let (mut covered, mut without) = (vec![0; earlier.len()], 0);
    let mut halves = vec![Vec::new(); earlier.len()];
    for seed in 0..MACHINES {
        let runs = runs(class, points, seed);
        let analyses: Vec<Analysis> = runs.iter().map(Analyst::analysis).collect();
        let [last, next] = [EARLIER, EARLIER + 1].map(|run| &analyses[run].rows);
        without += last.iter().zip(next).filter(|(row, next)| covers_without(row, next)).count();
        for (place, &count) in earlier.iter().enumerate() {
            let mut known = EarlierRuns::default();
            // The newest come first.
            analyses[EARLIER - count..EARLIER].iter().for_each(|run| known.add(&run.summary_rows()));
            let rows = runs[EARLIER].clone().after(&known).rows();
            for (row, next) in rows.iter().zip(next) {
                let (low, high) = row.next_run().unwrap().ends();
                covered[place] += u32::from((low..=high).contains(&next.typical().unwrap()));
                halves[place].push(row.next_run_half_width().unwrap());
                assert_eq!(row.between_runs().unwrap().records, if count < 3 { 0 } else { count });
            }
        }
    }
    let all = (MACHINES as usize * POINTS) as f64;
    let halves = halves.iter().map(|halves| stats::order::median(halves).unwrap());
    let shares = covered.iter().map(|covered| f64::from(*covered) / all);
    Covered { by_earlier: shares.zip(halves).collect(), without: without as f64 / all }
}

/// Whether the interval of a run alone, as far as it says something of a difference of two, covers the value of the next one.
fn covers_without(row: &Row, next: &Row) -> bool {
    let (typical, next) = (row.typical().unwrap(), next.typical().unwrap());
    let (low, high) = row.estimate.as_ref().unwrap().interval.unwrap().ends();
    let reach = std::f64::consts::SQRT_2 * if next < typical { typical - low } else { high - typical };
    (next - typical).abs() <= reach
}

#[test]
fn the_next_run_is_covered_by_the_table_and_with_three_five_and_ten_earlier_runs() {
    let covered = coverages(SWITCHES, Points::AsInAClass, &[0, 3, 5, 10]);
    for (share, _) in covered.by_earlier {
        assert!((0.93..=0.97).contains(&share), "{share}");
    }
    // Left out, the component would be missed.
    assert!(covered.without < 0.85, "{}", covered.without);
}

#[test]
fn the_next_run_is_covered_where_all_points_are_as_their_class() {
    let covered = coverages(SWITCHES, Points::Times(1.0), &[0, 3, 5, 10]);
    for (share, _) in covered.by_earlier {
        assert!((0.93..=0.97).contains(&share), "{share}");
    }
    assert!(covered.without < 0.75, "{}", covered.without);
}

#[test]
fn a_component_below_the_interval_of_a_run_costs_little() {
    let all = coverages(SIGNALS, Points::AsInAClass, &[0, 3, 10]).by_earlier;
    for (share, half) in &all {
        assert!((0.93..=0.99).contains(share), "{share}");
        assert!(*half < 1.1 * all[0].1, "{half} {all:?}");
    }
}

#[test]
fn earlier_runs_tell_that_points_are_louder_or_quieter_than_their_class() {
    let [(table, _), (three, _), (ten, _)] =
        coverages(SWITCHES, Points::Times(3.0), &[0, 3, 10]).by_earlier[..]
    else {
        panic!("three shares");
    };
    assert!(table < 0.6 && three > table + 0.15 && ten > 0.90, "{table} {three} {ten}");
    let [(_, table), (_, three), (share, ten)] =
        coverages(SWITCHES, Points::Times(0.2), &[0, 3, 10]).by_earlier[..]
    else {
        panic!("three shares");
    };
    assert!(three < table && ten < 0.7 * table && share > 0.93, "{table} {three} {ten}: {share}");
}

#[test]
fn earlier_runs_move_no_value() {
    let runs = runs(SWITCHES, Points::Times(3.0), 1);
    let mut known = EarlierRuns::default();
    runs[..EARLIER].iter().for_each(|run| known.add(&run.analysis().summary_rows()));
    let [alone, after] = [runs[EARLIER].clone(), runs[EARLIER].clone().after(&known)].map(|run| run.rows());
    for (alone, after) in alone.iter().zip(after) {
        assert_ne!(alone.next_run(), after.next_run());
        assert_eq!(*alone, Row { by_earlier_runs: None, ..after });
    }
}

const SECOND: u64 = 1_000_000_000;

/// A run of a minute on a machine whose disk changes its state after half of it: a trial a second until the point is narrow, and
/// if it is tried late, again from the 51st second on.
fn on_a_changing_disk(is_tried_late: bool, seed: u64) -> (Analyst, PointId) {
    let planned = PlannedPoint { area: "file".to_owned(), ..point("file.read.direct", "access=random") };
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(0.03, 6));
    let quiet = Simulated { layout: 0.005, outliers: 0.0, ..Simulated::default() };
    let mut states = [47.5, 38.2].map(|cost_ns| Course::new(Simulated { cost_ns, ..quiet }, 60, seed));
    for second in 1..=60 {
        if analyst.may_close(&id) && (second <= 50 || !is_tried_late || second > 51) {
            continue;
        }
        let state = &mut states[usize::from(second > 30)];
        let mut trial = state.trial(&id, second as u32);
        trial.started_ns = second * SECOND;
        analyst.add_trial(&trial);
        analyst.end_round(second as u32);
        let was_early = second < 30 || second == 51;
        assert!(was_early || is_tried_late, "narrow after a few seconds");
    }
    (analyst, id)
}

#[test]
fn a_disk_that_changes_its_state_in_a_run_opens_its_points_and_the_interval_covers_both() {
    for seed in 0..20 {
        let (analyst, id) = on_a_changing_disk(true, seed);
        let row = analyst.row(&id).unwrap();
        let (low, high) = row.estimate.as_ref().unwrap().interval.unwrap().ends();
        assert!(low < 38.5 && high > 47.2, "{low} {high}");
        assert!(row.trials.iter().filter(|trial| trial.round > 50).count() >= 6, "{:?}", row.trials);
        let change = row.notes.iter().find_map(|note| match note {
            Note::Change(change) => Some(change),
            _ => None,
        });
        let change = change.expect("the state is named with its times");
        assert!(change.early.until_ns < 30 * SECOND && change.late.from_ns == 51 * SECOND, "{change:?}");
        // Without late trials the run has seen one state.
        let (analyst, id) = on_a_changing_disk(false, seed);
        let (low, high) = analyst.row(&id).unwrap().estimate.unwrap().interval.unwrap().ends();
        assert!(low > 46.0 && high < 49.0, "{low} {high}");
    }
}
