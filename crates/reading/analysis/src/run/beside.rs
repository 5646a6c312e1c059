//! How the costs of a run stand beside those of another machine.

use crate::rows::row::Row;
use crate::run::distinct::distinct;
use quantity::Quantity;
use record::PointId;
use stats::order;

/// What the points that both machines have cost here, divided by what they cost there.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// The area; `None` for all of them.
    pub area: Option<String>,
    /// How many points both have.
    pub points: usize,
    /// Median of the cost here divided by that there; below 1 this machine is faster.
    pub ratio: f64,
}

/// All points and those of each area, where the other machine has any of them. `there` gives its typical value of a point in
/// the base unit. The cost of a bandwidth is its inverse; sizes, clocks and counts are no costs.
pub fn beside(rows: &[Row], there: impl Fn(&PointId) -> Option<f64>) -> Vec<Beside> {
    let found = rows.iter().filter_map(|row| {
        let ratio = cost_ratio(row, there(&row.point.id)?)?;
        Some((row.point.area.as_str(), ratio))
    });
    let found: Vec<(&str, f64)> = found.collect();
    let areas = distinct(found.iter().map(|(area, _)| *area));
    std::iter::once(None)
        .chain(areas.into_iter().map(Some))
        .filter_map(|area| {
            let here = found.iter().filter(|(other, _)| area.is_none_or(|area| area == *other));
            let ratios: Vec<f64> = here.map(|(_, ratio)| *ratio).collect();
            Some(Beside {
                area: area.map(str::to_owned),
                points: ratios.len(),
                ratio: order::median(ratios)?,
            })
        })
        .collect()
}

/// The cost of a row divided by the cost of the same point elsewhere.
fn cost_ratio(row: &Row, there: f64) -> Option<f64> {
    let here = row.typical()?;
    let ratio = match row.quantity() {
        Quantity::Latency => here / there,
        Quantity::Bandwidth => there / here,
        Quantity::Size | Quantity::Frequency | Quantity::Count | Quantity::Ratio => return None,
    };
    (row.point.flaw.is_none() && ratio.is_finite() && ratio > 0.0).then_some(ratio)
}
