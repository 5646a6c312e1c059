//! How many machines and runs a precision needs.

use stats::components::Components;
use stats::normal::beyond;

/// Runs on each machine for which the machines are counted.
const RUNS: [u32; 3] = [1, 3, 10];

/// A way to know what a point costs on a type of machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Runs on each machine.
    pub runs: u32,
    /// Machines.
    pub machines: u32,
}

/// The machines that a half width of this share needs, at 95 %, for some numbers of runs on each; `None` where the
/// components are not known.
///
/// The mean over machines of means over runs has the variance σ²(machines) / m + (σ²(runs) + σ²(within)) / (m r). Maricq and
/// others, "Taming performance variability", OSDI 2018, ask the same of resampled runs, without keeping machines and runs apart.
pub fn designs(components: &Components, precision: f64) -> Option<[Design; 3]> {
    let between = components.between_groups?.deviation.powi(2);
    let repeats = components.between_members.map_or(0.0, |found| found.deviation.powi(2));
    let repeats = repeats + components.within.powi(2);
    let allowed = ((1.0 + precision).ln() / beyond(0.025)).powi(2);
    Some(RUNS.map(|runs| {
        let machines = (between + repeats / f64::from(runs)) / allowed;
        Design { runs, machines: (machines.ceil() as u32).max(1) }
    }))
}
