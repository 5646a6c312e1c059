//! The tables: their columns, and the rows of one record.

use crate::commands::fleet::RecordFile;
use crate::environments;
use analysis::{Analyst, Estimate, Row};
use record::{Fact, FactValue, Record, Trial, Unit};

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Words.
    Text,
    /// A number, in the base unit.
    Number,
    /// A whole number.
    Count,
}

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// The names of its columns, those of one type that stand side by side together.
    columns: &'static [(ValueType, &'static str)],
}

impl Table {
    /// Its columns: the name of each, and the type of its values.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, ValueType)> {
        self.columns.iter().flat_map(|(value_type, names)| names.split(' ').map(|name| (name, *value_type)))
    }
}

/// A value; [`Value::Unknown`] where there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// Nothing.
    Unknown,
}

/// Rows of a table, each with a value for every column.
pub type Rows = Vec<Vec<Value>>;

use ValueType::{Count, Number, Text};

/// What is known about each machine at the start of each run.
pub const FACTS: Table = Table {
    name: "facts",
    columns: &[(Text, "machine run started key text"), (Number, "number"), (Text, "unit source")],
};

/// What each point came to in each run.
pub const ESTIMATES: Table = Table {
    name: "estimates",
    columns: &[
        (Text, "machine run started program environment operation point area quantity unit"),
        (Count, "revision"),
        (Text, "verdict state"),
        (Number, "typical low high best deviation"),
        (Count, "trials"),
        (Number, "quiet_share untriggered core_hz predicted_t0 predicted_t1"),
    ],
};

/// What each trial came to.
pub const TRIALS: Table = Table {
    name: "trials",
    columns: &[(Text, "machine run environment operation point"), (Count, "round"), (Number, "typical best")],
};

/// The curves from which results of trials were computed, and scatters of single values.
pub const CURVES: Table = Table {
    name: "curves",
    columns: &[(Text, "machine run environment operation point"), (Count, "round"), (Number, "place value")],
};

/// All of them.
pub const TABLES: [&Table; 4] = [&FACTS, &ESTIMATES, &TRIALS, &CURVES];

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Unknown, Self::from)
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Unknown, Self::Number)
    }
}

/// The rows of one record in every table.
pub fn rows_of_record(file: &RecordFile, record: &Record) -> Vec<(&'static Table, Rows)> {
    let facts = record.machine.facts.iter().map(|fact| fact_row(file, record, fact));
    let curves = record.trials.iter().flat_map(|trial| curve_rows(file, trial));
    let mut tables = vec![(&FACTS, facts.collect()), (&CURVES, curves.collect())];
    let Some(plan) = &record.plan else {
        return tables;
    };
    let natively = Analyst::from_record(record, plan).analysis().rows;
    let environments = environments::measured(plan).map(|there| {
        let mut rows = Analyst::new(plan, &record.machine).within(there).with(record).analysis().rows;
        analysis::skip_unproven(&natively, &mut rows);
        (Some(there.name.as_str()), rows)
    });
    let environments: Vec<(Option<&str>, Vec<Row>)> = environments.collect();
    for (environment, rows) in std::iter::once((None, natively)).chain(environments) {
        let estimates = rows.iter().map(|row| estimate_row(file, record, environment, row));
        tables.push((&ESTIMATES, estimates.collect()));
        tables.push((&TRIALS, rows.iter().flat_map(|row| trial_rows(file, environment, row)).collect()));
    }
    tables
}

fn fact_row(file: &RecordFile, record: &Record, fact: &Fact) -> Vec<Value> {
    let unit = match &fact.value {
        FactValue::Number { unit, .. } => Some(unit_name(*unit)),
        _ => None,
    };
    vec![
        file.machine.as_str().into(),
        file.name.as_str().into(),
        record.header.started.as_str().into(),
        fact.key.as_str().into(),
        report::fact_value(fact).as_deref().into(),
        record.machine.number(&fact.key).into(),
        unit.into(),
        fact.source.as_str().into(),
    ]
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::One => "1",
        Unit::Bytes => "bytes",
        Unit::Hertz => "hertz",
        Unit::Nanoseconds => "ns",
        Unit::Cycles => "cycles",
        Unit::BytesPerSecond => "bytes_per_s",
    }
}

fn estimate_row(file: &RecordFile, record: &Record, environment: Option<&str>, row: &Row) -> Vec<Value> {
    let estimate = row.estimate.as_ref();
    let measured = |part: fn(&Estimate) -> Option<f64>| Value::from(estimate.and_then(part));
    let quantity = row.quantity();
    vec![
        file.machine.as_str().into(),
        file.name.as_str().into(),
        record.header.started.as_str().into(),
        record.header.program.as_str().into(),
        environment.into(),
        row.point.id.operation.as_str().into(),
        row.point.id.point.as_str().into(),
        row.point.area.as_str().into(),
        quantity.contract_name().into(),
        quantity.contract_unit().into(),
        Value::Count(row.point.revision.into()),
        row.verdict.word().into(),
        row.core.map(|core| core.state.word()).into(),
        measured(|estimate| Some(estimate.typical)),
        measured(|estimate| estimate.interval.map(|interval| interval.low)),
        measured(|estimate| estimate.interval.map(|interval| interval.high)),
        measured(|estimate| Some(estimate.best)),
        measured(|estimate| estimate.deviation),
        Value::Count(estimate.map_or(0, |estimate| estimate.trials) as u64),
        row.core.and_then(|core| core.quiet_share).into(),
        row.core.and_then(|core| core.untriggered).into(),
        measured(|estimate| estimate.core_hz),
        row.from_facts.as_ref().map(|tier| tier.total.value).into(),
        row.from_parts.as_ref().map(|tier| tier.total.value).into(),
    ]
}

fn trial_rows(file: &RecordFile, environment: Option<&str>, row: &Row) -> Rows {
    let trials = row.trials.iter().map(|trial| {
        vec![
            file.machine.as_str().into(),
            file.name.as_str().into(),
            environment.into(),
            row.point.id.operation.as_str().into(),
            row.point.id.point.as_str().into(),
            Value::Count(trial.round.into()),
            Some(trial.typical).into(),
            Some(trial.best).into(),
        ]
    });
    trials.collect()
}

/// A row for each place of the curve that a trial kept, if it did.
fn curve_rows(file: &RecordFile, trial: &Trial) -> Rows {
    let pairs = trial.series.iter().flat_map(|series| series.places.iter().zip(&series.values));
    let rows = pairs.map(|(place, value)| {
        vec![
            file.machine.as_str().into(),
            file.name.as_str().into(),
            trial.id.environment.as_deref().into(),
            trial.id.operation.as_str().into(),
            trial.id.point.as_str().into(),
            Value::Count(trial.round.into()),
            Some(*place).into(),
            Some(*value).into(),
        ]
    });
    rows.collect()
}

/// Where rows go.
pub trait TableWriter {
    /// Takes in rows of a table.
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()>;
    /// Writes what is left.
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_in_the_document() {
        let document = include_str!("../../../../../docs/FLEET.md");
        for table in TABLES {
            assert!(document.contains(&format!("`{}`", table.name)), "{}", table.name);
            for (column, _) in table.columns() {
                assert!(document.contains(&format!("`{column}`")), "{}: {column}", table.name);
            }
        }
    }
}
