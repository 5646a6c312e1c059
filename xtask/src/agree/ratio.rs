//! Ratios of oscope's values to those of a tool, and what counts as agreement.

/// Turns of all: an odd number has a median.
pub const TURNS: usize = 5;

/// A ratio that counts as agreement.
pub const AGREES: f64 = 0.05;

/// The word where two disagree.
pub const NO: &str = "**no**";

/// oscope divided by a tool over the turns.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Ratio {
    /// The ratios of these values, pair by pair; `None` where there are none.
    pub fn between(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        Some(Self { median: *ratios.get(ratios.len() / 2)?, least: *ratios.first()?, most: *ratios.last()? })
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:.3} ({:.3} to {:.3})", self.median, self.least, self.most)
    }
}
