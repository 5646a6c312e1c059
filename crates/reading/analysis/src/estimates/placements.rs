//! Where the two CPUs of a trial's actors were, as the time of a cache line between them tells: a host moves virtual CPUs
//! between cores, core complexes and sockets.
//!
//! Every hand-off costs according to it, so that a median over trials of several placements is the value of none: the
//! trials of the nearest one count that has enough of them. Unlike a state of processes a placement is seen, so that the
//! next run finds the same one, however often the host moves the CPUs then.

use crate::rows::placement::{PlacementShare, is_one_placement};
use crate::samples::summary::Summary;
use crate::thresholds::LEAST_TRIALS;
use stats::order::median;
use std::cmp::Reverse;

/// Keeps the trials of the nearest placement that has enough for an interval, or those of the most frequent. Gives all
/// placements, the one that is kept first; nothing where a trial has none.
pub(crate) fn keep_nearest(summaries: &mut Vec<Summary<'_>>) -> Vec<PlacementShare> {
    let lines: Option<Vec<f64>> = summaries.iter().map(|summary| summary.trial.line_ns).collect();
    let Some(mut lines) = lines else {
        return Vec::new();
    };
    lines.sort_by(f64::total_cmp);
    let mut placements: Vec<&[f64]> =
        lines.chunk_by(|shorter, longer| is_one_placement(*shorter, *longer)).collect();
    // The nearest come first already, and stay so among those with enough trials.
    placements.sort_by_key(|placement| Reverse(placement.len().min(LEAST_TRIALS)));
    let shares = placements.iter().filter_map(|placement| {
        let of_placement = summaries.iter().filter(|summary| is_within(placement, summary));
        Some(PlacementShare {
            line_ns: median(*placement)?,
            at: median(of_placement.map(|summary| summary.value.typical))?,
            share: placement.len() as f64 / lines.len() as f64,
        })
    });
    let shares = shares.collect();
    if let Some(kept) = placements.first() {
        summaries.retain(|summary| is_within(kept, summary));
    }
    shares
}

/// Whether the line of a trial took as long as those of a placement, which are in ascending order.
fn is_within(placement: &[f64], summary: &Summary<'_>) -> bool {
    let ends = placement.first().zip(placement.last());
    ends.zip(summary.trial.line_ns).is_some_and(|((first, last), line)| (*first..=*last).contains(&line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::summary::tests::kept;

    fn in_placement(line_ns: Option<f64>, value: f64) -> TrialSamples {
        let mut trial = kept(1, &[value; 3]);
        trial.line_ns = line_ns;
        trial
    }

    /// The placements of trials with these lines and values, and the values that are kept.
    fn placements(trials: &[(Option<f64>, f64)]) -> (Vec<PlacementShare>, Vec<f64>) {
        let trials: Vec<TrialSamples> =
            trials.iter().map(|&(line_ns, value)| in_placement(line_ns, value)).collect();
        let mut summaries = trials.iter().filter_map(|trial| trial.summary(|_, _| true)).collect();
        let shares = keep_nearest(&mut summaries);
        (shares, summaries.iter().map(|summary| summary.value.typical).collect())
    }

    #[test]
    fn trials_of_the_nearest_placement_with_enough_are_kept_and_the_others_named() {
        let near = (0..6).map(|at| (Some(50.0 + f64::from(at)), 21.0));
        let far = (0..9).map(|at| (Some(331.0 + f64::from(at)), 33.5));
        let (shares, kept) = placements(&far.chain(near).collect::<Vec<_>>());
        assert_eq!((kept, shares.len()), (vec![21.0; 6], 2));
        assert!((shares[0].share - 0.4).abs() < 1e-9 && shares[1].at == 33.5, "{shares:?}");
    }

    #[test]
    fn the_most_frequent_placement_counts_where_the_nearest_has_too_few_trials() {
        let near = (0..5).map(|at| (Some(50.0 + f64::from(at)), 21.0));
        let far = (0..9).map(|at| (Some(331.0 + f64::from(at)), 33.5));
        assert_eq!(placements(&near.chain(far).collect::<Vec<_>>()).1, [33.5; 9]);
        let near = (0..10).map(|at| (Some(50.0 + f64::from(at)), 21.0));
        let far = [331.0, 374.0].map(|line| (Some(line), 33.5));
        let (shares, kept) = placements(&near.chain(far).collect::<Vec<_>>());
        assert_eq!(kept, [21.0; 10]);
        let [first, second] = shares.as_slice() else { panic!("{shares:?}") };
        assert_eq!((first.line_ns, first.at), (54.5, 21.0));
        assert_eq!((second.line_ns, second.at), (352.5, 33.5));
        assert!((first.share + second.share - 1.0).abs() < 1e-9 && first.share > 0.8);
    }

    #[test]
    fn one_placement_keeps_all_trials_and_so_does_one_that_is_not_known() {
        let (shares, kept) = placements(&[(Some(50.0), 21.0), (Some(70.0), 22.0)]);
        assert_eq!((shares.len(), kept.len()), (1, 2));
        let (shares, kept) = placements(&[(Some(50.0), 21.0), (None, 22.0)]);
        assert_eq!((shares.len(), kept.len()), (0, 2));
    }
}
