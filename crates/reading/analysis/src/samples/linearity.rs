//! Whether cost grows in proportion to the iterations, as far as neighbours cannot be the reason that it does not.

use crate::rows::failure::Cause;
use crate::thresholds::GROWING_SHARE;
use record::{Sampling, Series};
use stats::{order, slope};

/// Cost per iteration between 2n and 4n iterations against that between n and 2n; 1 when it is constant.
///
/// The median over the triples that count is exact where the gate sees who disturbs them. Where it does not, a
/// neighbour who comes and goes within a triple is met by the longest batch more often than by the shortest, and the
/// median of honest triples leaves the range in trial after trial. The sums over all triples do not have that bias:
/// whenever a neighbour comes, he costs a batch in proportion to its length on average. But they vary more. Work that
/// was left out shows in both, so the one nearer to 1 counts.
pub(crate) fn linearity(series: &Series, causes: &[Option<Cause>]) -> Option<f64> {
    if series.sampling != Sampling::Triples {
        return None;
    }
    let (mut ratios, mut undivided) = (Vec::new(), Vec::new());
    for (ticks, causes) in series.ticks.chunks_exact(3).zip(causes.chunks_exact(3)) {
        let &[once, twice, four] = ticks else { continue };
        let triple @ [once, twice, four] = [once, twice, four].map(|ticks| ticks as f64);
        if causes.iter().all(Option::is_none) {
            ratios.push(slope::linearity(once, twice, four));
        }
        if !causes.iter().any(is_of_this_system) {
            undivided.push(triple);
        }
    }
    ratios.retain(|ratio| ratio.is_finite());
    let median = order::median(ratios)?;
    let of_sums = of_sums(&undivided);
    Some(of_sums.map_or(median, |sums| nearer_to_one(median, sums)))
}

/// Whether the kernel knows of the disturbance: a time slice of another task is a hundred batches long.
fn is_of_this_system(cause: &Option<Cause>) -> bool {
    matches!(cause, Some(Cause::CpuShare(_) | Cause::InvoluntarySwitch))
}

/// From the sums over these triples; `None` where batches do not take longer when they are to do more.
fn of_sums(triples: &[[f64; 3]]) -> Option<f64> {
    let growing = triples.iter().filter(|[once, _, four]| four > once).count();
    let [once, twice, four] =
        triples.iter().fold([0.0; 3], |[a, b, c], [once, twice, four]| [a + once, b + twice, c + four]);
    let ratio = slope::linearity(once, twice, four);
    (growing as f64 >= GROWING_SHARE * triples.len() as f64 && ratio.is_finite()).then_some(ratio)
}

/// The ratio of two that is nearer to 1; one that is not positive is as far as can be.
fn nearer_to_one(one: f64, other: f64) -> f64 {
    let [distance, other_distance] =
        [one, other].map(|ratio| if ratio > 0.0 { ratio.ln().abs() } else { f64::INFINITY });
    if other_distance < distance { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Role;

    fn series(ticks: &[i64]) -> Series {
        Series { ticks: ticks.to_vec(), ..Series::new(Role::Main, Sampling::Triples, 1) }
    }

    #[test]
    fn sums_give_their_ratio_where_three_of_four_triples_grow() {
        // 30 more from 30 to 60 and 90 more from 60 to 150: half of 90 against 30.
        assert_eq!(of_sums(&[[10.0, 20.0, 50.0], [20.0, 40.0, 100.0]]), Some(1.5));
        let (grows, stays) = ([10.0, 20.0, 40.0], [10.0, 10.0, 10.0]);
        assert!(of_sums(&[grows, grows, grows, stays]).is_some());
        assert_eq!(of_sums(&[grows, grows, stays]), None);
        assert_eq!(of_sums(&[[10.0; 3]; 2]), None);
    }

    #[test]
    fn the_ratio_nearer_to_one_counts_and_the_first_of_two_equal_ones() {
        assert_eq!(nearer_to_one(1.5, 1.2), 1.2);
        assert_eq!(nearer_to_one(1.2, 1.5), 1.2);
        assert_eq!(nearer_to_one(0.5, 1.2), 1.2);
        assert_eq!(nearer_to_one(-1.0, 3.0), 3.0);
        assert_eq!(nearer_to_one(0.0, 3.0), 3.0);
        assert_eq!(nearer_to_one(-1.0, 0.0), -1.0);
    }

    #[test]
    fn disturbance_by_this_system_is_in_neither_value() {
        // The median is 2 and the sums of the first two triples give 1.
        let ticks = [10, 20, 60, 30, 60, 100, 10, 20, 900];
        let causes =
            [None, None, None, None, None, Some(Cause::Adjacent), None, None, Some(Cause::CpuShare(0.5))];
        assert_eq!(linearity(&series(&ticks), &causes), Some(1.0));
        let switched = [None, None, None, None, None, Some(Cause::InvoluntarySwitch), None, None, None];
        assert!(linearity(&series(&ticks), &switched).is_some_and(|ratio| ratio > 10.0));
    }
}
