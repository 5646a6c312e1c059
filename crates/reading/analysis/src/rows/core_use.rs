//! What an analysis says of the cores: the state that a row is of, and how each CPU was used over a run.

use quantity::Quantity;

/// The state of the cores in which the samples of an estimate were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreState {
    /// No other hardware thread used the cores of the actors.
    Quiet,
    /// Another hardware thread used one of them.
    Shared,
    /// Either: the samples were taken without regard to it.
    Mixed,
}

impl CoreState {
    /// The word for it, in tables and for scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Shared => "shared",
            Self::Mixed => "mixed",
        }
    }
}

/// How the cores of the actors were used while a point was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreUse {
    /// The state that the estimate is of.
    pub state: CoreState,
    /// Share of the untriggered samples that were taken on quiet cores.
    pub quiet_share: Option<f64>,
    /// Cost while shared divided by that while quiet, where both were seen often enough; a bandwidth costs its inverse.
    pub slowdown: Option<f64>,
    /// Median of the untriggered samples.
    pub untriggered: Option<f64>,
}

/// How one CPU was used over a whole run, from all looks at its core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuUse {
    /// The CPU.
    pub cpu: u32,
    /// Share of the time in which its core was quiet.
    pub quiet_share: f64,
    /// Mean length of a quiet stretch in nanoseconds; `None` where none ended.
    pub quiet_ns: Option<f64>,
    /// Mean length of a shared stretch in nanoseconds; `None` where none ended.
    pub shared_ns: Option<f64>,
    /// Median slow-down while shared over the points of which this was the only core; `None` where no such point was
    /// seen often enough in both states.
    pub slowdown: Option<f64>,
}

/// How quiet the probed cores were in a part of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuietSpan {
    /// Its first second.
    pub from_s: f64,
    /// The second behind its last.
    pub to_s: f64,
    /// The share of the time seen in which the busiest of the cores was quiet.
    pub quiet_share: f64,
}

impl CpuUse {
    /// What is known of it, as results of `noise.shared_core`: the value of the parameter `of`, the kind of value, and
    /// the value.
    pub fn results(&self) -> impl Iterator<Item = (&'static str, Quantity, f64)> {
        let all = [
            ("quiet_share", Quantity::Ratio, Some(self.quiet_share)),
            ("quiet_stretch", Quantity::Latency, self.quiet_ns),
            ("shared_stretch", Quantity::Latency, self.shared_ns),
            ("slowdown", Quantity::Ratio, self.slowdown),
        ];
        all.into_iter().filter_map(|(of, quantity, value)| Some((of, quantity, value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_what_is_known() {
        let all =
            CpuUse { cpu: 3, quiet_share: 0.5, quiet_ns: Some(2.0), shared_ns: None, slowdown: Some(1.5) };
        let expected = [
            ("quiet_share", Quantity::Ratio, 0.5),
            ("quiet_stretch", Quantity::Latency, 2.0),
            ("slowdown", Quantity::Ratio, 1.5),
        ];
        assert_eq!(all.results().collect::<Vec<_>>(), expected);
        let words = [CoreState::Quiet, CoreState::Shared, CoreState::Mixed].map(CoreState::word);
        assert_eq!(words, ["quiet", "shared", "mixed"]);
    }
}
