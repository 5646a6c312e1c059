//! What a run says of a point.

/// What a run says of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PastValue {
    /// The place of the run among all.
    pub run: usize,
    /// Revision of the operation.
    pub revision: u32,
    /// `measured`, `noisy`, `contradicted`, `skipped` or `failed`.
    pub verdict: Box<str>,
    /// Its typical value; `None` without a number.
    pub typical: Option<f64>,
    /// The interval of that run, at 95 %.
    pub interval: Option<(f64, f64)>,
}

impl PastValue {
    /// Half of its interval.
    pub fn half(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0)
    }

    /// The same as a share of the value.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.half()? / self.typical?.abs())
    }
}
