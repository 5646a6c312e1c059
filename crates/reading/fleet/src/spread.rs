//! How far apart the machines of a type lie in each point, apart from what runs on one machine vary.

use crate::table::{Fleet, Value};
use stats::components::{Components, Member, components};
use stats::order::Sorted;
use std::collections::BTreeSet;

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// One point over the machines of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Which column.
    pub column: usize,
    /// What it costs on the median machine, in the base unit of the quantity.
    pub median: f64,
    /// The least and the largest value of a machine.
    pub range: (f64, f64),
    /// What nine of ten machines cost divided by the median machine: the 5th and the 95th percentile.
    pub most_machines: (f64, f64),
    /// Machines with a number.
    pub machines: usize,
    /// Standard deviations of the logarithm: shares of the value. Of machines that are not odd in this point.
    pub components: Option<Components>,
}

/// The spread of every column over these machines; those that are odd in a column do not count in its components.
pub(crate) fn spreads(fleet: &Fleet, machines: &[usize], odd: &BTreeSet<(usize, usize)>) -> Vec<Spread> {
    let columns = 0..fleet.columns.len();
    columns.filter_map(|column| spread(fleet, machines, column, odd)).collect()
}

fn spread(
    fleet: &Fleet,
    machines: &[usize],
    column: usize,
    odd: &BTreeSet<(usize, usize)>,
) -> Option<Spread> {
    let member = |value: Value| Member { value: value.log_cost.into(), variance: value.variance.into() };
    let alike = machines.iter().filter(|index| !odd.contains(&(**index, column)));
    let groups: Vec<Vec<Member>> = alike
        .filter_map(|index| Some(fleet.machines.get(*index)?.values(column).map(member).collect()))
        .collect();
    let kind = fleet.columns.get(column)?;
    let sorted = Sorted::of(fleet.log_costs(machines, column));
    let middle = sorted.median()?;
    let ratio = |share: f64| Some((sorted.quantile(share)? - middle).exp());
    let (first, last) = (kind.value(*sorted.values().first()?), kind.value(*sorted.values().last()?));
    Some(Spread {
        column,
        median: kind.value(middle),
        range: (first.min(last), first.max(last)),
        most_machines: (ratio(0.05)?, ratio(0.95)?),
        machines: sorted.values().len(),
        components: components(&groups, LEVEL),
    })
}
