//! What `oscope report` and `oscope compare` write with `--format csv`.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A row of a report; older tables lack the last columns, and what is not used here is not read.
#[derive(Debug, Clone, Deserialize)]
pub struct Row {
    pub operation: String,
    pub point: String,
    #[serde(default)]
    pub area: String,
    #[serde(default)]
    pub quantity: String,
    pub verdict: String,
    pub typical: Option<f64>,
    #[serde(default)]
    pub low: Option<f64>,
    #[serde(default)]
    pub high: Option<f64>,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub state: String,
    /// The core clock at which the typical value holds, in hertz.
    #[serde(default)]
    pub core_hz: Option<f64>,
}

impl Row {
    /// Operation and point, as they are typed.
    pub fn name(&self) -> String {
        name(&self.operation, &self.point)
    }
}

/// A row of a comparison.
#[derive(Debug, Clone, Deserialize)]
pub struct Change {
    pub operation: String,
    pub point: String,
    /// The record or environment that is compared with the first.
    pub record: String,
    pub first: Option<f64>,
    pub second: Option<f64>,
    pub change: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Change {
    /// Operation and point, as they are typed.
    pub fn name(&self) -> String {
        name(&self.operation, &self.point)
    }
}

fn name(operation: &str, point: &str) -> String {
    format!("{operation} {point}").trim_end().to_owned()
}

/// The rows of such a table.
///
/// # Errors
/// When it is no such table.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: csv::Result<Vec<T>> = reader.deserialize().collect();
    rows.context("the table of oscope cannot be read")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rows_are_read_also_without_numbers() {
        let heading = "operation,point,area,verdict,typical,low,high,reason,core_hz";
        let text =
            format!("{heading}\na.b,n=1,cpu,measured,1.5,1,2,,3e9\na.b,,cpu,skipped,,,,\"no, thanks\",\n");
        let rows: Vec<Row> = read(&text).unwrap();
        assert_eq!(
            (rows[0].name().as_str(), rows[0].typical, rows[0].high),
            ("a.b n=1", Some(1.5), Some(2.0))
        );
        assert_eq!(
            (rows[1].name().as_str(), rows[1].typical, rows[1].reason.as_str()),
            ("a.b", None, "no, thanks")
        );
        assert!(read::<Row>("a,b\n1,2\n").is_err());
    }

    #[test]
    fn tables_with_the_columns_of_the_run_are_read_as_those_without() {
        let heading = "operation,point,area,verdict,typical,core_hz";
        let old = format!("{heading}\na.b,n=1,cpu,measured,1.5,3e9\n");
        let new = format!(
            "{heading},machine,kernel,started,record\n\
             a.b,n=1,cpu,measured,1.5,3e9,\"A, B\",6.18.1,2026-11-27T10:00:00Z,new\n"
        );
        let [old, new]: [Vec<Row>; 2] = [old, new].map(|text| read(&text).unwrap());
        assert_eq!(format!("{old:?}"), format!("{new:?}"));
    }
}
