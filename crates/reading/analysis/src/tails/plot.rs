//! The plot of a tail: durations by the rarity of those that are longer, which is logarithmic in 1 − p.

use crate::run::plots::{Drawing, DrawnPoint, DrawnSeries};
use crate::tails::distribution::{PERCENTILES, TailDistribution};
use crate::tails::point_tail::PointTail;
use quantity::Quantity;
use record::Scale;

/// The plot of a point.
pub(crate) fn drawing(tail: &PointTail) -> Drawing {
    let series = [("service", Some(&tail.service)), ("response", tail.response.as_ref())];
    let series: Vec<DrawnSeries> = series
        .into_iter()
        .filter_map(|(name, one)| Some(DrawnSeries { name: name.to_owned(), points: points(one?) }))
        .collect();
    let samples = tail.service.samples as f64;
    let marks = PERCENTILES.map(|share| ((1.0 - share).recip(), percentile_name(share)));
    Drawing {
        of: tail.id.clone(),
        axis: "one iteration in".to_owned(),
        along: Quantity::Count,
        along_scale: Scale::Logarithmic,
        quantity: Quantity::Latency,
        scale: Scale::Logarithmic,
        // A single series needs no name.
        series: match <[DrawnSeries; 1]>::try_from(series) {
            Ok([only]) => vec![DrawnSeries { name: String::new(), ..only }],
            Err(several) => several,
        },
        left_out: 0,
        shared: None,
        is_scatter: false,
        marked_by: None,
        marks: marks.into_iter().filter(|(at, _)| *at <= samples).collect(),
    }
}

/// What a percentile is called.
pub fn percentile_name(share: f64) -> String {
    // Shares such as 0.999 are not exact: their percentages have at most two digits behind the point.
    format!("p{}", (share * 1e4).round() / 100.0)
}

/// The curve, with the intervals of the percentiles.
fn points(one: &TailDistribution) -> Vec<DrawnPoint> {
    // A duration of nothing has no place on a logarithmic axis.
    let curve = one.curve.iter().filter(|(_, ns)| *ns > 0.0);
    curve
        .map(|(share, ns)| DrawnPoint { at: share.recip(), value: *ns, interval: None, predicted: None })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tails::point_tail::tests::trial;
    use record::{PlannedPoint, PointId};

    #[test]
    fn the_plot_ends_at_the_longest_iteration() {
        let trials = [trial(&[(100, 900), (1_000, 99), (9_000, 1)], None)];
        let drawn =
            drawing(&PointTail::from_trials(&PlannedPoint::new(PointId::new("a.b", "")), &trials).unwrap());
        let last = drawn.series[0].points.last().unwrap();
        assert!((last.at - 1_000.0).abs() < 1e-6 && last.value == 9_000.0);
        let marks: Vec<&str> = drawn.marks.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(marks, ["p50", "p90", "p99", "p99.9"]);
    }
}
