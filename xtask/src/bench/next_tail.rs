//! How often the interval of a percentile of one run covers that percentile of another run on the same machine.

use super::runs::Run;
use crate::markdown;
use analysis::{PERCENTILES, PercentileInterval, percentile_name};
use std::collections::BTreeMap;

/// What pairs of runs say of a percentile of a point.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pairs {
    /// Pairs of a run and another one, where the interval of the one has two ends.
    finite: usize,
    /// Those where it covers the value of the other.
    covered: usize,
    /// Pairs whose interval has no upper end, and those where it covers the value.
    open: usize,
    open_covered: usize,
}

impl Pairs {
    fn add(&mut self, interval: PercentileInterval, value: u64) {
        let is_covered = interval.low <= value && interval.high.is_none_or(|high| value <= high);
        let (all, covered) = match interval.high {
            Some(_) => (&mut self.finite, &mut self.covered),
            None => (&mut self.open, &mut self.open_covered),
        };
        *all += 1;
        *covered += usize::from(is_covered);
    }
}

/// By point and percentile: in how many pairs of runs the interval of the next run covers what it then was.
pub(super) fn table(runs: &[Run]) -> String {
    let mut all: BTreeMap<(String, usize), Pairs> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        for (_, other) in runs.iter().enumerate().filter(|(other, _)| *other != place) {
            for tail in &run.analysis.tails {
                let Some(next) = other.analysis.tails.iter().find(|next| next.id == tail.id) else {
                    continue;
                };
                for (index, share) in PERCENTILES.into_iter().enumerate() {
                    let (one, two) = (tail.service.percentile(share), next.service.percentile(share));
                    let interval = one.and_then(|one| tail.next_run(one));
                    if let (Some(interval), Some(two)) = (interval, two) {
                        all.entry((tail.id.to_string(), index)).or_default().add(interval, two.value);
                    }
                }
            }
        }
    }
    let share = |part: usize, all: usize| match all {
        0 => "–".to_owned(),
        all => format!("{:.0} % ({part} of {all})", 100.0 * part as f64 / all as f64),
    };
    let rows = all.iter().map(|((point, index), pairs)| {
        let name = PERCENTILES.get(*index).map_or_else(String::new, |share| percentile_name(*share));
        vec![point.clone(), name, share(pairs.covered, pairs.finite), share(pairs.open_covered, pairs.open)]
    });
    markdown::table(&["point", "percentile", "covered", "covered, intervals without an upper end"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_without_an_upper_end_are_counted_apart() {
        let mut pairs = Pairs::default();
        let finite = PercentileInterval { low: 90, high: Some(110) };
        [95, 110, 111, 80].into_iter().for_each(|value| pairs.add(finite, value));
        let open = PercentileInterval { low: 90, high: None };
        [80, 900].into_iter().for_each(|value| pairs.add(open, value));
        assert_eq!(pairs, Pairs { finite: 4, covered: 2, open: 2, open_covered: 1 });
    }
}
