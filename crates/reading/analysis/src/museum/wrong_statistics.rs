//! Wrong ways to read right batches. Each makes one number of every trial, as if its process had been the whole
//! experiment, so that the wrong result has an interval over processes as the right one has.

use crate::rows::row::Row;
use crate::samples::{plausibility, sample};
use crate::thresholds::COVERAGE;
use quantity::Quantity;
use record::{Gate, Range, Record};
use stats::interval::Interval;
use stats::order::{Sorted, median};
use stats::spread;

/// The batches of a point, as a record holds them.
#[derive(Debug, Clone)]
pub struct PointSamples<'r> {
    /// What the analysis says of the point.
    pub(super) row: &'r Row,
    /// Its trials.
    pub(super) trials: Vec<ProcessSamples>,
}

/// The samples of one trial.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessSamples {
    /// Those that count.
    pub(super) kept: Vec<f64>,
    /// All of them.
    pub(super) all: Vec<f64>,
    /// Ticks of its counter in a second, and the core's clock, where both are known.
    pub(super) rates: Option<(f64, f64)>,
}

/// A wrong result and what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticPair {
    /// What is compared, where it is not the result itself: `deviation`.
    pub(super) of: &'static str,
    /// The wrong one.
    pub(super) wrong: Range,
    /// The right one.
    pub(super) right: Range,
    /// The kind of both.
    pub(super) quantity: Quantity,
    /// Wrong divided by right within each process, where both are made of the same batches: what processes have in
    /// common is no error of a reading.
    pub(super) factor: Option<Range>,
}

/// Makes a wrong result of batches; `None` where there are too few.
pub type WrongStatistic = fn(&[PointSamples<'_>]) -> Option<StatisticPair>;

/// The gate that excludes no batch.
const NO_GATE: Gate = Gate { cpu_share: None, involuntary: false, shared_core: None };

impl<'r> PointSamples<'r> {
    /// The batches of a row in a record.
    pub(super) fn from_record(row: &'r Row, record: &Record) -> Self {
        let trials = record.trials.iter().filter(|trial| trial.id == row.point.id);
        let trials = trials.filter_map(|trial| {
            let shape = plausibility::check(trial, &row.point.estimator).ok()?;
            let counter = trial.clock != "monotonic_raw";
            Some(ProcessSamples {
                kept: sample::take(&row.point, &row.point.gate, trial, &shape).ok()?.values(),
                all: sample::take(&row.point, &NO_GATE, trial, &shape).ok()?.values(),
                rates: trial.core_hz.filter(|_| counter).map(|core| (1e9 / trial.ns_per_tick, core)),
            })
        });
        Self { row, trials: trials.collect() }
    }

    /// The wrong result beside the right one: one number of each trial.
    fn instead(&self, of: fn(&ProcessSamples) -> Option<f64>) -> Option<StatisticPair> {
        let factor = self.over(|trial| Some(of(trial)? / median(&trial.kept)?));
        Some(StatisticPair { factor, ..self.pair("", self.over(of)?, self.row.range()?) })
    }

    /// A result beside another.
    fn pair(&self, of: &'static str, wrong: Range, right: Range) -> StatisticPair {
        StatisticPair { of, wrong, right, quantity: self.row.quantity(), factor: None }
    }

    /// The median over trials with its interval, or all that was seen where they are too few for one.
    fn over(&self, of: impl Fn(&ProcessSamples) -> Option<f64>) -> Option<Range> {
        let values = self.trials.iter().filter_map(of);
        let sorted = Sorted::from_values(values.filter(|value| value.is_finite()));
        let ends = (*sorted.values().first()?, *sorted.values().last()?);
        let (low, high) = sorted.median_interval(COVERAGE).map_or(ends, Interval::ends);
        Some(Range { low, value: sorted.median()?, high })
    }

    /// The deviation over trials of one number of each.
    fn deviation(&self, of: impl Fn(&ProcessSamples) -> Option<f64>) -> Option<Range> {
        deviation_of(&self.trials.iter().filter_map(of).collect::<Vec<f64>>())
    }

    /// Trials one behind the other, until they have this many samples together.
    fn joined(&self, least: usize) -> Self {
        let mut trials: Vec<ProcessSamples> = Vec::new();
        for trial in &self.trials {
            match trials.last_mut().filter(|last| last.all.len() < least) {
                Some(last) => last.all.extend(&trial.all),
                None => trials.push(trial.clone()),
            }
        }
        Self { row: self.row, trials }
    }

    fn medians(&self) -> Vec<f64> {
        self.row.trials.iter().map(|trial| trial.typical).collect()
    }
}

/// A deviation over trials with its interval: each trial left out in turn. It is wide with few trials, as it must be.
fn deviation_of(values: &[f64]) -> Option<Range> {
    let whole = spread::deviation(values)?;
    let without = (0..values.len()).filter_map(|out| {
        let rest = values.iter().enumerate().filter(|(at, _)| *at != out);
        spread::deviation(rest.map(|(_, value)| value))
    });
    let (low, high) = without.fold((whole, whole), |(low, high), one| (low.min(one), high.max(one)));
    Some(Range { low, value: whole, high })
}

/// The mean of every sample, whatever happened during it.
pub(super) fn mean_of_all(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| spread::mean(&trial.all))
}

/// The shortest sample of a process.
pub(super) fn shortest(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| Sorted::from_values(&trial.all).values().first().copied())
}

/// The first sample of a process.
pub(super) fn first(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| trial.all.first().copied())
}

/// Runs that are tried before the best is chosen.
const RUNS: usize = 5;

/// The lowest result of each five processes in a row, beside the typical one of all. These are not independent: from the
/// least to the largest.
pub(super) fn best_run(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let medians = point.medians();
    let best = medians.windows(RUNS).map(|runs| runs.iter().copied().fold(f64::INFINITY, f64::min));
    let sorted = Sorted::from_values(best);
    let (low, high) = (*sorted.values().first()?, *sorted.values().last()?);
    let wrong = Range { low, value: sorted.median()?, high };
    Some(point.pair("", wrong, Range::exactly(point.row.typical()?)))
}

/// The mean over two states that are equally frequent, beside the state that is nearer.
pub(super) fn mean_of_two_states(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let (one, other) = (of.first()?, of.get(1)?);
    let (a, b) = (one.row.range()?, other.row.range()?);
    let middle = f64::midpoint(a.value, b.value);
    let [to_a, to_b] = [a, b].map(|state| (middle / state.value).ln().abs());
    let nearer = if to_a < to_b { a } else { b };
    let wrong =
        Range { low: f64::midpoint(a.low, b.low), value: middle, high: f64::midpoint(a.high, b.high) };
    Some(one.pair("mean of both beside the nearer of the two", wrong, nearer))
}

/// Samples of one result.
const FEW: usize = 4;

/// How much the mean of a few samples moves from process to process, beside the median of all.
pub(super) fn four_samples(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let wrong = point.deviation(|trial| spread::mean(trial.all.get(..FEW)?))?;
    Some(point.pair("deviation from run to run", wrong, point.deviation(|trial| median(&trial.all))?))
}

/// Standard errors in half an interval of 95 % of a normal distribution.
const NORMAL: f64 = 1.96;

/// The error that one process claims for itself, beside that which processes have.
pub(super) fn one_process(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let claimed = point.over(|trial| {
        let count = trial.kept.len() as f64;
        Some(NORMAL * spread::deviation(&trial.kept)? / count.sqrt())
    })?;
    let right = deviation_of(&point.medians())?.map(|deviation| NORMAL * deviation);
    Some(point.pair("half of the interval", claimed, right))
}

/// The deviation of the processes' means, beside that of the samples.
pub(super) fn deviation_of_means(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let right = point.over(|trial| spread::deviation(&trial.all))?;
    Some(point.pair("deviation", point.deviation(|trial| spread::mean(&trial.all))?, right))
}

/// Step of a clock of 24 MHz, in nanoseconds.
const STEP: f64 = 1e3 / 24.0;
/// By so much of a step the start of each reading lies later than that of the last: the golden section visits all
/// phases evenly, without chance.
const PHASE: f64 = 0.618_033_988_749_895;

/// The deviation of samples that a coarse clock would have read, beside their own.
pub(super) fn coarse_deviation(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let coarse = point.over(|trial| {
        let begins = (0u32..).map(|at| (f64::from(at) * PHASE).fract());
        let read = trial.kept.iter().zip(begins);
        spread::deviation(read.map(|(time, begin)| (begin + time / STEP).floor() * STEP))
    })?;
    let right = point.over(|trial| spread::deviation(&trial.kept))?;
    Some(point.pair("deviation", coarse, right))
}

/// Samples above this many medians are dropped.
const CUT: f64 = 2.0;

/// The mean of what is left when long samples are dropped, beside the mean of all.
pub(super) fn cut(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let whole = point.over(|trial| spread::mean(&trial.all))?;
    let factor = point.over(|trial| Some(mean_without_long(trial)? / spread::mean(&trial.all)?));
    Some(StatisticPair { factor, ..point.pair("mean", point.over(mean_without_long)?, whole) })
}

/// The mean of the samples up to [`CUT`] medians.
fn mean_without_long(trial: &ProcessSamples) -> Option<f64> {
    let limit = CUT * median(&trial.all)?;
    spread::mean(trial.all.iter().filter(|value| **value <= limit))
}

/// Requests that arrive, as a share of those that could be served.
const LOAD: f64 = 0.7;
/// The share of requests that a promise is made for. 29 samples are needed: of fewer, all may lie below it.
const PROMISED: f64 = 0.9;
const LEAST_PROMISED: usize = 29;

/// The time that most requests take when each is sent after the one before was answered, beside the time that they take
/// when they arrive at a fixed rate.
pub(super) fn closed_loop(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = &of.first()?.joined(LEAST_PROMISED);
    let service = |trial: &ProcessSamples| promised(&trial.all);
    let response = |trial: &ProcessSamples| promised(&response_times(&trial.all)?);
    let pair = point.pair("time of 90 % of requests", point.over(service)?, point.over(response)?);
    Some(StatisticPair { factor: point.over(|trial| Some(service(trial)? / response(trial)?)), ..pair })
}

fn promised(times: &[f64]) -> Option<f64> {
    Sorted::from_values(times).quantile(PROMISED).filter(|_| times.len() >= LEAST_PROMISED)
}

/// From the arrival of each request to its answer: it waits until those before it are served.
fn response_times(service: &[f64]) -> Option<Vec<f64>> {
    let interval = spread::mean(service)? / LOAD;
    let mut waiting = 0.0_f64;
    let responses = service.iter().map(|time| {
        let response = waiting + time;
        waiting = (response - interval).max(0.0);
        response
    });
    Some(responses.collect())
}

/// Ticks of the counter in a cycle of the core, of which there is one.
pub(super) fn ticks_as_cycles(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let wrong = point.over(|trial| trial.rates.map(|(ticks, core)| ticks / core))?;
    let pair = point.pair("cycles counted for each of the core", wrong, Range::exactly(1.0));
    Some(StatisticPair { quantity: Quantity::Count, ..pair })
}

/// 2³⁰ and 10⁹.
const BINARY: f64 = 1_073_741_824.0 / 1e9;

/// A rate in binary units called decimal.
pub(super) fn binary_units(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let value = point.row.typical()?;
    Some(point.pair("", Range::exactly(value / BINARY), Range::exactly(value)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::fixtures::{range, row, saw_only};

    /// Processes, each with these batches that count and with these in all.
    fn processes(of: &[(&[f64], &[f64])]) -> Vec<ProcessSamples> {
        of.iter()
            .map(|(kept, all)| ProcessSamples { kept: kept.to_vec(), all: all.to_vec(), rates: None })
            .collect()
    }

    /// A row of these numbers whose trials had these medians.
    fn of_medians(of: (f64, f64, f64), medians: &[f64]) -> Row {
        saw_only(row("x", "", Quantity::Latency, of), medians)
    }

    /// What a statistic makes of one point: what it compares, wrong, right, and the factor where it has one.
    fn read(
        statistic: WrongStatistic,
        medians: &[f64],
        trials: Vec<ProcessSamples>,
    ) -> Option<StatisticPair> {
        statistic(&[PointSamples { row: &of_medians((1.0, 2.0, 4.0), medians), trials }])
    }

    fn pair(of: &'static str, wrong: (f64, f64, f64), right: (f64, f64, f64)) -> StatisticPair {
        let (wrong, right) = (range(wrong), range(right));
        StatisticPair { of, wrong, right, quantity: Quantity::Latency, factor: None }
    }

    /// The deviation of 1, 3 and 8, and of two of them at a time, times this.
    fn deviation_of_1_3_8(times: f64) -> (f64, f64, f64) {
        (times * 2.0_f64.sqrt(), times * 13.0_f64.sqrt(), times * 24.5_f64.sqrt())
    }

    #[test]
    fn one_sample_of_a_process_or_their_mean_stands_for_its_median() {
        for (statistic, wrong, factor) in [
            (mean_of_all as WrongStatistic, (2.0, 4.0, 12.0), (1.0, 2.0, 3.0)),
            (shortest, (1.0, 1.0, 8.0), (0.5, 0.5, 2.0)),
            (first, (3.0, 4.0, 8.0), (1.5, 2.0, 2.0)),
        ] {
            let trials =
                [(&[2.0, 2.0][..], &[4.0, 1.0, 7.0][..]), (&[4.0], &[8.0, 16.0]), (&[2.0], &[3.0, 1.0, 2.0])];
            let factor = Some(range(factor));
            let expected = StatisticPair { factor, ..pair("", wrong, (1.0, 2.0, 4.0)) };
            assert_eq!(read(statistic, &[], processes(&trials)), Some(expected));
            assert_eq!(read(statistic, &[], Vec::new()), None);
        }
    }

    #[test]
    fn one_stall_delays_the_requests_behind_it() {
        // 70 % of the capacity: one request every 2 units, where 99 take 1 and one takes 41 units.
        let mut stalled = [1.0; 100];
        stalled[50] = 41.0;
        let read = |times: &[f64]| {
            let (some, rest) = times.split_at(20);
            read(closed_loop, &[], processes(&[(&[], some), (&[], rest)])).unwrap()
        };
        let pair = read(&stalled);
        assert!((pair.wrong.value - 1.0).abs() < 1e-9, "{pair:?}");
        // Each of those behind it waits one unit less than the one before: 90 of 100 take at most 31.
        assert!((pair.right.value - 31.1).abs() < 1e-6, "{pair:?}");
        let even = read(&[1.0; 100]);
        assert_eq!((even.wrong.value, even.right.value), (1.0, 1.0));
    }

    #[test]
    fn best_run_is_the_lowest_of_each_five() {
        let expected = pair("", (1.0, 1.0, 3.0), (2.0, 2.0, 2.0));
        let seven = [5.0, 1.0, 9.0, 7.0, 8.0, 6.0, 3.0];
        assert_eq!(read(best_run, &seven, Vec::new()), Some(expected));
        assert_eq!(read(best_run, &seven[..4], Vec::new()), None);
    }

    #[test]
    fn mean_of_two_states_stands_beside_the_nearer() {
        let (low, high, wide) = ((1.0, 2.0, 3.0), (5.0, 8.0, 9.0), (0.5, 2.0, 4.0));
        for (one, other, wrong, nearer) in [
            (low, high, (3.0, 5.0, 6.0), high),
            (high, low, (3.0, 5.0, 6.0), high),
            (low, wide, (0.75, 2.0, 3.5), wide),
        ] {
            let rows = [of_medians(one, &[]), of_medians(other, &[])];
            let points = rows.each_ref().map(|row| PointSamples { row, trials: Vec::new() });
            let expected = pair("mean of both beside the nearer of the two", wrong, nearer);
            assert_eq!(mean_of_two_states(&points), Some(expected));
            assert_eq!(mean_of_two_states(&points[..1]), None);
        }
    }

    #[test]
    fn deviations_over_processes_have_the_interval_without_each() {
        let few = [
            (&[][..], &[0.0, 2.0, 0.0, 2.0, 4.0, 4.0, 4.0][..]),
            (&[], &[4.0, 2.0, 4.0, 2.0, 6.0, 6.0, 6.0]),
            (&[], &[8.0, 8.0, 8.0, 8.0, 16.0, 16.0, 16.0, 16.0, 16.0]),
        ];
        let medians = deviation_of(&[2.0, 4.0, 16.0]).unwrap();
        let medians = (medians.low, medians.value, medians.high);
        let expected = pair("deviation from run to run", deviation_of_1_3_8(1.0), medians);
        assert_eq!(read(four_samples, &[], processes(&few)), Some(expected));
        // Three values of zero and one of 2 k have a deviation of k and a mean of k / 2.
        let [two, six, sixteen] = [4.0, 12.0, 32.0].map(|most| [0.0, 0.0, 0.0, most]);
        let all = [(&[][..], &two[..]), (&[], &six), (&[], &sixteen)];
        let expected = pair("deviation", deviation_of_1_3_8(1.0), (2.0, 6.0, 16.0));
        assert_eq!(read(deviation_of_means, &[], processes(&all)), Some(expected));
        let kept = [(&two[..], &[][..]), (&six, &[]), (&sixteen, &[])];
        let expected = pair("half of the interval", (1.96, 3.0 * 1.96, 15.68), deviation_of_1_3_8(1.96));
        assert_eq!(read(one_process, &[1.0, 3.0, 8.0], processes(&kept)), Some(expected));
        assert_eq!(deviation_of(&[1.0]), None);
    }

    #[test]
    fn coarse_clock_reads_whole_steps_from_a_later_start_each_time() {
        // 0, 0.62, 0.24 and 0.85 steps late, and 0.6, 0.6, 1.2 and 2.4 steps long.
        let kept = [25.0, 25.0, 50.0, 100.0];
        let step = 41.666_666_666_666_664;
        let coarse = spread::deviation([0.0, step, step, 3.0 * step]).unwrap();
        let right = spread::deviation(kept).unwrap();
        let expected = pair("deviation", (coarse, coarse, coarse), (right, right, right));
        assert_eq!(read(coarse_deviation, &[], processes(&[(&kept, &[])])), Some(expected));
    }

    #[test]
    fn cut_drops_what_is_longer_than_two_medians() {
        let trials = processes(&[(&[], &[4.0, 4.0, 4.0, 8.0, 20.0])]);
        let factor = Some(Range::exactly(0.625));
        let expected = StatisticPair { factor, ..pair("mean", (5.0, 5.0, 5.0), (8.0, 8.0, 8.0)) };
        assert_eq!(read(cut, &[], trials), Some(expected));
    }

    #[test]
    fn units_are_mistaken_by_their_ratio() {
        let rates = [None, Some((2e9, 4e9)), Some((6e9, 4e9)), Some((3e9, 3e9))];
        let trials = rates.map(|rates| ProcessSamples { rates, ..ProcessSamples::default() }).to_vec();
        let right = (1.0, 1.0, 1.0);
        let expected = pair("cycles counted for each of the core", (0.5, 1.0, 1.5), right);
        let expected = StatisticPair { quantity: Quantity::Count, ..expected };
        assert_eq!(read(ticks_as_cycles, &[], trials), Some(expected));
        let binary = 2.0 / 1.073_741_824;
        let expected = pair("", (binary, binary, binary), (2.0, 2.0, 2.0));
        assert_eq!(read(binary_units, &[], Vec::new()), Some(expected));
    }
}
