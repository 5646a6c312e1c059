//! The tail of a point: percentiles over all trials, closed and open loop, with and without readings of counters.

use crate::rows::run_class::by_class;
use crate::tails::causes::TailCauses;
use crate::tails::distribution::{PERCENTILES, TailDistribution, TailTrial};
use crate::thresholds::RUNS_OF_TAILS;
use record::{PlannedPoint, PointId};

/// The least percentile of the tail: below it, readings between iterations may cool caches, and explain no outlier.
const TAIL_FROM: f64 = 0.99;

/// Whether reading counters around iterations made another tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observer {
    /// At all percentiles of the tail that both have, the intervals meet.
    Unseen,
    /// At this percentile they do not.
    Differs {
        /// Of [`PERCENTILES`].
        index: usize,
    },
    /// There are too few iterations or processes for an interval.
    Unknown,
}

/// The tail of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTail {
    /// The point.
    pub id: PointId,
    /// Standard deviation of a percentile between runs, as a share of it, besides what the interval of a run covers.
    pub between_runs: f64,
    /// From the start of each iteration to its end, without readings around it.
    pub service: TailDistribution,
    /// From when each iteration was due; `None` in a closed loop, or where the schedule could not be kept.
    pub response: Option<TailDistribution>,
    /// Iterations per second of the schedule.
    pub rate: Option<f64>,
    /// Iterations that were due and never began.
    pub unserved: u64,
    /// Trials in which fewer iterations were timed than made: their numbers are not shown.
    pub incomplete: usize,
    /// The same with readings around each iteration.
    pub looked: Option<TailDistribution>,
    /// Whether the readings changed the percentiles.
    pub observer: Observer,
    /// What delayed the slowest iterations; `None` without readings.
    pub causes: Option<TailCauses>,
}

impl PointTail {
    /// The tail of a point from its trials; `None` where no iteration was timed.
    pub(crate) fn from_trials(point: &PlannedPoint, trials: &[TailTrial]) -> Option<Self> {
        let (complete, incomplete): (Vec<&TailTrial>, Vec<&TailTrial>) =
            trials.iter().partition(|trial| trial.tail.service.total() == trial.tail.iterations);
        let plain = || complete.iter().map(|trial| &trial.tail).filter(|tail| tail.looks.is_none());
        let looked: Vec<&TailTrial> =
            complete.iter().copied().filter(|trial| trial.tail.looks.is_some()).collect();
        let service = TailDistribution::from_durations(plain().map(|tail| &tail.service))?;
        let unserved = plain().map(|tail| tail.unserved).sum();
        let response = TailDistribution::from_durations(plain().filter_map(|tail| tail.response.as_ref()));
        let with_looks = TailDistribution::from_durations(looked.iter().map(|trial| &trial.tail.service));
        Some(Self {
            id: point.id.clone(),
            between_runs: between_runs(point),
            observer: observer(&service, with_looks.as_ref()),
            causes: TailCauses::from_trials(&point.id, &service, &looked),
            response: response.filter(|_| unserved == 0),
            rate: plain().find_map(|tail| tail.rate),
            unserved,
            incomplete: incomplete.len(),
            looked: with_looks,
            service,
        })
    }
}

/// As far as medians of its class differ between runs, and at least as far as percentiles do.
fn between_runs(point: &PlannedPoint) -> f64 {
    by_class(point).unwrap_or(0.0).max(RUNS_OF_TAILS)
}

fn observer(plain: &TailDistribution, looked: Option<&TailDistribution>) -> Observer {
    let Some(looked) = looked else { return Observer::Unknown };
    let pairs = plain.percentiles.iter().zip(&looked.percentiles).enumerate();
    let known = pairs.filter_map(|(index, (plain, looked))| {
        let [plain, looked] = [plain, looked].map(|one| one.ok().and_then(|one| one.interval));
        let (plain, looked) = plain.zip(looked).filter(|_| PERCENTILES.get(index) >= Some(&TAIL_FROM))?;
        let meet = plain.high.is_none_or(|high| high >= looked.low)
            && looked.high.is_none_or(|high| high >= plain.low);
        Some((index, meet))
    });
    let known: Vec<(usize, bool)> = known.collect();
    match known.iter().find(|(_, meet)| !meet) {
        Some((index, _)) => Observer::Differs { index: *index },
        None if known.is_empty() => Observer::Unknown,
        None => Observer::Unseen,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tails::distribution::tail_of_values;
    use record::{Durations, Tail};
    use record::{Outlier, TailLooks};

    /// A trial of iterations that took these nanoseconds, each so often.
    pub(crate) fn trial(buckets: &[(u64, u64)], looks: Option<TailLooks>) -> TailTrial {
        let service = Durations {
            ns: buckets.iter().map(|(ns, _)| *ns).collect(),
            count: buckets.iter().map(|(_, count)| *count).collect(),
            longest_ns: buckets.last().map_or(0, |(ns, _)| *ns),
        };
        let tail = Tail { iterations: service.total(), service, looks, ..Tail::default() };
        TailTrial { tail, started_ns: 0, quiet_ratio: None, tick_ns: None }
    }

    fn point() -> PlannedPoint {
        PlannedPoint::new(PointId::new("a.b", ""))
    }

    #[test]
    fn percentiles_are_those_of_all_trials_without_readings() {
        let plain = trial(&[(100, 980), (1_000, 15), (9_000, 5)], None);
        let looked = trial(&[(700, 970), (20_000, 30)], Some(TailLooks::default()));
        let trials: Vec<TailTrial> =
            (0..12).map(|n| if n % 2 == 0 { plain.clone() } else { looked.clone() }).collect();
        let tail = PointTail::from_trials(&point(), &trials).unwrap();
        assert_eq!(
            (tail.service.samples, tail.service.processes, tail.service.longest_ns),
            (6_000, 6, 9_000)
        );
        let values: Vec<Option<u64>> =
            PERCENTILES.map(|share| tail.service.percentile(share).map(|found| found.value)).into();
        assert_eq!(values, [Some(100), Some(100), Some(1_000), Some(9_000), None]);
        assert_eq!(tail.observer, Observer::Differs { index: 2 });
        assert_eq!(tail.service.curve.last(), Some(&(1.0 / 6_000.0, 9_000.0)));
    }

    #[test]
    fn values_are_iterations_and_none_is_lost() {
        let tail = tail_of_values(&[30.2, 10.0, -5.0, 10.4]);
        assert_eq!(tail.service.buckets().collect::<Vec<_>>(), [(0, 1), (10, 2), (30, 1)]);
        assert_eq!((tail.iterations, tail.service.total(), tail.service.longest_ns), (4, 4, 30));
        assert_eq!(tail_of_values(&[]).iterations, 0);
    }

    #[test]
    fn trial_that_did_not_time_every_iteration_has_no_number() {
        let mut merged = trial(&[(100, 1_000)], None);
        merged.tail.iterations = 2_000;
        assert_eq!(PointTail::from_trials(&point(), &[merged.clone()]), None);
        let tail = PointTail::from_trials(&point(), &[merged, trial(&[(100, 10)], None)]).unwrap();
        assert_eq!((tail.incomplete, tail.service.samples), (1, 10));
    }

    #[test]
    fn response_times_of_a_schedule_that_was_not_kept_are_not_shown() {
        let mut open = trial(&[(100, 1_000)], None);
        open.tail.response = Some(open.tail.service.clone());
        open.tail.rate = Some(1e3);
        assert!(PointTail::from_trials(&point(), &[open.clone()]).unwrap().response.is_some());
        open.tail.unserved = 3;
        let tail = PointTail::from_trials(&point(), &[open]).unwrap();
        assert_eq!((tail.response, tail.unserved, tail.rate), (None, 3, Some(1e3)));
    }

    #[test]
    fn causes_are_counted_beyond_the_percentile_that_has_outliers() {
        let outlier = |took_ns, name: &str| Outlier {
            took_ns,
            window_ns: took_ns + 1,
            rose: [(name.to_owned(), 2e6)].into(),
            ..Outlier::default()
        };
        let looks = TailLooks {
            outliers: vec![
                outlier(2_000_000, "run_delay_ns"),
                outlier(1_900_000, "x"),
                outlier(200, "run_delay_ns"),
            ],
            iterations: 1_000,
            window_ns: 1_000_000,
            ..TailLooks::default()
        };
        let plain = trial(&[(100, 9_990), (1_000, 10)], None);
        let trials = [plain.clone(), trial(&[(100, 998), (1_900_000, 2)], Some(looks))];
        let causes = PointTail::from_trials(&point(), &trials).unwrap().causes.unwrap();
        assert_eq!((causes.share, causes.beyond_ns, causes.outliers.len()), (0.999, 100, 3));
        let names: Vec<_> =
            causes.counts.iter().map(|(cause, count)| (format!("{cause:?}"), *count)).collect();
        assert_eq!(names, [("OtherTask(None)".to_owned(), 2), ("Unknown".to_owned(), 1)]);
        assert_eq!(causes.outliers.first().map(|slowest| slowest.took_ns), Some(2_000_000));
    }

    #[test]
    fn causes_are_shown_from_the_first_percentile_that_stands_out() {
        let outlier = |took_ns| Outlier { took_ns, window_ns: took_ns + 1, ..Outlier::default() };
        for (buckets, expected) in [
            (&[(100, 8_000), (500, 2_000)][..], (0.9, 500)),
            (&[(100, 9_850), (5_000, 100), (9_000, 50)], (0.99, 5_000)),
            (&[(100, 9_980), (9_000, 20)], (0.999, 9_000)),
            // Nothing is twice the median.
            (&[(100, 9_850), (150, 150)], (0.999, 150)),
            // Of so few iterations there is no p99.9.
            (&[(100, 990), (150, 10)], (0.99, 100)),
        ] {
            // Of the iterations that took 20 µs the record keeps two.
            let looks = TailLooks {
                outliers: vec![outlier(20_000), outlier(20_000)],
                iterations: 1_000,
                window_ns: 1_000_000,
                ..TailLooks::default()
            };
            let trials = [trial(buckets, None), trial(&[(100, 960), (20_000, 40)], Some(looks))];
            let causes = PointTail::from_trials(&point(), &trials).unwrap().causes.unwrap();
            assert_eq!((causes.share, causes.beyond_ns), expected);
            assert_eq!((causes.beyond, causes.outliers.len()), (40, 2));
        }
    }
}
