//! The tables: their columns, and the rows of one record.

use crate::commands::fleet::Found;
use analysis::{Analysis, Analyst, Estimate, Predicted, Row};
use record::{Fact, FactValue, Plan, Record, Unit};

/// The value_type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Words.
    Text,
    /// A number, in the base unit.
    Number,
    /// A whole number.
    Count,
}

/// A column: its name, and the value_type of its values.
pub type Column = (&'static str, ValueType);

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
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
    columns: &[
        ("machine", Text),
        ("run", Text),
        ("started", Text),
        ("key", Text),
        ("text", Text),
        ("number", Number),
        ("unit", Text),
        ("source", Text),
    ],
};

/// What each point came to in each run.
pub const ESTIMATES: Table = Table {
    name: "estimates",
    columns: &[
        ("machine", Text),
        ("run", Text),
        ("started", Text),
        ("program", Text),
        ("environment", Text),
        ("operation", Text),
        ("point", Text),
        ("area", Text),
        ("quantity", Text),
        ("unit", Text),
        ("revision", Count),
        ("verdict", Text),
        ("state", Text),
        ("typical", Number),
        ("low", Number),
        ("high", Number),
        ("best", Number),
        ("deviation", Number),
        ("trials", Count),
        ("quiet_share", Number),
        ("untriggered", Number),
        ("core_hz", Number),
        ("predicted_t0", Number),
        ("predicted_t1", Number),
    ],
};

/// What each trial came to.
pub const TRIALS: Table = Table {
    name: "trials",
    columns: &[
        ("machine", Text),
        ("run", Text),
        ("environment", Text),
        ("operation", Text),
        ("point", Text),
        ("round", Count),
        ("typical", Number),
        ("best", Number),
    ],
};

/// All of them.
pub const TABLES: [&Table; 3] = [&FACTS, &ESTIMATES, &TRIALS];

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Unknown, Self::Number)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

/// The rows of one record in every table.
pub fn of(file: &Found, record: &Record) -> Vec<(&'static Table, Rows)> {
    let facts = record.machine.facts.iter().map(|fact| fact_row(file, record, fact));
    let mut tables = vec![(&FACTS, facts.collect())];
    let Some(plan) = &record.plan else {
        return tables;
    };
    let native = Analyst::of(record, plan).analysis();
    let mut all = vec![(None, native)];
    all.extend(environments(record, plan));
    let machine = file.machine.as_str();
    for (environment, analysis) in &all {
        let rows = || analysis.rows.iter();
        let environment = environment.as_deref();
        tables.push((&ESTIMATES, rows().map(|row| estimate_row(file, record, environment, row)).collect()));
        tables.push((
            &TRIALS,
            rows().flat_map(|row| trial_rows([machine, &file.name], environment, row)).collect(),
        ));
    }
    tables
}

/// What was measured in each environment.
fn environments(record: &Record, plan: &Plan) -> Vec<(Option<String>, Analysis)> {
    let there = plan.environments.iter().filter(|there| there.skip.is_none());
    let analysis = |there: &record::Environment| {
        let analyst = Analyst::new(plan, &record.machine).within(there).with(record);
        (Some(there.name.clone()), analyst.analysis())
    };
    there.map(analysis).collect()
}

fn fact_row(file: &Found, record: &Record, fact: &Fact) -> Vec<Value> {
    let number = record.machine.number(&fact.key);
    let unit = match &fact.value {
        FactValue::Number { unit, .. } => Value::from(unit_name(*unit)),
        _ => Value::Unknown,
    };
    let text = report::fact_value(fact);
    vec![
        file.machine.as_str().into(),
        file.name.as_str().into(),
        record.header.started.as_str().into(),
        fact.key.as_str().into(),
        text.as_deref().map_or(Value::Unknown, Value::from),
        number.into(),
        unit,
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

fn estimate_row(file: &Found, record: &Record, environment: Option<&str>, row: &Row) -> Vec<Value> {
    let estimate = row.estimate.as_ref();
    let measured = |part: fn(&Estimate) -> Option<f64>| Value::from(estimate.and_then(part));
    let predicted = |tier: &Option<Predicted>| Value::from(tier.as_ref().map(|tier| tier.total.value));
    let quantity = row.quantity();
    vec![
        file.machine.as_str().into(),
        file.name.as_str().into(),
        record.header.started.as_str().into(),
        record.header.program.as_str().into(),
        environment.map_or(Value::Unknown, Value::from),
        row.point.id.operation.as_str().into(),
        row.point.id.point.as_str().into(),
        row.point.area.as_str().into(),
        quantity.contract_name().into(),
        quantity.contract_unit().into(),
        row.point.revision.into(),
        row.verdict.word().into(),
        row.core.map_or(Value::Unknown, |core| core.state.word().into()),
        measured(|estimate| Some(estimate.typical)),
        measured(|estimate| estimate.interval.map(|(low, _)| low)),
        measured(|estimate| estimate.interval.map(|(_, high)| high)),
        measured(|estimate| Some(estimate.best)),
        measured(|estimate| estimate.deviation),
        estimate.map_or(0, |estimate| estimate.trials).into(),
        row.core.and_then(|core| core.quiet_share).into(),
        row.core.and_then(|core| core.untriggered).into(),
        measured(|estimate| estimate.core_hz),
        predicted(&row.from_facts),
        predicted(&row.from_parts),
    ]
}

fn trial_rows([machine, run]: [&str; 2], environment: Option<&str>, row: &Row) -> Rows {
    let trials = row.trials.iter().map(|trial| {
        vec![
            machine.into(),
            run.into(),
            environment.map_or(Value::Unknown, Value::from),
            row.point.id.operation.as_str().into(),
            row.point.id.point.as_str().into(),
            trial.round.into(),
            Some(trial.typical).into(),
            Some(trial.best).into(),
        ]
    });
    trials.collect()
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
            for (column, _) in table.columns {
                assert!(document.contains(&format!("`{column}`")), "{}: {column}", table.name);
            }
        }
    }
}
