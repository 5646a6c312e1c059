//! How far apart the machines of a type lie in each point, apart from what runs on one machine vary.

use crate::table::Fleet;
use crate::thresholds::SPREAD_COVERAGE;
use stats::components::{Components, Member, components};
use stats::order::Sorted;
use std::collections::BTreeSet;

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
    let usual = machines.iter().filter(|index| !odd.contains(&(**index, column)));
    let usual = usual.filter_map(|index| fleet.machines.get(*index));
    let groups: Vec<Vec<Member>> = usual
        .map(|machine| {
            let values = machine.values(column);
            values
                .map(|value| Member { value: value.log_cost.into(), variance: value.variance.into() })
                .collect()
        })
        .collect();
    let kind = fleet.columns.get(column)?;
    let sorted = Sorted::from_values(fleet.log_costs(machines, column));
    let middle = sorted.median()?;
    let [low, high] = [0.05, 0.95].map(|share| sorted.quantile(share));
    let (first, last) = (kind.value(*sorted.values().first()?), kind.value(*sorted.values().last()?));
    Some(Spread {
        column,
        median: kind.value(middle),
        range: (first.min(last), first.max(last)),
        most_machines: ((low? - middle).exp(), (high? - middle).exp()),
        machines: sorted.values().len(),
        components: components(&groups, SPREAD_COVERAGE),
    })
}
