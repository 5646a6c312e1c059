//! Batches that do not count, each with a named cause. Nothing is set aside for its value.

use crate::rows::failure::Cause;
use record::{Evidence, Gate, Sampling, Series, Trial};

/// For every batch of a series why it does not count, `None` where it does.
pub(crate) fn causes(series: &Series, gate: &Gate, trial: &Trial) -> Vec<Option<Cause>> {
    let batches = 0..series.ticks.len();
    let mut causes: Vec<Option<Cause>> = batches.map(|at| cause(series, at, gate, trial)).collect();
    if series.sampling == Sampling::Triples {
        causes.chunks_mut(3).for_each(whole_triples);
    }
    causes
}

/// Why a batch does not count by itself.
fn cause(series: &Series, at: usize, gate: &Gate, trial: &Trial) -> Option<Cause> {
    let wall_ns = *series.ticks.get(at)? as f64 * trial.ns_per_tick;
    let cpu_ns = series.cpu_ns.get(at).map(|&cpu_ns| cpu_ns as f64 - trial.cpu_cost_ns);
    let cpu_share = cpu_ns.filter(|_| wall_ns > 0.0).map(|cpu_ns| cpu_ns / wall_ns);
    let involuntary = series.involuntary.get(at).is_some_and(|&switches| switches > 0);
    match (gate.cpu_share, cpu_share) {
        (Some(least), Some(share)) if share < least => Some(Cause::CpuShare(least)),
        _ => (gate.involuntary && involuntary).then_some(Cause::InvoluntarySwitch),
    }
}

/// A triple is one sample: if one of its batches does not count, none does.
fn whole_triples(triple: &mut [Option<Cause>]) {
    if triple.iter().any(Option::is_some) {
        for cause in triple {
            cause.get_or_insert(Cause::Adjacent);
        }
    }
}

/// Share of the time in which others had the CPU of the actors: of that of the batches or, where it is more, of all between
/// the first and the last, because others may have had the CPU between batches only; 0 where neither was read.
pub(crate) fn lost(series: &Series, trial: &Trial) -> f64 {
    let around = Evidence::find(&trial.evidence, "cpu.lost").and_then(Evidence::per_iteration).unwrap_or(0.0);
    within_batches(series, trial).max(around.clamp(0.0, 1.0))
}

fn within_batches(series: &Series, trial: &Trial) -> f64 {
    let both = series.ticks.iter().zip(&series.cpu_ns);
    let (wall_ns, cpu_ns) = both.fold((0.0, 0.0), |(wall, cpu), (&ticks, &batch)| {
        (wall + ticks as f64 * trial.ns_per_tick, cpu + batch as f64 - trial.cpu_cost_ns)
    });
    if wall_ns > 0.0 { (1.0 - cpu_ns / wall_ns).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::trial;
    use record::Role;

    fn series(ticks: i64, cpu_ns: i64) -> Series {
        Series {
            ticks: vec![ticks],
            cpu_ns: vec![cpu_ns],
            ..Series::new(Role::Main, Sampling::Individual, 1)
        }
    }

    #[test]
    fn a_batch_counts_from_the_least_share_of_its_cpu() {
        let gate = Gate { cpu_share: Some(0.5), ..Gate::default() };
        let trial = Trial { cpu_cost_ns: 10.0, ..trial(0) };
        for (ticks, cpu_ns, cause) in [
            (100, 60, None),
            (100, 59, Some(Cause::CpuShare(0.5))),
            // A batch that took no time says nothing of its share.
            (0, 0, None),
        ] {
            assert_eq!(causes(&series(ticks, cpu_ns), &gate, &trial), [cause], "{ticks} {cpu_ns}");
        }
    }

    #[test]
    fn time_lost_is_what_is_left_of_the_batches_without_the_cost_of_reading_the_cpu_time() {
        let trial = Trial { cpu_cost_ns: 10.0, ..trial(0) };
        assert_eq!(lost(&series(100, 60), &trial), 0.5);
        assert_eq!(lost(&series(100, 200), &trial), 0.0);
        assert_eq!(lost(&series(0, 0), &trial), 0.0);
    }
}
