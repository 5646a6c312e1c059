//! The figures, one per row.

use crate::data::{ReferenceError, rows};
use quantity::{Quantity, Scale, parse_unit, show};
use serde::Deserialize;

/// The table of results as it is carried, for those who want to check it.
pub const RESULTS: &str = include_str!("../data/results.csv");

/// One row of a report.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Figure {
    /// Which report: `R0` to `R4`.
    pub report: String,
    /// Section or table.
    pub section: String,
    /// What was measured, and by which method.
    pub operation: String,
    /// Its parameters, `name=value` with spaces between.
    pub parameter: String,
    /// Kind: `latency`, `bandwidth`, `size`, `count`.
    pub quantity: String,
    /// The unit that is printed.
    pub unit_published: String,
    /// Base hardware performance, in that unit.
    pub base_hardware: Option<f64>,
    /// Estimated software overhead, in that unit.
    pub software_overhead: Option<f64>,
    /// Prediction, in that unit.
    pub predicted: Option<f64>,
    /// Result, in that unit.
    pub measured: Option<f64>,
    /// Deviation, in that unit.
    pub deviation: Option<f64>,
    /// Smallest, or the lower end of a range, in that unit.
    pub minimum: Option<f64>,
    /// Largest, or the upper end, in that unit.
    pub maximum: Option<f64>,
    /// Result in seconds, bytes per second or bytes; for a range its geometric middle.
    pub measured_si: Option<f64>,
    /// Prediction likewise.
    pub predicted_si: Option<f64>,
    /// Codes of the mistakes that make it suspect, with spaces between.
    pub suspect: String,
    /// What else there is to know.
    pub remark: String,
}

/// A figure in the base unit of its kind: nanoseconds, bytes per second, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// The value in that unit.
    pub value: f64,
    /// Its kind.
    pub quantity: Quantity,
}

impl Shown {
    /// The text of the value.
    pub fn text(self) -> String {
        show(self.value, None, self.quantity)
    }
}

/// Nanoseconds in a second: times are kept in nanoseconds.
const NANOS: f64 = 1e9;

impl Figure {
    /// What is measured; `None` for a unit without a scale.
    pub fn kind(&self) -> Option<Quantity> {
        match self.quantity.as_str() {
            "latency" => Some(Quantity::Latency),
            "bandwidth" => Some(Quantity::Bandwidth),
            "size" => Some(Quantity::Size),
            "count" if self.unit_published == "ratio" || self.unit_published == "%" => Some(Quantity::Ratio),
            "count" => Some(Quantity::Count),
            _ => None,
        }
    }

    /// The result in the base unit of its kind.
    pub fn result(&self) -> Option<Shown> {
        self.measured_si.map(|value| self.based(value)).unwrap_or_else(|| self.convert(self.measured?))
    }

    /// The prediction in the base unit of its kind.
    pub fn expectation(&self) -> Option<Shown> {
        self.predicted_si.map(|value| self.based(value)).unwrap_or_else(|| self.convert(self.predicted?))
    }

    /// The deviation in the base unit; in cycles by what the result tells in both.
    pub fn spread(&self) -> Option<Shown> {
        self.convert(self.deviation?)
    }

    /// From seconds, bytes per second or bytes.
    fn based(&self, value: f64) -> Option<Shown> {
        let quantity = self.kind()?;
        let factor = if quantity == Quantity::Latency { NANOS } else { 1.0 };
        Some(Shown { value: value * factor, quantity })
    }

    /// From the printed unit.
    fn convert(&self, printed: f64) -> Option<Shown> {
        let quantity = self.kind()?;
        if matches!(quantity, Quantity::Count) {
            return Some(Shown { value: printed, quantity });
        }
        match parse_unit(&self.unit_published)?.scale {
            Scale::Times(factor) => self.based(printed * factor),
            Scale::Log2(one) => self.based(one * printed.exp2()),
            Scale::Cycles => {
                let period = self.measured_si? / self.measured.filter(|cycles| *cycles != 0.0)?;
                self.based(printed * period)
            }
        }
    }

    /// Whether the row is one of several trials, of which another row gives the mean.
    pub fn is_trial(&self) -> bool {
        self.parameter.split(' ').any(|pair| pair.starts_with("trial="))
    }

    /// Codes of the mistakes that make it suspect.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.suspect.split_whitespace()
    }

    /// Operation and parameters, as they are called on a command line.
    pub fn id(&self) -> String {
        format!("{} {}", self.operation, self.parameter).trim_end().to_owned()
    }
}

/// All figures, in the order of the reports.
///
/// # Errors
/// When the data that the program carries cannot be read; a test shows that it can.
pub fn figures() -> Result<Vec<Figure>, ReferenceError> {
    rows(RESULTS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::mistake_name;

    #[test]
    fn every_figure_is_read_and_every_code_has_a_name() {
        let figures = figures().unwrap();
        assert!(figures.len() > 1000);
        for figure in &figures {
            assert!(figure.kind().is_some(), "{}", figure.id());
            for code in figure.codes() {
                assert!(mistake_name(code).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn printed_units_convert_to_the_given_base_units() {
        for figure in figures().unwrap() {
            let Some((printed, given)) = figure.measured.zip(figure.measured_si) else {
                continue;
            };
            let converted = figure.convert(printed).map(|shown| shown.value);
            let based = figure.based(given).map(|shown| shown.value);
            let (Some(converted), Some(based)) = (converted, based) else {
                continue;
            };
            // A report's own figures show where its prefixes are powers of 1024.
            let is_binary = figure.remark.contains("SI column takes powers of 1024");
            let prefix = match figure.unit_published.as_str() {
                "MB" if is_binary => 1.024_f64.powi(2),
                "GB" if is_binary => 1.024_f64.powi(3),
                _ => 1.0,
            };
            let close = (converted * prefix - based).abs() <= 1e-6 * based.abs();
            assert!(close, "{} {converted} {based}", figure.id());
        }
    }

    #[test]
    fn figures_are_shown_in_the_units_of_the_program() {
        let all = figures().unwrap();
        let find = |report: &str, id: &str| {
            let found = all.iter().find(|figure| figure.report == report && figure.id() == id);
            found.unwrap_or_else(|| panic!("{report} {id}")).result().unwrap().text()
        };
        assert_eq!(find("R1", "switch.process.pipe statistic=mean trials=12"), "6.62 µs");
        assert_eq!(find("R0", "memory.latency.chunk level=memory"), "74.1 ns");
        assert_eq!(find("R4", "memory.levels.size level=L3"), "512 KiB");
    }
}
