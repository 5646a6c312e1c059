//! The machines of the reports.

use crate::data::{ReferenceError, rows};
use serde::Deserialize;

/// The table of machines.
pub const MACHINES: &str = include_str!("../data/machines.csv");

/// One machine. The first of a report is the one that was measured, others are peers of its network.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReferenceMachine {
    /// Which report.
    pub report: String,
    /// Model.
    pub machine: String,
    /// Processor.
    pub cpu: String,
    /// Operating system.
    pub os: String,
    /// Year of the report, where it is known.
    pub year: String,
}

/// All machines.
///
/// # Errors
/// When the data that the program carries cannot be read; a test shows that it can.
pub fn machines() -> Result<Vec<ReferenceMachine>, ReferenceError> {
    rows(MACHINES)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_report_has_a_machine() {
        let machines = machines().unwrap();
        for figure in crate::figures().unwrap() {
            assert!(machines.iter().any(|machine| machine.report == figure.report), "{}", figure.report);
        }
    }
}
