//! A table of measurements: rows, machines, and the clock of each report.

use crate::names::is_known;
use crate::params::Params;
use quantity::{Printed, PublishedUnit, Quantity, Scale};

/// Clocks of processors lie between these, in Hz; anything else is another mistake.
const PLAUSIBLE: std::ops::Range<f64> = 1e8..1e10;
/// Seconds per cycle that no processor on sale goes below: 6.5 GHz.
pub(crate) const SHORTEST_PERIOD: f64 = 1.0 / 6.5e9;
/// Words in ids of differences between two times.
const DIFFERENCES: [&str; 5] = ["difference", "refill", "penalty", "residual", "unexplained"];

/// One row: what was measured, and its figures in the printed unit.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Line of the file.
    pub line: u64,
    /// Where the row comes from; empty when the table has one source.
    pub report: String,
    /// Section or table of the report.
    pub section: String,
    /// The name of the operation in the file.
    pub name: String,
    /// The operation.
    pub operation: String,
    /// Its parameters.
    pub params: Params,
    /// The unit as printed.
    pub unit_text: String,
    /// The meaning of that unit; `None` where it is unknown.
    pub unit: Option<PublishedUnit>,
    /// The quantity, by the unit or its own column.
    pub quantity: Option<Quantity>,
    /// Base hardware performance.
    pub base: Option<Printed>,
    /// Estimated software overhead.
    pub software: Option<Printed>,
    /// Prediction.
    pub predicted: Option<Printed>,
    /// Result.
    pub measured: Option<Printed>,
    /// Its deviation.
    pub deviation: Option<Printed>,
    /// The minimum, or the lower end of a range.
    pub minimum: Option<Printed>,
    /// The maximum, or the upper end of a range.
    pub maximum: Option<Printed>,
    /// Quantiles, by the share of the sample below each; the result is one of them where it is a median.
    pub quantiles: Vec<(f64, Printed)>,
    /// Cells of columns that no rule understands, names and whole numbers: they may distinguish two rows.
    pub labels: Vec<String>,
    /// Operations per second, where the table has such a column.
    pub per_second: Option<f64>,
    /// How long the test took, where a column beside the result says so.
    pub test_time: Option<f64>,
    /// Whether a figure is an infinity, or not a number.
    pub has_infinity: bool,
    /// Bytes per second, where the table has such a column.
    pub bandwidth: Option<f64>,
    /// The result in seconds, bytes per second or bytes, where the table has such a column.
    pub measured_si: Option<f64>,
    /// The prediction likewise.
    pub predicted_si: Option<f64>,
    /// Seconds per cycle, where they are known.
    pub period: Option<f64>,
}

impl Row {
    /// The factor from the printed unit to base units; `None` for logarithms and unknown units.
    pub(crate) fn factor(&self) -> Option<f64> {
        match self.unit?.scale {
            Scale::Times(factor) => Some(factor),
            Scale::Cycles => self.period,
            Scale::Log2(_) => None,
        }
    }

    /// A figure of this row in base units.
    pub(crate) fn si(&self, figure: Option<Printed>) -> Option<f64> {
        let figure = figure?.value;
        match self.unit.map(|unit| unit.scale) {
            Some(Scale::Log2(one)) => Some(one * figure.exp2()),
            _ => Some(figure * self.factor()?),
        }
    }

    /// The result in base units, by the printed unit, or by the table's own column.
    pub(crate) fn result(&self) -> Option<f64> {
        self.si(self.measured).or(self.measured_si.filter(|_| self.measured.is_some()))
    }

    pub(crate) fn is(&self, quantity: Quantity) -> bool {
        self.quantity == Some(quantity)
    }

    /// A time or a rate, and not how far such values lie apart.
    pub(crate) fn is_timed(&self) -> bool {
        let timed = self.is(Quantity::Latency) || self.is(Quantity::Bandwidth) || self.is_rate_of_events();
        timed && !self.params.is_spread()
    }

    /// Operations in a second: a frequency that is not that of a clock.
    pub(crate) fn is_rate_of_events(&self) -> bool {
        self.is(Quantity::Frequency) && !self.unit_text.ends_with("Hz")
    }

    /// The time of one operation: not a slope, a share, a difference or a deviation.
    pub(crate) fn is_time_of_one(&self) -> bool {
        self.is(Quantity::Latency) && !self.params.is_derived() && !self.params.is_spread()
    }

    /// Why the rules that need a meaning cannot judge this row; `None` where it was recognised.
    pub fn unrecognised(&self) -> Option<Unrecognised> {
        let has_figure =
            self.measured.or(self.predicted).or(self.minimum).is_some() || self.measured_si.is_some();
        if !has_figure {
            return Some(Unrecognised::Figure);
        }
        if !is_known(&self.operation) {
            return Some(Unrecognised::Name);
        }
        self.quantity.is_none().then_some(Unrecognised::Unit)
    }

    /// That time in seconds, if it is above zero.
    pub(crate) fn time(&self) -> Option<f64> {
        self.result().filter(|time| *time > 0.0 && self.is_time_of_one())
    }

    /// Whether its id names a difference of two times, which noise may bring below zero.
    pub(crate) fn is_difference(&self) -> bool {
        DIFFERENCES.iter().any(|word| self.operation.contains(word))
    }

    pub(crate) fn is_median(&self) -> bool {
        self.params.get("statistic") == Some("median")
    }

    /// A total of many iterations.
    pub(crate) fn is_total(&self) -> bool {
        self.params.get("scope") == Some("total")
    }

    /// Whether another row reports the same quantity of the same operation.
    pub(crate) fn same_quantity(&self, other: &Self) -> bool {
        (&self.report, &self.operation, self.quantity) == (&other.report, &other.operation, other.quantity)
    }

    pub(crate) fn in_cycles(&self) -> bool {
        self.unit.is_some_and(|unit| unit.scale == Scale::Cycles)
    }

    /// Whether its id belongs to one of these.
    pub(crate) fn belongs_to_any(&self, prefixes: &[&str]) -> bool {
        prefixes.iter().any(|prefix| self.belongs(prefix))
    }

    /// Whether its id has this word between dots.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.operation.split('.').any(|own| own == word)
    }

    /// Whether its id is this one or begins with it and a dot.
    pub(crate) fn belongs(&self, prefix: &str) -> bool {
        let rest = self.operation.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Report, operation and parameters, as text.
    pub(crate) fn subject(&self) -> String {
        let (report, params) = (&self.report, self.params.without(&["trial"]).text());
        let parts = [report.as_str(), &self.operation, &params];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    /// The result with its unit, as printed.
    pub(crate) fn shown(&self) -> String {
        self.figure(self.measured)
    }

    /// A figure with the unit of the row, as printed.
    pub(crate) fn figure(&self, figure: Option<Printed>) -> String {
        let value = figure.map_or_else(|| "?".to_owned(), |figure| figure.value.to_string());
        format!("{value} {}", self.unit_text).trim_end().to_owned()
    }
}

/// Items by a key, in the order in which each key comes first.
pub(crate) fn grouped<K: PartialEq, T>(all: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, one) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups
}

/// Facts of one machine that rules can use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The report whose machine it is.
    pub report: String,
    /// Nominal clock, in Hz.
    pub clock_hz: Option<f64>,
    /// Last cache, in bytes.
    pub last_cache: Option<f64>,
    /// The fastest network link rated in bits per second, in bytes per second; a figure in bytes beside it is a bus or a
    /// unit mistake.
    pub link: Option<f64>,
    /// Memory, in bytes.
    pub memory: Option<f64>,
    /// The fastest rate of its storage that is given in bytes, in bytes per second.
    pub storage: Option<f64>,
    /// Whether all of its storage is hard disks.
    pub rotates: bool,
    /// Whether some of its storage is memory.
    pub stores_in_memory: bool,
}

/// What of a row was not recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrecognised {
    /// It has no figure.
    Figure,
    /// Its name means no operation that the rules know.
    Name,
    /// Its figure has no unit, or one that is unknown.
    Unit,
}

impl Unrecognised {
    /// What is missing, as a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Figure => "no figure",
            Self::Name => "name",
            Self::Unit => "unit",
        }
    }
}

/// All rows, their machines, and which columns were read.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The program in whose form the file is, where it is not a plain table.
    pub format: Option<&'static str>,
    /// What happened to the file while it was read, as sentences.
    pub notes: Vec<String>,
    /// Rows, in the order of the file.
    pub rows: Vec<Row>,
    /// Machines; often none.
    pub machines: Vec<Machine>,
    /// Columns that were read, as the file names them.
    pub used: Vec<String>,
    /// Columns that were not.
    pub unused: Vec<String>,
}

impl Table {
    /// Rows that the rules which need a meaning cannot judge, and why.
    pub fn unrecognised(&self) -> Vec<(&Row, Unrecognised)> {
        self.rows.iter().filter_map(|row| Some((row, row.unrecognised()?))).collect()
    }

    /// The reports that rows name, in their order.
    pub(crate) fn reports(&self) -> Vec<&str> {
        let names = self.rows.iter().map(|row| (row.report.as_str(), ()));
        grouped(names).into_iter().map(|(report, _)| report).collect()
    }

    /// Rows of a report.
    pub(crate) fn rows_of<'t>(&'t self, report: &'t str) -> impl Iterator<Item = &'t Row> {
        self.rows.iter().filter(move |row| row.report == report)
    }

    /// Fills in the period of every report's cycles: from rows that give cycles and seconds, or from the machine.
    pub(crate) fn set_periods(&mut self) {
        let reports: Vec<String> = self.reports().into_iter().map(str::to_owned).collect();
        for report in reports {
            let period = self.period_of_rows(&report).or_else(|| self.period_of_machine(&report));
            let rows = self.rows.iter_mut().filter(|row| row.report == report);
            rows.for_each(|row| row.period = period);
        }
    }

    fn period_of_rows(&self, report: &str) -> Option<f64> {
        let mut periods: Vec<f64> = self
            .rows_of(report)
            .filter_map(|row| {
                let cycles = row.measured.filter(|cycles| row.in_cycles() && cycles.value > 0.0)?;
                Some(row.measured_si? / cycles.value).filter(|period| PLAUSIBLE.contains(&(1.0 / period)))
            })
            .collect();
        periods.sort_by(f64::total_cmp);
        periods.get(periods.len() / 2).copied()
    }

    fn period_of_machine(&self, report: &str) -> Option<f64> {
        let clock = self.machine(report)?.clock_hz?;
        PLAUSIBLE.contains(&clock).then_some(1.0 / clock)
    }

    /// The row with the least time, in seconds, among plain rows of a report for which this holds.
    pub(crate) fn least<'t>(
        &'t self,
        report: &'t str,
        holds: impl Fn(&Row) -> bool,
    ) -> Option<(f64, &'t Row)> {
        let rows =
            self.rows_of(report).filter(|row| holds(row) && row.params.is_plain() && !row.params.is_trial());
        let times = rows.filter_map(|row| Some((row.time()?, row)));
        times.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The row with the least time of the operations below a prefix.
    pub(crate) fn fastest<'t>(&'t self, report: &'t str, prefix: &str) -> Option<(f64, &'t Row)> {
        self.least(report, |row| row.belongs(prefix))
    }

    /// The shortest cycle of a row's machine, in seconds: its empty loop may show a faster clock than is stated.
    pub(crate) fn cycle(&self, row: &Row) -> Option<f64> {
        let empty_loop = self.fastest(&row.report, "loop.iteration").map(|(time, _)| time);
        let shortest = empty_loop.filter(|time| *time > SHORTEST_PERIOD);
        row.period.map(|period| shortest.map_or(period, |shortest| period.min(shortest)))
    }

    /// The highest rate of memory that a report gives.
    pub(crate) fn memory_rate(&self, report: &str) -> Option<f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.report == report && row.is(Quantity::Bandwidth) && row.belongs("memory"));
        let rates = rows.flat_map(|row| [row.result(), row.si(row.predicted), row.si(row.base)]);
        rates.flatten().reduce(f64::max)
    }

    /// The first machine of a report.
    pub(crate) fn machine(&self, report: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.report == report)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Machine, Row, read};

    #[test]
    fn clock_comes_from_rows_first_and_from_the_machine_second() {
        let rows = "report,operation,measured,unit,measured_si\nA,x,10,cycles,4e-9\nB,x,10,cycles,\nC,x,10,cycles,\n";
        let machine = Machine { report: "B".to_owned(), clock_hz: Some(2e9), ..Machine::default() };
        let table = read(rows, vec![machine]).unwrap();
        let results: Vec<Option<f64>> = table.rows.iter().map(Row::result).collect();
        assert_eq!(results, [Some(4e-9), Some(5e-9), None]);
    }
}
