//! How well the predictions of a run did, as factors between measured and predicted, over every row with a number.

use crate::rows::row::{Row, Tier};
use crate::run::distinct::distinct;
use crate::run::user_accuracy::{UserAccuracy, factor, user_accuracy};
use record::PointId;
use stats::order::weighted_quantile;
use std::collections::BTreeMap;

/// Factors of which the share of the points within them is given.
pub const WITHIN: [f64; 2] = [1.25, 1.5];
/// Predictions that are named because they were furthest off.
const NAMED: usize = 3;
/// Half width of an interval about which nothing is known, as a share of the value.
const UNKNOWN_HALF_WIDTH: f64 = 1.0;

/// How far measured values were from their predictions, either way; 1 is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Points with a number and a prediction.
    pub points: usize,
    /// Median factor.
    pub median: f64,
    /// Ninth decile.
    pub ninth_decile: f64,
    /// Shares of the points within each factor of [`WITHIN`].
    pub within: [f64; 2],
}

/// Why a point says nothing of the predictions of a tier. The first that applies is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Its method is known to be wrong.
    FlawedMethod,
    /// It has no number: contradicted, skipped or failed.
    NoNumber,
    /// The prediction is an exact multiple of one part.
    SameAs,
    /// The tier has no formula for it.
    NoFormula,
    /// A fact or a part of its formula is missing.
    NoValue,
}

/// How well the predictions of one tier did.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Over all points.
    pub all: Factors,
    /// Over those of each area, in the order of the rows.
    pub areas: Vec<(String, Factors)>,
    /// Over those whose facts are all published or read.
    pub cited: Option<Factors>,
    /// Over those with a fact that is an assumption.
    pub assumed: Option<Factors>,
    /// The points that were furthest off, the worst first, each with measured divided by predicted.
    pub worst: Vec<(PointId, f64)>,
    /// How many points are left out, and why.
    pub left_out: Vec<(LeftOut, usize)>,
}

/// How well the predictions did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Accuracy {
    /// T1.
    pub from_parts: Option<Agreement>,
    /// T0.
    pub from_facts: Option<Agreement>,
    /// The user's own, over all points of which there are any.
    pub user: Option<UserAccuracy>,
}

impl Accuracy {
    /// The accuracy over these rows.
    pub fn from_rows(rows: &[Row]) -> Self {
        Self {
            from_parts: agreement(rows, Tier::Parts),
            from_facts: agreement(rows, Tier::Facts),
            user: user_accuracy(rows),
        }
    }
}

/// A row and its prediction.
struct Deviation<'r> {
    row: &'r Row,
    /// Measured divided by predicted.
    ratio: f64,
    weight: f64,
    /// Whether the prediction has a fact that is an assumption.
    is_assumed: bool,
}

/// The accuracy of one tier; `None` where it predicts no row that has a number.
fn agreement(rows: &[Row], tier: Tier) -> Option<Agreement> {
    let mut left_out: BTreeMap<LeftOut, usize> = BTreeMap::new();
    let mut deviations = Vec::new();
    for row in rows {
        match deviation(row, tier) {
            Ok(deviation) => deviations.push(deviation),
            Err(why) => *left_out.entry(why).or_default() += 1,
        }
    }
    let areas = distinct(deviations.iter().map(|one| one.row.point.area.as_str()));
    let areas = areas.into_iter().filter_map(|area| {
        let factors = factors(deviations.iter().filter(|one| one.row.point.area == area))?;
        Some((area.to_owned(), factors))
    });
    Some(Agreement {
        all: factors(deviations.iter())?,
        areas: areas.collect(),
        cited: factors(deviations.iter().filter(|one| !one.is_assumed)),
        assumed: factors(deviations.iter().filter(|one| one.is_assumed)),
        worst: worst(&deviations),
        left_out: left_out.into_iter().collect(),
    })
}

fn deviation(row: &Row, tier: Tier) -> Result<Deviation<'_>, LeftOut> {
    if row.point.flaw.is_some() {
        return Err(LeftOut::FlawedMethod);
    }
    let estimate = row.estimate.as_ref().ok_or(LeftOut::NoNumber)?;
    let predicted = match tier {
        Tier::Parts => &row.from_parts,
        Tier::Facts => &row.from_facts,
    };
    let Some(predicted) = predicted else {
        let has_formula = row.unpredicted.iter().any(|term| term.tier == tier);
        return Err(if has_formula { LeftOut::NoValue } else { LeftOut::NoFormula });
    };
    if predicted.same_as().is_some() {
        return Err(LeftOut::SameAs);
    }
    Ok(Deviation {
        row,
        ratio: predicted.ratio(row).ok_or(LeftOut::NoNumber)?,
        weight: weight(estimate.half_width().unwrap_or(UNKNOWN_HALF_WIDTH)),
        is_assumed: !predicted.assumed.is_empty(),
    })
}

/// What a row with an interval of this half width counts for. It decides whether a prediction lies within the smallest factor
/// of [`WITHIN`], and counts half where it is as wide as that.
fn weight(half_width: f64) -> f64 {
    let [resolved, _] = WITHIN.map(f64::ln);
    1.0 / (1.0 + (half_width / resolved).powi(2))
}

fn factors<'d>(deviations: impl Iterator<Item = &'d Deviation<'d>>) -> Option<Factors> {
    let mut pairs: Vec<(f64, f64)> = deviations.map(|one| (factor(one.ratio), one.weight)).collect();
    let all: f64 = pairs.iter().map(|(_, weight)| weight).sum();
    let within = WITHIN.map(|limit| {
        let within = pairs.iter().filter(|(factor, _)| *factor <= limit);
        within.map(|(_, weight)| weight).sum::<f64>() / all
    });
    Some(Factors {
        points: pairs.len(),
        within,
        median: weighted_quantile(&mut pairs, 0.5)?,
        ninth_decile: weighted_quantile(&mut pairs, 0.9)?,
    })
}

fn worst(deviations: &[Deviation<'_>]) -> Vec<(PointId, f64)> {
    let mut ratios: Vec<(PointId, f64)> =
        deviations.iter().map(|one| (one.row.point.id.clone(), one.ratio)).collect();
    ratios.sort_by(|(_, a), (_, b)| factor(*b).total_cmp(&factor(*a)));
    ratios.truncate(NAMED);
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, truth: f64) -> bool {
        (value - truth).abs() < 1e-12
    }

    #[test]
    fn a_row_as_wide_as_the_smallest_factor_counts_half() {
        let resolved = 1.25f64.ln();
        assert!(near(weight(0.0), 1.0) && near(weight(resolved), 0.5) && near(weight(2.0 * resolved), 0.2));
        assert!(near(weight(f64::INFINITY), 0.0));
    }

    #[test]
    fn shares_and_quantiles_are_by_weight() {
        let row = Row::default();
        let all = [(1.25, 2.0), (1.5, 1.0), (0.25, 0.5), (2.0, 0.5)].map(|(ratio, weight)| Deviation {
            row: &row,
            ratio,
            weight,
            is_assumed: false,
        });
        let expected = Factors { points: 4, median: 1.25, ninth_decile: 4.0, within: [0.5, 0.75] };
        assert_eq!(factors(all.iter()), Some(expected));
        assert_eq!(factors([].iter()), None);
    }

    #[test]
    fn the_three_worst_are_named_either_way() {
        let rows = ["a", "b", "c", "d"].map(|name| {
            let mut row = Row::default();
            row.point.id = PointId::new(name, "");
            row
        });
        let ratios = [1.0, 3.0, 0.1, 2.0];
        let all: Vec<Deviation<'_>> = rows
            .iter()
            .zip(ratios)
            .map(|(row, ratio)| Deviation { row, ratio, weight: 1.0, is_assumed: false })
            .collect();
        let worst: Vec<(String, f64)> =
            worst(&all).into_iter().map(|(id, ratio)| (id.operation, ratio)).collect();
        assert_eq!(worst, [("c", 0.1), ("b", 3.0), ("d", 2.0)].map(|(name, ratio)| (name.to_owned(), ratio)));
    }
}
