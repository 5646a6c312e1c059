//! The generator: machines of a type, what they cost, how far they and their runs lie apart, and faults.

use fastrand::Rng;
use fleet::{Fleet, Import, Intake, Text};
use quantity::Quantity;
use record::{PointId, SummaryRow};
use std::collections::BTreeMap;

/// A fleet to make.
#[derive(Debug, Clone)]
pub struct Made {
    /// Machines.
    pub machines: usize,
    /// Runs on each.
    pub runs: usize,
    /// Deviation between machines, of each point by itself, as a share.
    pub between: f64,
    /// Deviation between the runs of a machine.
    pub among: f64,
    /// Deviation within a run: that of its estimate.
    pub within: f64,
    /// Deviation between the runs of a machine that all their points share.
    pub together: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Made {
    fn default() -> Self {
        Self { machines: 60, runs: 3, between: 0.01, among: 0.005, within: 0.005, together: 0.0, seed: 1 }
    }
}

/// What is planted in a machine: for a point by how much it costs more, as a factor.
pub type Fault = fn(&PointId) -> f64;

/// The points of a fleet, with what they cost.
pub fn points() -> Vec<(PointId, Quantity, f64)> {
    let mut points = Vec::new();
    let mut add = |operation: &str, point: &str, quantity: Quantity, typical: f64| {
        points.push((PointId::new(operation, point), quantity, typical));
    };
    for number in 0..30 {
        add("arithmetic.integer", &format!("kind={number}"), Quantity::Latency, 0.5);
        add("syscall.made", &format!("number={number}"), Quantity::Latency, 150.0);
        add("file.read.direct", &format!("bytes={}KiB", 4 + number), Quantity::Latency, 80e3);
        add("switch.process.pipe", &format!("number={number}"), Quantity::Latency, 2e3);
    }
    for size in ["16KiB", "1MiB", "256MiB", "512MiB", "1GiB"] {
        add("memory.latency", &format!("bytes={size}"), Quantity::Latency, 90.0);
        for method in ["read", "write", "copy"] {
            let point = format!("bytes={size}");
            add(&format!("memory.bandwidth.{method}"), &point, Quantity::Bandwidth, 2e10);
        }
    }
    add("clock.read.monotonic", "", Quantity::Latency, 25.0);
    points
}

pub fn facts(pairs: &[(&str, &str)]) -> BTreeMap<Text, Text> {
    let all = [("processor.model", "Maker 9000"), ("cpus.online", "64"), ("kernel.release", "6.18.1")];
    let mut facts: BTreeMap<Text, Text> =
        all.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    facts.extend(pairs.iter().map(|(key, value)| (Text::from(*key), Text::from(*value))));
    facts
}

/// A normal variable.
pub fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// The imports of a fleet in which machine `n` has the fault that `fault` gives for it.
pub fn imports(made: &Made, fault: impl Fn(usize) -> Option<Fault>) -> Vec<Import> {
    let mut random = Rng::with_seed(made.seed);
    let points = points();
    let mut imports = Vec::new();
    for machine in 0..made.machines {
        let own: Vec<f64> = points.iter().map(|_| made.between * normal(&mut random)).collect();
        for run in 0..made.runs {
            let shared = if made.together > 0.0 { made.together * normal(&mut random) } else { 0.0 };
            let row = |((id, quantity, typical), own): (&(PointId, Quantity, f64), &f64)| {
                let planted = fault(machine).map_or(1.0, |fault| fault(id));
                let spread = made.among * normal(&mut random) + made.within * normal(&mut random);
                let cost = (own + shared + spread).exp() * planted;
                let typical = match quantity {
                    Quantity::Bandwidth => typical / cost,
                    _ => typical * cost,
                };
                let half = 1.96 * made.within;
                SummaryRow {
                    id: id.clone(),
                    quantity: *quantity,
                    revision: 1,
                    verdict: "measured".to_owned(),
                    typical: Some(typical),
                    interval: Some((typical * (1.0 - half), typical * (1.0 + half))),
                    trials: 12,
                    core_hz: Some(3e9),
                }
            };
            imports.push(Import {
                file: format!("node{machine:04}.{run}.oscope.jsonl"),
                machine: format!("node{machine:04}"),
                started: format!("2026-03-0{}T00:00:00Z", run + 1),
                is_clock_right: true,
                span: Some((86400.0 * run as f64, 86400.0 * run as f64 + 600.0)),
                boot: None,
                has_ended: true,
                program: "0.1.0".to_owned(),
                facts: facts(&[]),
                memory_bytes: Some(256e9),
                rows: points.iter().zip(&own).map(row).collect(),
                quiet_share: Some(0.97),
            });
        }
    }
    imports
}

/// The fleet of these imports.
pub fn fleet_of(imports: Vec<Import>) -> Fleet {
    let mut intake = Intake::default();
    imports.into_iter().for_each(|import| intake.add(import));
    intake.finish().0
}
