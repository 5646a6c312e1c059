//! How far the machines of a type, or the runs of a machine, are from the others, and in which points.

use crate::scale::scale;
use crate::table::{Fleet, Level};
use crate::thresholds::{FALSE_SHARE, LEAST_DEVIATION, LEAST_SIBLINGS, ODD_RATIO};
use stats::discoveries::discoveries;
use stats::normal::{normal_of_student, two_sided};
use stats::order::median;
use stats::spread::deviation;

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

/// How the machines of a type, or the runs of a machine, lie in one column.
#[derive(Debug, Clone)]
pub(crate) struct Lie {
    /// Which column.
    pub(crate) column: usize,
    /// Median logarithm of the cost.
    pub(crate) median: f64,
    /// For each member, in its order: the distance from the median as a logarithm, and in standard deviations of what such
    /// members and their repetitions vary.
    pub(crate) members: Vec<Option<(f64, f64)>>,
}

impl Lie {
    /// How the member at this place lies.
    pub(crate) fn member(&self, index: usize) -> Option<(f64, f64)> {
        *self.members.get(index)?
    }
}

/// What is compared: the machines of a type, or the runs of a machine.
pub(crate) struct Members<'f> {
    /// How many.
    pub(crate) count: usize,
    /// How many columns they have.
    pub(crate) columns: usize,
    /// What a member, by its place, says of a column.
    pub(crate) level: &'f dyn Fn(usize, usize) -> Option<Level>,
    /// The variance of repetitions within a member, in a column.
    pub(crate) repeats: &'f dyn Fn(usize) -> Option<f64>,
}

/// How the machines of a type lie in each column that enough of them have.
pub(crate) fn machine_lies(fleet: &Fleet, machines: &[usize]) -> Vec<Lie> {
    lies(&Members {
        count: machines.len(),
        columns: fleet.columns.len(),
        level: &|place, column| fleet.level(*machines.get(place)?, column),
        repeats: &|column| repeats(fleet, machines, column),
    })
}

/// How the members lie in each column that enough of them have.
pub(crate) fn lies(members: &Members<'_>) -> Vec<Lie> {
    (0..members.columns).filter_map(|column| lie(members, column)).collect()
}

fn lie(members: &Members<'_>, column: usize) -> Option<Lie> {
    let levels: Vec<Option<Level>> =
        (0..members.count).map(|member| (members.level)(member, column)).collect();
    let costs: Vec<f64> = levels.iter().flatten().map(|level| level.log_cost).collect();
    if costs.len() < LEAST_SIBLINGS {
        return None;
    }
    let (median_cost, scale) = (median(&costs)?, scale(&costs)?);
    let repeats = (members.repeats)(column);
    let usual_error = median(levels.iter().flatten().map(|level| error(level, repeats)))?;
    let between = (scale.deviation.powi(2) - usual_error).max(0.0);
    let members = levels.iter().map(|level| {
        let level = level.as_ref()?;
        let deviation = (between + error(level, repeats)).sqrt().max(LEAST_DEVIATION);
        let off = level.log_cost - median_cost;
        Some((off, normal_of_student(off / deviation, scale.freedom)))
    });
    Some(Lie { column, median: median_cost, members: members.collect() })
}

/// Variance of the mean of a machine's runs: what runs of one machine vary, or what each varies by itself if that is more.
fn error(level: &Level, repeats: Option<f64>) -> f64 {
    level.variance.max(repeats.unwrap_or(0.0) / level.runs as f64)
}

/// The variance of the runs of one machine in a column, by the median over the machines that have several.
fn repeats(fleet: &Fleet, machines: &[usize], column: usize) -> Option<f64> {
    let machines = machines.iter().filter_map(|index| fleet.machines.get(*index));
    median(machines.filter_map(|machine| {
        let costs: Vec<f64> = machine.values(column).map(|value| f64::from(value.log_cost)).collect();
        let freedom = costs.len().checked_sub(1)? as f64;
        // The median of a chi-square variable is that much below its mean (Wilson and Hilferty).
        let median_share = (1.0 - 2.0 / (9.0 * freedom)).powi(3);
        Some(deviation(&costs)?.powi(2) / median_share)
    }))
}

/// The probability that this member is as far from the others, in all its points together, as it is (Simes, 1986); not a
/// number where it has none.
pub(crate) fn p_value(lies: &[Lie], member: usize) -> f64 {
    let p_values: Vec<f64> = tested(lies, member).map(|(_, p)| p).collect();
    if p_values.is_empty() { f64::NAN } else { all_together(&p_values) }
}

/// Each point of a member with the probability of such a distance.
fn tested(lies: &[Lie], member: usize) -> impl Iterator<Item = (OddPoint, f64)> {
    lies.iter().filter_map(move |lie| {
        let (off, distance) = lie.member(member)?;
        let point = OddPoint { column: lie.column, ratio: off.exp(), distance };
        Some((point, two_sided(distance)))
    })
}

/// The probability of these p-values where no hypothesis is false.
fn all_together(p_values: &[f64]) -> f64 {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let ranked = sorted.iter().enumerate();
    ranked.map(|(rank, p)| p * count / (rank as f64 + 1.0)).fold(1.0, f64::min)
}

/// The points of an odd member that are far enough away, the furthest first. Of them [`FALSE_SHARE`] may be so by chance, on the
/// average over the members that were chosen; a test within chosen ones is stricter by the share that was chosen (Benjamini and
/// Bogomolov, "Selective inference on multiple families of hypotheses", 2014).
pub(crate) fn odd_points(lies: &[Lie], member: usize, chosen_share: f64) -> Vec<OddPoint> {
    let (all, p_values): (Vec<OddPoint>, Vec<f64>) = tested(lies, member).unzip();
    let found = discoveries(&p_values, FALSE_SHARE * chosen_share);
    let found = all.into_iter().zip(found).filter(|(_, is_found)| *is_found);
    let mut points: Vec<OddPoint> = found.map(|(point, _)| point).collect();
    points.retain(|point| point.ratio.max(1.0 / point.ratio) >= ODD_RATIO);
    points.sort_by(|a, b| b.distance.abs().total_cmp(&a.distance.abs()));
    points
}
