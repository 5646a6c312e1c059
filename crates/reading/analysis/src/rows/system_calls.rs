//! How many system calls an iteration of a point makes.

use crate::rows::row::Row;

/// The counter of all system calls.
const ALL_CALLS: &str = "calls";

impl Row {
    /// System calls per iteration, to the nearest whole number, where the rehearsal counted some.
    pub fn system_calls(&self) -> Option<f64> {
        let counted = self.witnesses.iter().find(|judged| judged.witness.counter == ALL_CALLS);
        counted?.counted.map(f64::round).filter(|count| *count >= 1.0)
    }
}
