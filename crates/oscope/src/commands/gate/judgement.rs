//! Which runs were quiet, and what they say: pure, so that tests judge simulated runs.

use super::executor::CommandRun;
use analysis::{Carried, at_one_clock, quiet_ratio, reference_clock};
use oscope_trigger::QUIET;
use quantity::Quantity;
use serde::Serialize;
use stats::interval::Interval;
use stats::order::{Sorted, median};
use stats::spread;

/// Fewest quiet runs that have an interval of 95 %.
pub(super) const LEAST_RUNS: usize = 6;

/// Level of the intervals.
const LEVEL: f64 = 0.95;

/// Choice: share of a run in which other tasks or other guests may have had its CPU: an effect of 1 % is the least that a
/// comparison of benchmarks looks for.
const MOST_LOST: f64 = 0.01;

/// Why a run does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    /// The looks found the core shared.
    SharedCore,
    /// Other tasks of this kernel had the CPU.
    OtherTasks,
    /// The hypervisor gave the CPU to others.
    Steal,
}

impl Cause {
    pub(super) const ALL: [Self; 3] = [Self::SharedCore, Self::OtherTasks, Self::Steal];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::SharedCore => "shared core",
            Self::OtherTasks => "other tasks",
            Self::Steal => "steal time",
        }
    }
}

/// What a quiet run may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Share of the looks during a run that may find the core shared.
    pub(super) shared: f64,
}

/// The typical value of some runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Typical {
    pub(super) runs: usize,
    pub(super) value: f64,
    /// `None` with fewer than six runs.
    pub(super) interval: Option<Interval>,
    /// Coefficient of variation.
    pub(super) variation: Option<f64>,
}

impl Typical {
    fn new(values: &[f64]) -> Option<Self> {
        let sorted = Sorted::from_values(values);
        let mean = spread::mean(values)?;
        Some(Self {
            runs: values.len(),
            value: sorted.median()?,
            interval: sorted.median_interval(LEVEL),
            variation: spread::deviation(values).filter(|_| mean > 0.0).map(|deviation| deviation / mean),
        })
    }
}

/// The quiet runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gated {
    pub(super) typical: Typical,
    /// How they depend on the clock of the core; `None` where they were not carried to one.
    pub(super) carried: Option<Carried>,
    /// Cycles of the core, of a time.
    pub(super) cycles: Option<f64>,
}

/// What the runs say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judgement {
    /// Of each run, why it does not count.
    pub(super) verdicts: Vec<Option<Cause>>,
    pub(super) all: Option<Typical>,
    pub(super) gated: Option<Gated>,
    /// The clock at which the values are: the reference clock where they were carried to it, else the median of the quiet runs.
    pub(super) clock_hz: Option<f64>,
}

impl Judgement {
    /// Judges runs whose values are of this quantity, if it is known.
    pub(super) fn new(runs: &[CommandRun], limits: Limits, quantity: Option<Quantity>) -> Self {
        let verdicts = verdicts(runs, limits);
        let quiet: Vec<&CommandRun> =
            runs.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_none()).map(|(run, _)| run).collect();
        let reference_hz = reference_clock(quiet.iter().filter_map(|run| run.clock_hz));
        let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        let gated = (quiet.len() >= LEAST_RUNS).then(|| gated(&quiet, quantity, reference_hz)).flatten();
        let is_carried = gated.as_ref().is_some_and(|gated| gated.carried.is_some());
        let clock_hz = if is_carried { reference_hz } else { median_clock(&quiet) };
        Self { all: Typical::new(&values), gated, clock_hz, verdicts }
    }

    /// How many runs do not count for a cause.
    pub(super) fn excluded(&self, cause: Cause) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == Some(cause)).count()
    }
}

fn median_clock(quiet: &[&CommandRun]) -> Option<f64> {
    median(quiet.iter().filter_map(|run| run.clock_hz))
}

fn gated(quiet: &[&CommandRun], quantity: Option<Quantity>, reference_hz: Option<f64>) -> Option<Gated> {
    let mut pairs: Vec<(f64, f64)> =
        quiet.iter().map(|run| (run.clock_hz.unwrap_or(f64::NAN), run.value)).collect();
    let carried =
        quantity.zip(reference_hz).and_then(|(quantity, hz)| at_one_clock(&mut pairs, quantity, hz));
    let mut typical = Typical::new(&pairs.iter().map(|pair| pair.1).collect::<Vec<f64>>())?;
    if let (Some(carried), Some(interval)) = (&carried, typical.interval) {
        typical.interval = Some(carried.widen(typical.value, interval));
    }
    let is_time = quantity == Some(Quantity::Latency);
    // Of values that stay at the clocks that they were measured at, the cycles are those at these clocks.
    let clock = match carried {
        Some(_) => reference_hz,
        None => median_clock(quiet),
    };
    let cycles = clock.filter(|_| is_time).map(|hz| typical.value * 1e-9 * hz);
    Some(Gated { typical, carried, cycles })
}

/// Of each run, why it does not count.
pub(super) fn verdicts(runs: &[CommandRun], limits: Limits) -> Vec<Option<Cause>> {
    let looks: Vec<Vec<f64>> =
        runs.iter().map(|run| [&*run.before, &run.during, &run.after].concat()).collect();
    let quiet = quiet_ratio(looks.iter().map(Vec::as_slice)).map(|ratio| ratio * QUIET);
    runs.iter().map(|run| cause(run, quiet, limits)).collect()
}

fn cause(run: &CommandRun, quiet: Option<f64>, limits: Limits) -> Option<Cause> {
    let is_shared = |ratio: &f64| quiet.is_some_and(|quiet| *ratio > quiet);
    let is_edge_shared = |looks: &[f64]| median(looks).is_some_and(|ratio| is_shared(&ratio));
    let shared = run.during.iter().filter(|ratio| is_shared(ratio)).count() as f64;
    if is_edge_shared(&run.before)
        || is_edge_shared(&run.after)
        || shared > limits.shared * run.during.len() as f64
    {
        Some(Cause::SharedCore)
    } else if run.others.is_some_and(|share| share > MOST_LOST) {
        Some(Cause::OtherTasks)
    } else if run.stolen.is_some_and(|share| share > MOST_LOST) {
        Some(Cause::Steal)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { shared: 0.02 };

    /// Simulated runs of a command that takes 100 ms on a quiet core at 3 GHz: a neighbour is there for a part of some runs and
    /// makes that part 1.5 times as long; the clock moves by 5 %; each run has noise of 0.2 %.
    fn simulated(count: usize, shared_runs: f64, seed: u64) -> Vec<CommandRun> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..count)
            .map(|_| {
                let shared = if random.f64() < shared_runs { random.f64() } else { 0.0 };
                let hz = 3e9 * (1.0 + 0.05 * random.f64());
                let noise = 1.0 + 0.002 * (random.f64() + random.f64() - 1.0);
                let value = 1e8 * (3e9 / hz) * (1.0 + 0.5 * shared) * noise;
                let mut look =
                    |is_shared: bool| (if is_shared { 1.5 } else { 1.0 }) * (1.0 + 0.02 * random.f64());
                CommandRun {
                    wall_ns: value,
                    value,
                    before: (0..16).map(|_| look(false)).collect(),
                    during: (0..100).map(|at| look((at as f64) < 100.0 * shared)).collect(),
                    after: (0..16).map(|_| look(false)).collect(),
                    clock_hz: Some(hz),
                    others: Some(0.0),
                    stolen: Some(0.0),
                }
            })
            .collect()
    }

    fn judged(runs: &[CommandRun]) -> Judgement {
        Judgement::new(runs, LIMITS, Some(Quantity::Latency))
    }

    fn variation(typical: &Typical) -> f64 {
        typical.variation.unwrap()
    }

    #[test]
    fn quiet_runs_at_one_clock_vary_less_and_are_right() {
        for seed in 0..50 {
            let judgement = judged(&simulated(60, 0.5, seed));
            let gated = judgement.gated.as_ref().unwrap();
            let all = judgement.all.as_ref().unwrap();
            assert!(variation(&gated.typical) < 0.005, "{seed}: {gated:?}");
            assert!(variation(all) > 0.05, "{seed}: {all:?}");
            // Cycles do not depend on the clock: 100 ms at 3 GHz.
            assert!((gated.cycles.unwrap() / 3e8 - 1.0).abs() < 0.005, "{seed}: {gated:?}");
        }
    }

    /// The looks of each run go to another run, half of all away.
    fn sham(runs: &[CommandRun]) -> Vec<CommandRun> {
        let other = runs.iter().cycle().skip(runs.len() / 2);
        let swapped = runs.iter().zip(other).map(|(run, other)| CommandRun {
            value: run.value,
            wall_ns: run.wall_ns,
            clock_hz: run.clock_hz,
            ..other.clone()
        });
        swapped.collect()
    }

    #[test]
    fn sham_gate_gains_nothing() {
        let (mut worse, mut biased) = (0, 0.0);
        for seed in 0..50 {
            let runs = simulated(60, 0.5, seed);
            let gated = judged(&sham(&runs)).gated.unwrap().typical;
            let all = judged(&runs).all.unwrap();
            // Without looks of its own a gate keeps as many runs, and they vary as all do.
            worse += usize::from(variation(&gated) > 0.5 * variation(&all));
            biased += (gated.value / all.value).ln() / 50.0;
        }
        assert!(worse >= 48, "{worse} of 50");
        assert!(biased.abs() < 0.03, "{biased}");
    }

    #[test]
    fn gate_of_quiet_runs_changes_nothing_but_the_clock() {
        let judgement = judged(&simulated(40, 0.0, 7));
        assert!(judgement.verdicts.iter().all(Option::is_none));
        assert_eq!(judgement.gated.unwrap().typical.runs, 40);
    }

    #[test]
    fn each_cause_excludes_a_run() {
        let mut runs = simulated(20, 0.0, 1);
        runs[0].others = Some(0.02);
        runs[1].stolen = Some(0.02);
        runs[2].after = vec![1.6; 16];
        runs[3].during[..3].fill(1.6);
        runs[4].during[..2].fill(1.6);
        runs[5].others = None;
        let judgement = judged(&runs);
        let expected =
            [Some(Cause::OtherTasks), Some(Cause::Steal), Some(Cause::SharedCore), Some(Cause::SharedCore)];
        assert_eq!(judgement.verdicts[..4], expected);
        assert!(judgement.verdicts[4..].iter().all(Option::is_none));
        assert_eq!(Cause::ALL.map(|cause| judgement.excluded(cause)), [2, 1, 1]);
    }

    #[test]
    fn too_few_quiet_runs_have_no_value() {
        let mut runs = simulated(20, 0.0, 1);
        runs.iter_mut().skip(5).for_each(|run| run.others = Some(0.5));
        let judgement = judged(&runs);
        assert_eq!(judgement.gated, None);
        assert!(judgement.all.is_some());
        assert_eq!(judged(&[]).all, None);
    }

    #[test]
    fn value_without_a_known_quantity_is_carried_to_no_clock() {
        let judgement = Judgement::new(&simulated(40, 0.0, 1), LIMITS, None);
        let gated = judgement.gated.unwrap();
        assert_eq!((gated.carried, gated.cycles), (None, None));
    }

    /// The cycles of a screen are its time at the clock beside it, also where nothing was carried.
    #[test]
    fn cycles_are_those_at_the_clock_that_is_shown() {
        let slow = simulated(40, 0.0, 1).into_iter().enumerate().map(|(index, run)| CommandRun {
            clock_hz: Some(if index % 4 == 0 { 4.2e9 } else { 4.1e9 }),
            value: 1e6 * (1.0 + 0.1 * (index % 7) as f64),
            ..run
        });
        let judgement = judged(&slow.collect::<Vec<CommandRun>>());
        let gated = judgement.gated.unwrap();
        assert_eq!((gated.carried, judgement.clock_hz), (None, Some(4.1e9)));
        assert_eq!(gated.cycles.unwrap(), gated.typical.value * 1e-9 * 4.1e9);
    }
}
