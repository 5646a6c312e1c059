//! What a quiet core is, by the ratios of its probes; and how the trigger waits for one.

use crate::clock::Clock;

/// A core is quiet when its probes' ratio is at most this many times the ratio of a core that is known to be quiet: a
/// shared core is at 1.3 to 2, and the clock's step makes single looks differ by up to 1.03.
pub const QUIET: f64 = 1.08;

/// Quantile of the ratios that stands for a quiet core, where nothing better is known: not the least one, which could be
/// a misreading.
const QUIET_QUANTILE: f64 = 0.15;

/// Chains that differ from their median by more were interrupted: two of a coarse clock's steps differ by 2 %.
const INTERRUPTED: f64 = 0.03;

/// The ratio of a quiet core as these ratios show it; `None` without any.
pub fn quietest(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get((QUIET_QUANTILE * ratios.len() as f64) as usize).copied()
}

/// The mean of the chains that no interrupt made longer, because the steps of a coarse clock average out in a mean and not
/// in a median; `None` where there is none.
pub fn usual_chain(chains: &[i64]) -> Option<f64> {
    let mut chains = chains.to_vec();
    chains.sort_unstable();
    let median = *chains.get(chains.len() / 2)? as f64;
    chains.retain(|&chain| (chain as f64 / median - 1.0).abs() < INTERRUPTED);
    let mean = chains.iter().sum::<i64>() as f64 / chains.len() as f64;
    (mean > 0.0).then_some(mean)
}

/// The pauses between two looks while waiting: quiet stretches last from a tenth of a millisecond on.
#[derive(Debug, Clone, Copy)]
pub struct Pauses(i64);

impl Default for Pauses {
    fn default() -> Self {
        Self(Self::FIRST)
    }
}

impl Pauses {
    /// The first one, in nanoseconds.
    const FIRST: i64 = 10_000;

    /// The longest one, in nanoseconds.
    pub const LONGEST: i64 = 200_000;

    /// Pauses since this moment of the kernel's time; the next pause is longer. The core has nothing to do meanwhile but to
    /// read the clock.
    pub fn spin(&mut self, clock: impl Clock, since: i64) {
        while clock.nanos() - since < self.0 {
            std::hint::spin_loop();
        }
        self.0 = (self.0 * 3 / 2).min(Self::LONGEST);
    }
}
