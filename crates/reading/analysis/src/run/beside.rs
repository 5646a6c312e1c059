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
    let ratio = |row: &Row| {
        let (here, there) = (row.typical()?, there(&row.point.id)?);
        let ratio = match row.quantity() {
            Quantity::Latency => here / there,
            Quantity::Bandwidth => there / here,
            Quantity::Size | Quantity::Frequency | Quantity::Count | Quantity::Ratio => return None,
        };
        (row.point.flaw.is_none() && ratio.is_finite() && ratio > 0.0).then_some(ratio)
    };
    let found: Vec<(&str, f64)> =
        rows.iter().filter_map(|row| Some((row.point.area.as_str(), ratio(row)?))).collect();
    let areas = distinct(found.iter().map(|(area, _)| *area));
    let of = |area: Option<&str>| {
        let is_in = |one: &&(&str, f64)| area.is_none_or(|area| area == one.0);
        let ratios: Vec<f64> = found.iter().filter(is_in).map(|(_, ratio)| *ratio).collect();
        Some(Beside { area: area.map(str::to_owned), points: ratios.len(), ratio: order::median(ratios)? })
    };
    std::iter::once(None).chain(areas.into_iter().map(Some)).filter_map(of).collect()
}
