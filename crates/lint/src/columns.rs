//! The columns of a table: their names in many words, and the units in them.

use csv::StringRecord;
use quantity::parse_unit;

/// Names under which each column is known, the best first. Whatever else a table has is not read: what others found
/// suspect, and their remarks, are no figures.
pub(crate) const REPORT: &[&str] = &[
    "report", "source", "host", "machine", "system", "platform", "computer", "node",
];
pub(crate) const SECTION: &[&str] = &["section", "table", "chapter"];
pub(crate) const OPERATION: &[&str] = &[
    "operation",
    "id",
    "name",
    "benchmark",
    "test",
    "metric",
    "measurement",
    "what",
    "syscall",
    "function",
    "primitive",
    "command",
    "workload",
];
pub(crate) const PARAMETER: &[&str] = &["parameter", "parameters", "params", "point", "configuration"];
pub(crate) const TRIAL: &[&str] = &["trial", "run", "repetition", "rep"];
pub(crate) const TRIALS: &[&str] = &["trials", "samples", "runs", "repetitions", "reps", "n_samples"];
pub(crate) const QUANTITY: &[&str] = &["quantity"];
pub(crate) const UNIT: &[&str] = &["unit_published", "unit", "units", "time_unit"];
pub(crate) const BASE: &[&str] = &["base_hardware", "hardware", "base"];
pub(crate) const SOFTWARE: &[&str] = &["software_overhead", "software"];
pub(crate) const PREDICTED: &[&str] = &["predicted", "prediction", "estimate", "expected"];
pub(crate) const MEASURED: &[&str] = &[
    "measured",
    "typical",
    "mean",
    "average",
    "avg",
    "median",
    "value",
    "result",
    "latency",
    "real_time",
    "time",
    "cost",
    "duration",
    "bandwidth",
    "throughput",
    "rate",
    "speed",
];
pub(crate) const DEVIATION: &[&str] = &[
    "deviation",
    "stddev",
    "std_dev",
    "sd",
    "std",
    "standard_deviation",
    "sigma",
];
pub(crate) const MINIMUM: &[&str] = &["minimum", "min"];
pub(crate) const MAXIMUM: &[&str] = &["maximum", "max"];
pub(crate) const MEASURED_SI: &[&str] = &["measured_si"];
pub(crate) const PREDICTED_SI: &[&str] = &["predicted_si"];
/// Columns that are parameters: what tells two rows of one operation apart.
pub(crate) const KEYS: &[&str] = &[
    "size",
    "bytes",
    "block",
    "file",
    "stride",
    "level",
    "arguments",
    "processes",
    "threads",
    "competitors",
    "mode",
    "method",
    "variant",
    "peer",
    "cpu",
    "cpus",
    "cores",
    "kernel",
    "os",
    "compiler",
    "direction",
    "order",
    "statistic",
];
const ALL: [&[&str]; 17] = [
    REPORT,
    SECTION,
    OPERATION,
    PARAMETER,
    TRIAL,
    TRIALS,
    QUANTITY,
    UNIT,
    BASE,
    SOFTWARE,
    PREDICTED,
    MEASURED,
    DEVIATION,
    MINIMUM,
    MAXIMUM,
    MEASURED_SI,
    PREDICTED_SI,
];

/// A column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    /// Its name as the file has it, in small letters.
    pub told: String,
    /// Its name without the unit, words joined by `_`.
    pub name: String,
    /// The unit in its name.
    pub unit: Option<String>,
}

/// Where each column stands.
#[derive(Debug, Default)]
pub(crate) struct Columns(pub Vec<Column>);

impl Columns {
    pub fn of(heading: &StringRecord) -> Self {
        Self(heading.iter().map(column).collect())
    }

    pub fn find(&self, names: &[&str]) -> Option<usize> {
        let at = |name: &&str| {
            let as_told = self.0.iter().position(|column| column.told == *name);
            as_told.or_else(|| self.0.iter().position(|column| column.name == *name))
        };
        names.iter().find_map(at)
    }

    pub fn cell<'r>(&self, record: &'r StringRecord, names: &[&str]) -> &'r str {
        let found = self.find(names).and_then(|at| record.get(at));
        found.unwrap_or_default().trim()
    }

    /// Whether a heading has anything that is known: an operation, or a figure.
    pub fn is_known(&self) -> bool {
        [OPERATION, MEASURED, MEASURED_SI, PREDICTED]
            .iter()
            .any(|names| self.find(names).is_some())
            && self.0.iter().filter(|column| !column.name.is_empty()).count() > 1
    }

    /// Columns that have a meaning of their own, by their places.
    pub fn known(&self) -> Vec<usize> {
        let named = ALL.iter().filter_map(|names| self.find(names));
        named.chain(self.keys().map(|(at, _)| at)).collect()
    }

    /// Columns that are parameters, by their places and names.
    pub fn keys(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.0.iter().enumerate();
        all.filter(|(_, column)| KEYS.contains(&column.name.as_str()))
            .map(|(at, column)| (at, column.name.as_str()))
    }

    /// Their names as the file has them, the first few.
    pub fn listed(&self) -> String {
        const MOST: usize = 12;
        let short = |column: &Column| column.told.chars().take(24).collect::<String>();
        let names: Vec<String> = self.0.iter().take(MOST).map(short).collect();
        let more = self.0.len().saturating_sub(MOST);
        if more == 0 {
            names.join(", ")
        } else {
            format!("{} and {more} more", names.join(", "))
        }
    }
}

/// A column by its heading: `Mean (ns)`, `latency [us]`, `time_ns`, `std dev`.
fn column(heading: &str) -> Column {
    let told = heading.trim_start_matches('\u{feff}').trim();
    let small = told.to_ascii_lowercase();
    let (name, unit) = bracketed(told).or_else(|| suffixed(told)).unwrap_or((told, None));
    let joined = name
        .trim()
        .to_ascii_lowercase()
        .replace([' ', '-'], "_")
        .replace('.', "");
    Column {
        told: small,
        name: joined.trim_matches('_').to_owned(),
        unit,
    }
}

fn bracketed(told: &str) -> Option<(&str, Option<String>)> {
    let (name, rest) = told.split_once(['(', '['])?;
    let unit = rest.trim_end().trim_end_matches([')', ']']).trim();
    parse_unit(unit)?;
    Some((name, Some(unit.to_owned())))
}

/// `time_ns` and `time, ns`; one letter is too little to be a unit.
fn suffixed(told: &str) -> Option<(&str, Option<String>)> {
    let (name, unit) = told.rsplit_once(['_', ' ', ','])?;
    let unit = unit.trim();
    (unit.len() > 1 && parse_unit(unit).is_some()).then(|| (name, Some(unit.to_owned())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn units_are_taken_out_of_headings() {
        for (heading, name, unit) in [
            ("Mean (ns)", "mean", Some("ns")),
            ("latency [µs]", "latency", Some("µs")),
            ("time_ns", "time", Some("ns")),
            ("Bandwidth (MB/s)", "bandwidth", Some("MB/s")),
            ("Std Dev", "std_dev", None),
            ("measured_si", "measured_si", None),
            ("base_hardware", "base_hardware", None),
            ("runs (n)", "runs_(n)", None),
        ] {
            let found = column(heading);
            assert_eq!(
                (found.name.as_str(), found.unit.as_deref()),
                (name, unit),
                "{heading}"
            );
        }
    }

    #[test]
    fn many_columns_are_listed_briefly() {
        let heading: StringRecord = (0..40).map(|at| format!("c{at}")).collect();
        let text = Columns::of(&heading).listed();
        assert!(text.ends_with("and 28 more") && text.len() < 120, "{text}");
    }
}
