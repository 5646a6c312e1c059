//! The shapes of a fleet: machines, their runs, and what every point cost in each.

use quantity::Quantity;
use record::PointId;
use stats::spread::mean;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Words that many machines have in common.
pub type Text = Arc<str>;

/// What was measured on every machine, in columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The point.
    pub id: PointId,
    /// The kind of its values.
    pub quantity: Quantity,
}

impl Column {
    /// The logarithm of what a value costs: more is worse, of a rate as well as of a time.
    pub fn log_cost(&self, value: f64) -> f64 {
        self.sign() * value.ln()
    }

    /// The value of which this is the logarithm of the cost.
    pub fn value(&self, log_cost: f64) -> f64 {
        (self.sign() * log_cost).exp()
    }

    /// Whether cost grows or falls with the value.
    fn sign(&self) -> f64 {
        match self.quantity {
            Quantity::Bandwidth | Quantity::Frequency | Quantity::Size => -1.0,
            Quantity::Latency | Quantity::Count | Quantity::Ratio => 1.0,
        }
    }
}

/// What one run says of one point. Small, because a large fleet has millions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Logarithm of the cost.
    pub log_cost: f32,
    /// Variance of that logarithm, by the interval of the estimate.
    pub variance: f32,
    /// Logarithm of the clock of the core that was measured with it, in hertz.
    pub log_clock: Option<f32>,
}

/// One run of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The file that it was read from.
    pub file: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// A digest of the identity of the boot that it ran in, where known: two boots at a time are two machines.
    pub boot: Option<Text>,
    /// When it began and ended, in seconds since 1970, as far as its clock was right.
    pub span: Option<(f64, f64)>,
    /// For every column what it came out as; `None` where it has no number that may be compared.
    pub values: Vec<Option<Value>>,
    /// How good the measurement was.
    pub quality: Quality,
}

/// How good a run's measurement was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Share of the points with a number that are noisy.
    pub noisy_share: f64,
    /// Share of the time in which the busiest probed core was quiet; `None` where none was probed.
    pub quiet_share: Option<f64>,
}

/// A machine with its runs, in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// What it is called.
    pub name: String,
    /// What is known about it, as text, by the key of the fact; what is unknown is absent.
    pub facts: BTreeMap<Text, Text>,
    /// Bytes of memory, where known.
    pub memory_bytes: Option<f64>,
    /// Its runs.
    pub runs: Vec<Run>,
}

/// Machines that were measured by the same points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fleet {
    /// The points.
    pub columns: Vec<Column>,
    /// The machines, by name.
    pub machines: Vec<Machine>,
}

/// What a machine's runs say of one point together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Mean logarithm of the cost over the runs.
    pub log_cost: f64,
    /// Variance of that mean by the intervals of the estimates alone.
    pub variance: f64,
    /// Runs with a number.
    pub runs: usize,
}

impl Machine {
    /// What the runs say of a column together; `None` without a number.
    pub fn level(&self, column: usize) -> Option<Level> {
        let runs = self.values(column).count();
        Some(Level {
            log_cost: mean(self.values(column).map(|value| f64::from(value.log_cost)))?,
            variance: mean(self.values(column).map(|value| f64::from(value.variance)))? / runs as f64,
            runs,
        })
    }

    /// The mean logarithm of the clock that was measured with a column.
    pub fn log_clock(&self, column: usize) -> Option<f64> {
        mean(self.values(column).filter_map(|value| Some(f64::from(value.log_clock?))))
    }

    /// What each run says of a column.
    pub fn values(&self, column: usize) -> impl Iterator<Item = Value> {
        self.runs.iter().filter_map(move |run| *run.values.get(column)?)
    }

    /// The quality of its runs together: the means.
    pub fn quality(&self) -> Quality {
        Quality {
            noisy_share: mean(self.runs.iter().map(|run| run.quality.noisy_share)).unwrap_or_default(),
            quiet_share: mean(self.runs.iter().filter_map(|run| run.quality.quiet_share)),
        }
    }
}

impl Fleet {
    /// What the runs of a machine say of a column together; `None` without a number.
    pub fn level(&self, machine: usize, column: usize) -> Option<Level> {
        self.machines.get(machine)?.level(column)
    }

    /// The logarithms of what a column costs on those of these machines that have a number.
    pub fn log_costs(&self, machines: &[usize], column: usize) -> Vec<f64> {
        machines.iter().filter_map(|machine| Some(self.level(*machine, column)?.log_cost)).collect()
    }
}
