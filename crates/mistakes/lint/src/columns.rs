//! The columns of a table: their names, and the units in them.

use csv::StringRecord;
use quantity::{Quantity, parse_unit};

/// Names of each column, the best first. Other columns are not read: remarks and suspected mistakes are not figures.
pub(crate) const REPORT: &str = "report source host machine system platform computer node";
pub(crate) const SECTION: &str = "section table chapter";
pub(crate) const OPERATION: &str = "operation id name benchmark test metric measurement what syscall function primitive \
    command workload experiment scenario task case bench op event";
pub(crate) const PARAMETER: &str = "parameter parameters params point configuration";
pub(crate) const TRIAL: &str = "trial run repetition rep";
pub(crate) const TRIALS: &str = "trials samples runs repetitions reps n_samples cnt";
pub(crate) const QUANTITY: &str = "quantity";
pub(crate) const UNIT: &str = "unit_published unit units time_unit";
pub(crate) const BASE: &str =
    "base_hardware hardware base base_hw hw base_hardware_performance hardware_cost";
pub(crate) const SOFTWARE: &str = "software_overhead software sw_overhead sw";
pub(crate) const PREDICTED: &str = "predicted prediction estimate estimated expected";
pub(crate) const MEASURED: &str = "measured typical mean average avg median value result score latency real_time time cost \
    duration bandwidth throughput bitrate rate speed real elapsed wall_time bw";
pub(crate) const BANDWIDTH: &str = "bandwidth throughput bw bitrate bytes_per_second";
/// How long the test took, beside what it measured.
pub(crate) const TEST_TIME: &str = "time duration elapsed";
pub(crate) const DEVIATION: &str = "deviation stddev std_dev sd std standard_deviation sigma stdev mdev";
pub(crate) const MINIMUM: &str = "minimum min";
pub(crate) const MAXIMUM: &str = "maximum max";
pub(crate) const MEASURED_SI: &str = "measured_si";
pub(crate) const PREDICTED_SI: &str = "predicted_si";
/// How often something happened in a second.
pub(crate) const PER_SECOND: &str = "ops/sec ops/s ops_per_sec ops_per_second iops calls/s calls/sec events/s \
    events_per_second per_second qps op/s op/sec tps req/s req/sec requests/s requests/sec requests_per_second items_per_second \
    transaction_rate transactions/s tran/s bogo_ops/s";
/// Columns that are parameters: they distinguish rows of one operation.
const PARAMETERS: &str = "size bytes block file stride level arguments processes threads competitors mode method variant \
    mhz peer path cpu cpus cores kernel os compiler direction device disk bs blocksize block_size iodepth depth queue_depth \
    numjobs jobs clients connections streams engine pattern access config version order statistic";
/// What says which row it is, and the figures of a row, as printed and in base units.
const KNOWN: [&[&str]; 3] = [
    &[REPORT, SECTION, OPERATION, PARAMETER, TRIAL, TRIALS, QUANTITY, UNIT],
    &[BASE, SOFTWARE, PREDICTED, MEASURED, BANDWIDTH, DEVIATION, MINIMUM, MAXIMUM],
    &[MEASURED_SI, PREDICTED_SI, PER_SECOND, TEST_TIME],
];

/// Columns that belong to the name of what was measured, beside the one that names it.
const NAMES_BESIDE: &str = "metric workload scenario";
/// Columns with opinions about a row: no rule may read them, not even to distinguish two rows.
const OPINIONS: &str = "suspect remark remarks comment comments note notes verdict flag flags status code codes reason \
    explanation";
/// Words in a heading that say no more than that it is a time.
const TIMES: &str = "lat latency clat slat rtt time elapsed response duration percentile";
/// Words that name a statistic of a sample.
const STATISTICS: &str = "avg mean average median stddev stdev std sd min minimum max maximum typical mdev";

/// Whether a list of words has this one.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// A column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    /// Its heading in the file, in small letters.
    pub heading: String,
    /// Its name without the unit, words joined by `_`.
    pub name: String,
    /// The unit in its heading.
    pub unit: Option<String>,
}

/// The columns, by place.
#[derive(Debug, Default)]
pub(crate) struct Columns(pub Vec<Column>);

impl Columns {
    pub fn parse(heading: &StringRecord) -> Self {
        Self(heading.iter().map(column).collect())
    }

    /// The place of the first column that has one of these names.
    pub fn find(&self, names: &str) -> Option<usize> {
        names.split_whitespace().find_map(|name| {
            let as_printed = self.0.iter().position(|column| column.heading == name);
            as_printed.or_else(|| self.0.iter().position(|column| column.name == name))
        })
    }

    pub fn has(&self, names: &str) -> bool {
        self.find(names).is_some()
    }

    pub fn cell<'r>(&self, record: &'r StringRecord, names: &str) -> &'r str {
        let found = self.find(names).and_then(|at| record.get(at));
        found.unwrap_or_default().trim()
    }

    /// Gives a column another name, so that it has the meaning of that.
    pub fn rename(&mut self, at: Option<usize>, name: &str) {
        if let Some(column) = at.and_then(|at| self.0.get_mut(at)) {
            name.clone_into(&mut column.name);
            column.heading = format!("{} ({name})", column.heading);
        }
    }

    /// Whether these are the columns of hyperfine's CSV, which gives seconds and does not say so.
    pub fn is_of_hyperfine(&self) -> bool {
        ["command", "mean", "stddev", "median", "user", "system"]
            .into_iter()
            .all(|heading| self.0.iter().any(|column| column.heading.starts_with(heading)))
    }

    /// Whether a heading has anything that is known: an operation, or a figure.
    pub fn is_known(&self) -> bool {
        let known = [OPERATION, MEASURED, MEASURED_SI, PREDICTED, PER_SECOND];
        let named = self.0.iter().filter(|column| !column.name.is_empty());
        known.iter().any(|names| self.has(names)) && named.count() > 1
    }

    /// Places of columns that have a meaning of their own.
    pub fn known(&self) -> Vec<usize> {
        let named = KNOWN.iter().copied().flatten().filter_map(|names| self.find(names));
        let parameters = self.parameters().map(|(at, _)| at);
        let quantiles = self.quantiles().map(|(at, _)| at);
        named.chain(parameters).chain(quantiles).collect()
    }

    /// Places and names of columns that are parameters.
    pub fn parameters(&self) -> impl Iterator<Item = (usize, &str)> {
        let operation = self.find(OPERATION);
        let names = self.0.iter().map(|column| column.name.as_str()).enumerate();
        names.filter(move |(at, name)| {
            has_word(PARAMETERS, name)
                || (has_word(NAMES_BESIDE, name) && operation.is_some_and(|known| known != *at))
        })
    }

    /// Places of columns without a meaning of their own that are not opinions: what they say may distinguish rows.
    pub fn others(&self) -> Vec<usize> {
        let known = self.known();
        let all = self.0.iter().enumerate();
        let other = all.filter(|(at, column)| !known.contains(at) && !has_word(OPINIONS, &column.name));
        other.map(|(at, _)| at).collect()
    }

    /// Places of columns that are quantiles, and the share of the sample below each.
    pub fn quantiles(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.0.iter().enumerate();
        all.filter_map(|(at, column)| Some((at, share(&column.name)?)))
    }

    /// Their headings, the first few.
    pub fn listed(&self) -> String {
        const MOST: usize = 12;
        let names: Vec<String> = self
            .0
            .iter()
            .take(MOST)
            .map(|column| column.heading.chars().take(24).collect::<String>())
            .collect();
        match self.0.len().saturating_sub(MOST) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    }
}

/// A column by its heading: `Mean (ns)`, `latency [us]`, `time_ns`, `std dev`.
fn column(heading: &str) -> Column {
    let printed = heading.trim_start_matches('\u{feff}').trim();
    let is_unit = printed.len() > 1
        && parse_unit(printed)
            .is_some_and(|unit| matches!(unit.quantity, Quantity::Latency | Quantity::Bandwidth));
    let (name, unit) = if is_unit {
        ("value", Some(printed.to_owned()))
    } else {
        bracketed(printed).or_else(|| suffixed(printed)).unwrap_or((printed, None))
    };
    let joined = name.trim().to_lowercase().replace([' ', '-'], "_").replace('.', "");
    let name = joined.trim_matches('_');
    Column { heading: printed.to_lowercase(), name: statistic(name).unwrap_or(name).to_owned(), unit }
}

/// `avg` of `lat_avg` and `latency_avg`: the one word that names the statistic of a time.
fn statistic(name: &str) -> Option<&str> {
    let mut words = name.split('_').filter(|word| !has_word(TIMES, word));
    let word = words.next().filter(|_| words.next().is_none())?;
    (has_word(STATISTICS, word) || share(word).is_some()).then_some(word)
}

/// The share of a sample below a quantile: 0.99 of `p99` and `99th`, 0.999 of `p99.9`, a half of `median`.
fn share(name: &str) -> Option<f64> {
    if name == "median" {
        return Some(0.5);
    }
    let ends = ["th", "th_percentile"];
    let digits = name.strip_prefix('p').or_else(|| ends.iter().find_map(|end| name.strip_suffix(end)))?;
    let whole: u32 = digits.parse().ok()?;
    // A point is not in a name: `p999` and `p99.9` are the same.
    let places = i32::try_from(digits.len()).ok()?.max(2);
    (whole > 0).then(|| f64::from(whole) / 10f64.powi(places))
}

/// A name and the unit behind it in brackets, where there is one.
pub(crate) fn bracketed(printed: &str) -> Option<(&str, Option<String>)> {
    let (name, rest) = printed.split_once(['(', '['])?;
    let unit = rest.trim_end().trim_end_matches([')', ']']).trim();
    parse_unit(unit)?;
    Some((name, Some(unit.to_owned())))
}

/// `time_ns` and `time, ns`; one letter is too little to be a unit.
fn suffixed(printed: &str) -> Option<(&str, Option<String>)> {
    let (name, unit) = printed.rsplit_once(['_', ' ', ','])?;
    let unit = unit.trim();
    // `bytes_per_second` is a rate, not bytes in seconds.
    let is_rate = name.ends_with("per");
    (unit.len() > 1 && !is_rate && parse_unit(unit).is_some()).then(|| (name, Some(unit.to_owned())))
}

#[cfg(test)]
mod tests {
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
            ("rtt mdev", "mdev", None),
            ("Mean Latency Microseconds", "mean", Some("Microseconds")),
            ("99th Percentile Latency Microseconds", "99th", Some("Microseconds")),
            ("bytes_per_second", "bytes_per_second", None),
            ("Min latency (ns)", "min", Some("ns")),
            ("real_time", "real_time", None),
            ("memory latency (ns)", "memory_latency", Some("ns")),
        ] {
            let found = column(heading);
            let found = (found.name.as_str(), found.unit.as_deref());
            assert_eq!(found, (name, unit), "{heading}");
        }
    }

    #[test]
    fn quantiles_are_recognised_by_name() {
        let quantiles = [("p95", 0.95), ("p999", 0.999), ("99th", 0.99), ("median", 0.5), ("p5", 0.05)];
        for (name, of) in quantiles {
            assert!((share(name).unwrap() - of).abs() < 1e-12, "{name}");
        }
        let others = ["p", "pipe", "path", "p0", "mean", "5"];
        assert!(others.iter().all(|name| share(name).is_none()));
    }

    #[test]
    fn many_columns_are_abbreviated() {
        let heading: StringRecord = (0..40).map(|at| format!("c{at}")).collect();
        let text = Columns::parse(&heading).listed();
        assert!(text.ends_with("and 28 more") && text.len() < 120, "{text}");
    }
}
