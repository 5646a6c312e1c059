//! Which machines of a type are far from their siblings, and in which points.

use crate::scale::scale;
use crate::table::{Fleet, Level};
use stats::discoveries::discoveries;
use stats::normal::{normal_of_student, two_sided};
use stats::order::median;
use stats::spread::deviation;
use std::collections::BTreeMap;

/// With fewer siblings nothing can be said of one machine.
pub(crate) const LEAST_SIBLINGS: usize = 5;
/// Expected share of false ones among the machines that are called odd, and among their points.
pub(crate) const FALSE_SHARE: f64 = 0.01;
/// Points that differ from the median machine by less are not called odd, however sure it is.
const LEAST_RATIO: f64 = 1.01;
/// No costs lie closer together than this share, whatever the few at hand say.
const LEAST_DEVIATION: f64 = 5e-4;

/// A point in which a machine is far from its siblings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OddPoint {
    /// Which column.
    pub column: usize,
    /// What it costs divided by what it costs on the median machine of the type.
    pub ratio: f64,
    /// How many standard deviations it is away.
    pub distance: f64,
}

/// How the machines of a type lie in one column.
#[derive(Debug, Clone)]
pub(crate) struct Lie {
    /// Which column.
    pub(crate) column: usize,
    /// Median logarithm of the cost.
    pub(crate) median: f64,
    /// For each machine of the type, in its order: the distance from the median as a logarithm, and in standard deviations
    /// of what such machines and their repetitions vary.
    pub(crate) machines: Vec<Option<(f64, f64)>>,
}

impl Lie {
    /// How the machine at this place of its type lies.
    pub(crate) fn at(&self, index: usize) -> Option<(f64, f64)> {
        *self.machines.get(index)?
    }
}

/// How the machines of a type lie in each column that enough of them have.
pub(crate) fn lies(fleet: &Fleet, machines: &[usize]) -> Vec<Lie> {
    let columns = 0..fleet.columns.len();
    columns.filter_map(|column| lie(fleet, machines, column)).collect()
}

fn lie(fleet: &Fleet, machines: &[usize], column: usize) -> Option<Lie> {
    let levels: Vec<Option<Level>> = machines.iter().map(|machine| fleet.level(*machine, column)).collect();
    let costs: Vec<f64> = levels.iter().flatten().map(|level| level.log_cost).collect();
    if costs.len() < LEAST_SIBLINGS {
        return None;
    }
    let (median_cost, scale) = (median(&costs)?, scale(&costs)?);
    let repeats = repeats(fleet, machines, column);
    let usual_error = median(levels.iter().flatten().map(|level| error(level, repeats)))?;
    let between = (scale.deviation.powi(2) - usual_error).max(0.0);
    let distance = |level: &Level| {
        let deviation = (between + error(level, repeats)).sqrt().max(LEAST_DEVIATION);
        let off = level.log_cost - median_cost;
        (off, normal_of_student(off / deviation, scale.freedom))
    };
    Some(Lie {
        column,
        median: median_cost,
        machines: levels.iter().map(|level| level.as_ref().map(distance)).collect(),
    })
}

/// Variance of the mean of a machine's runs: what runs of one machine vary, or what each varies by itself if that is more.
fn error(level: &Level, repeats: Option<f64>) -> f64 {
    level.variance.max(repeats.unwrap_or(0.0) / level.runs as f64)
}

/// The variance of the runs of one machine in a column, by the median over the machines that have several.
fn repeats(fleet: &Fleet, machines: &[usize], column: usize) -> Option<f64> {
    let of = |index: &usize| {
        let values = fleet.machines.get(*index)?.values(column);
        let costs: Vec<f64> = values.map(|value| f64::from(value.log_cost)).collect();
        let freedom = costs.len().checked_sub(1)? as f64;
        // The median of a chi-square variable is that much below its mean (Wilson and Hilferty).
        let median_share = (1.0 - 2.0 / (9.0 * freedom)).powi(3);
        Some(deviation(&costs)?.powi(2) / median_share)
    };
    median(machines.iter().filter_map(of))
}

/// The odd machines of a type and their points, the furthest away first.
///
/// Machines are chosen first, each by all its points together (Simes, 1986), so that of those called odd at most
/// [`FALSE_SHARE`] are so by chance; then points within each, by as much stricter as few were chosen (Benjamini and
/// Bogomolov, "Selective inference on multiple families of hypotheses", 2014).
pub(crate) fn odd(machines: &[usize], lies: &[Lie]) -> BTreeMap<usize, Vec<OddPoint>> {
    let tested: Vec<Vec<(OddPoint, f64)>> = (0..machines.len()).map(|index| tested(lies, index)).collect();
    let together = tested.iter().map(|points| {
        let p_values: Vec<f64> = points.iter().map(|(_, p)| *p).collect();
        all_together(&p_values)
    });
    let chosen = discoveries(&together.collect::<Vec<f64>>(), FALSE_SHARE);
    let share = chosen.iter().filter(|is_chosen| **is_chosen).count() as f64 / machines.len() as f64;
    let found = machines.iter().zip(tested).zip(chosen);
    let found = found.filter_map(|(machine, is_chosen)| is_chosen.then_some(machine));
    let of = |(machine, points): (&usize, Vec<(OddPoint, f64)>)| {
        let points = odd_points(points, FALSE_SHARE * share);
        (!points.is_empty()).then_some((*machine, points))
    };
    found.filter_map(of).collect()
}

/// Each point of a machine with the probability of such a distance.
fn tested(lies: &[Lie], index: usize) -> Vec<(OddPoint, f64)> {
    let of = |lie: &Lie| {
        let (off, distance) = lie.at(index)?;
        let point = OddPoint { column: lie.column, ratio: off.exp(), distance };
        Some((point, two_sided(distance)))
    };
    lies.iter().filter_map(of).collect()
}

/// The probability of these p-values where no hypothesis is false.
fn all_together(p_values: &[f64]) -> f64 {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let ranked = sorted.iter().enumerate();
    ranked.map(|(rank, p)| p * count / (rank as f64 + 1.0)).fold(1.0, f64::min)
}

/// The points of an odd machine that are far enough away, the furthest first.
fn odd_points(tested: Vec<(OddPoint, f64)>, rate: f64) -> Vec<OddPoint> {
    let p_values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    let found = discoveries(&p_values, rate);
    let found = tested.into_iter().zip(found).filter(|(_, is_found)| *is_found);
    let mut points: Vec<OddPoint> = found.map(|((point, _), _)| point).collect();
    points.retain(|point| point.ratio.max(1.0 / point.ratio) >= LEAST_RATIO);
    points.sort_by(|a, b| b.distance.abs().total_cmp(&a.distance.abs()));
    points
}
