//! The columns of a table: their names in many words, and the units in them.

use csv::StringRecord;
use quantity::{Quantity, parse_unit};

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
    "experiment",
    "scenario",
    "task",
    "case",
    "bench",
    "op",
    "event",
];
pub(crate) const PARAMETER: &[&str] = &["parameter", "parameters", "params", "point", "configuration"];
pub(crate) const TRIAL: &[&str] = &["trial", "run", "repetition", "rep"];
pub(crate) const TRIALS: &[&str] = &[
    "trials",
    "samples",
    "runs",
    "repetitions",
    "reps",
    "n_samples",
    "cnt",
];
pub(crate) const QUANTITY: &[&str] = &["quantity"];
pub(crate) const UNIT: &[&str] = &["unit_published", "unit", "units", "time_unit"];
pub(crate) const BASE: &[&str] = &[
    "base_hardware",
    "hardware",
    "base",
    "base_hw",
    "hw",
    "base_hardware_performance",
    "hardware_cost",
];
pub(crate) const SOFTWARE: &[&str] = &["software_overhead", "software", "sw_overhead", "sw"];
pub(crate) const PREDICTED: &[&str] = &["predicted", "prediction", "estimate", "estimated", "expected"];
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
    "real",
    "elapsed",
    "wall_time",
    "score",
    "bw",
];
pub(crate) const DEVIATION: &[&str] = &[
    "deviation",
    "stddev",
    "std_dev",
    "sd",
    "std",
    "standard_deviation",
    "sigma",
    "stdev",
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
    "path",
    "cpu",
    "cpus",
    "cores",
    "kernel",
    "os",
    "compiler",
    "direction",
    "device",
    "disk",
    "bs",
    "blocksize",
    "block_size",
    "iodepth",
    "depth",
    "queue_depth",
    "numjobs",
    "jobs",
    "clients",
    "connections",
    "streams",
    "engine",
    "pattern",
    "access",
    "config",
    "version",
    "order",
    "statistic",
];
const ALL: [&[&str]; 18] = [
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
    PER_SECOND,
];

/// Columns that name what was measured beside the one that does: parts of its name.
const NAMES_BESIDE: [&str; 3] = ["metric", "workload", "scenario"];
/// Columns in which people say what they think of a row: no rule may know it, not even that two rows differ in it.
const OPINIONS: [&str; 15] = [
    "suspect",
    "remark",
    "remarks",
    "comment",
    "comments",
    "note",
    "notes",
    "verdict",
    "flag",
    "flags",
    "status",
    "code",
    "codes",
    "reason",
    "explanation",
];
/// How often something happened in a second.
pub(crate) const PER_SECOND: &[&str] = &[
    "ops/sec",
    "ops/s",
    "ops_per_sec",
    "ops_per_second",
    "iops",
    "calls/s",
    "calls/sec",
    "events/s",
    "events_per_second",
    "per_second",
    "qps",
];
/// Words in the heading of a column that say no more than that it is a time.
const TIMES: [&str; 7] = [
    "lat", "latency", "clat", "time", "elapsed", "response", "duration",
];
/// Words that say which figure of a sample a column holds, when such words stand beside.
const OF_A_SAMPLE: [&str; 13] = [
    "avg", "mean", "average", "median", "stddev", "stdev", "std", "sd", "min", "minimum", "max", "maximum",
    "typical",
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
        let others = self.keys().map(|(at, _)| at);
        let quantiles = self.quantiles().map(|(at, _)| at);
        named.chain(others).chain(quantiles).collect()
    }

    /// Columns that are parameters, by their places and names.
    pub fn keys(&self) -> impl Iterator<Item = (usize, &str)> {
        let (operation, all) = (self.find(OPERATION), self.0.iter().enumerate());
        let is_key = move |at: usize, name: &str| {
            KEYS.contains(&name)
                || (NAMES_BESIDE.contains(&name) && operation.is_some_and(|known| known != at))
        };
        all.filter(move |(at, column)| is_key(*at, &column.name))
            .map(|(at, column)| (at, column.name.as_str()))
    }

    /// Columns without a meaning of their own that are no opinions either, by their places: what they say may tell two
    /// rows apart.
    pub fn others(&self) -> Vec<usize> {
        let known = self.known();
        let all = self.0.iter().enumerate();
        all.filter(|(at, column)| !known.contains(at) && !OPINIONS.contains(&column.name.as_str()))
            .map(|(at, _)| at)
            .collect()
    }

    /// Columns that tell below which figure a share of the sample lies, by their places and that share.
    pub fn quantiles(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.0.iter().enumerate();
        all.filter_map(|(at, column)| Some((at, share(&column.name)?)))
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
    let small = told.to_lowercase();
    if let Some(unit) = only_a_unit(told) {
        let (name, unit) = ("value".to_owned(), Some(unit.to_owned()));
        return Column {
            told: small,
            name,
            unit,
        };
    }
    let (name, unit) = bracketed(told).or_else(|| suffixed(told)).unwrap_or((told, None));
    let joined = name
        .trim()
        .to_lowercase()
        .replace([' ', '-'], "_")
        .replace('.', "");
    let name = joined.trim_matches('_');
    Column {
        told: small,
        name: of_a_sample(name).unwrap_or(name).to_owned(),
        unit,
    }
}

/// `usecs/op` and `MB/s`: a heading that is a unit of times or rates, and nothing else.
fn only_a_unit(told: &str) -> Option<&str> {
    let unit = parse_unit(told).filter(|_| told.len() > 1)?;
    matches!(unit.quantity, Quantity::Latency | Quantity::Bandwidth).then_some(told)
}

/// `avg` of `lat_avg` and `latency_avg`: the one word that says which figure of the sample it is.
fn of_a_sample(name: &str) -> Option<&str> {
    let mut words = name.split('_').filter(|word| !TIMES.contains(word));
    let word = words.next().filter(|_| words.next().is_none())?;
    (OF_A_SAMPLE.contains(&word) || share(word).is_some()).then_some(word)
}

/// The share of a sample below a quantile: 0.99 of `p99` and `99th`, 0.999 of `p99.9`, a half of `median`.
fn share(name: &str) -> Option<f64> {
    if name == "median" {
        return Some(0.5);
    }
    let digits = name
        .strip_prefix('p')
        .or_else(|| name.strip_suffix("th"))
        .or_else(|| name.strip_suffix("th_percentile"))?;
    let whole: u32 = digits.parse().ok()?;
    // A point is not in a name: `p999` and `p99.9` are the same.
    let places = i32::try_from(digits.len()).ok()?.max(2);
    (whole > 0).then(|| f64::from(whole) / 10f64.powi(places))
}

/// A name and the unit behind it in brackets, where there is one.
pub(crate) fn bracketed(told: &str) -> Option<(&str, Option<String>)> {
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
            ("usecs/op", "value", Some("usecs/op")),
            ("lat_avg_us", "avg", Some("us")),
            ("Min latency (ns)", "min", Some("ns")),
            ("real_time", "real_time", None),
            ("memory latency (ns)", "memory_latency", Some("ns")),
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
    fn quantiles_are_told_by_their_names() {
        for (name, of) in [
            ("p95", 0.95),
            ("p999", 0.999),
            ("99th", 0.99),
            ("median", 0.5),
            ("p5", 0.05),
        ] {
            assert!((share(name).unwrap() - of).abs() < 1e-12, "{name}");
        }
        assert!(
            ["p", "pipe", "path", "p0", "mean", "5"]
                .iter()
                .all(|name| share(name).is_none())
        );
    }

    #[test]
    fn many_columns_are_listed_briefly() {
        let heading: StringRecord = (0..40).map(|at| format!("c{at}")).collect();
        let text = Columns::of(&heading).listed();
        assert!(text.ends_with("and 28 more") && text.len() < 120, "{text}");
    }
}
