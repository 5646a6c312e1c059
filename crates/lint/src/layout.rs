//! How a table is laid out: a row for each figure, or several figures in a row.

use crate::columns::{
    Columns, DEVIATION, MAXIMUM, MEASURED, MEASURED_SI, MINIMUM, OPERATION, PREDICTED, REPORT,
};
use csv::StringRecord;
use quantity::parse_figure;

/// Fewer columns of figures than this are not several tellings of one thing.
const FEWEST: usize = 2;
/// Fewer columns of trials than this are none.
const FEWEST_TRIALS: usize = 3;
/// The share of a column's cells that must be figures.
const MOSTLY: f64 = 0.6;

/// How a table is laid out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A row for each figure.
    Long,
    /// A row for each operation, with a column for each trial; what else there is sums them up.
    Trials(Vec<usize>),
    /// A row for each operation, with a column for each machine.
    Machines(Vec<usize>),
    /// A row for each machine, which this column names, with a column for each operation.
    Operations(usize, Vec<usize>),
}

/// One figure of a row and what its place says of it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Place<'t> {
    /// The column of the figure; `None` where the heading names it.
    pub figure: Option<usize>,
    /// The operation, where the column says it.
    pub operation: Option<&'t str>,
    /// The machine, where a column says it.
    pub report: Option<&'t str>,
    /// Which trial it is.
    pub trial: Option<usize>,
}

impl Layout {
    /// The layout of a table.
    pub fn of(columns: &Columns, rows: &[(u64, StringRecord)], decimal_comma: bool) -> Self {
        let known = columns.known();
        let is_numbers = |at: &usize| is_figures(rows, *at, decimal_comma);
        let other = (0..columns.0.len())
            .filter(|at| !known.contains(at))
            .filter(is_numbers);
        let other: Vec<usize> = other.collect();
        let has = |names: &[&str]| columns.find(names).is_some();
        let trials: Vec<usize> = (0..columns.0.len())
            .filter(|at| columns.0.get(*at).is_some_and(|column| is_trial(&column.name)))
            .filter(is_numbers)
            .collect();
        if has(OPERATION) && trials.len() >= FEWEST_TRIALS {
            return Self::Trials(trials);
        }
        if has(MEASURED) || has(MEASURED_SI) || has(PREDICTED) || other.len() < FEWEST {
            return Self::Long;
        }
        if has(OPERATION) && !has(DEVIATION) && !has(MINIMUM) && !has(MAXIMUM) {
            return Self::Machines(other);
        }
        if has(OPERATION) {
            return Self::Long;
        }
        // Without a column of names this is a heap of numbers.
        let first = (0..columns.0.len()).find(|at| !other.contains(at));
        match columns.find(REPORT).or(first) {
            Some(label) => Self::Operations(label, other),
            None => Self::Long,
        }
    }

    /// The figures of a row.
    pub fn places<'t>(&self, columns: &'t Columns, record: &'t StringRecord) -> Vec<Place<'t>> {
        let heading = |at: usize| columns.0.get(at).map(|column| column.told.as_str());
        match self {
            Self::Long => vec![Place::default()],
            Self::Trials(trials) => {
                let each = trials.iter().enumerate().map(|(trial, at)| Place {
                    figure: Some(*at),
                    trial: Some(trial + 1),
                    ..Place::default()
                });
                let sums_up = [MEASURED, DEVIATION, MINIMUM, MAXIMUM]
                    .iter()
                    .any(|names| columns.find(names).is_some());
                each.chain(sums_up.then(Place::default)).collect()
            }
            Self::Machines(machines) => machines
                .iter()
                .map(|at| Place {
                    figure: Some(*at),
                    report: heading(*at),
                    ..Place::default()
                })
                .collect(),
            Self::Operations(label, operations) => operations
                .iter()
                .map(|at| Place {
                    figure: Some(*at),
                    operation: columns.0.get(*at).map(|column| column.name.as_str()),
                    report: record.get(*label),
                    ..Place::default()
                })
                .collect(),
        }
    }
}

/// `run1`, `trial_2`, `3`, `t4`, `#5`.
fn is_trial(name: &str) -> bool {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let words = [
        "",
        "run",
        "trial",
        "rep",
        "sample",
        "r",
        "t",
        "#",
        "measurement",
        "iteration",
        "repetition",
        "try",
        "pass",
        "round",
    ];
    stem.len() < name.len() && words.contains(&stem.trim_end_matches(['_', '#']))
}

fn is_figures(rows: &[(u64, StringRecord)], at: usize, decimal_comma: bool) -> bool {
    let cells = rows
        .iter()
        .filter_map(|(_, record)| record.get(at))
        .filter(|cell| !cell.is_empty());
    let (mut all, mut figures) = (0usize, 0usize);
    for cell in cells {
        all += 1;
        figures += usize::from(parse_figure(cell, decimal_comma).is_some());
    }
    figures > 0 && figures as f64 >= MOSTLY * all as f64
}

/// Whether a column holds nothing but whole numbers from 1 on: it counts rows, and names nothing.
pub(crate) fn is_counter(rows: &[(u64, StringRecord)], at: usize) -> bool {
    !rows.is_empty()
        && rows
            .iter()
            .all(|(_, record)| record.get(at).is_some_and(|cell| cell.parse::<u64>().is_ok()))
}

/// Whether a column names something: it holds words, or whole numbers that do not only count the rows.
pub(crate) fn is_naming(rows: &[(u64, StringRecord)], at: usize, decimal_comma: bool) -> bool {
    let numbers: Vec<u64> = rows
        .iter()
        .filter_map(|(_, record)| record.get(at)?.parse().ok())
        .collect();
    let counts_rows = numbers.len() == rows.len()
        && numbers
            .windows(2)
            .all(|two| matches!(two, [a, b] if a.checked_add(1) == Some(*b)));
    !is_figures(rows, at, decimal_comma) || (is_counter(rows, at) && !counts_rows)
}

/// Whether more than half of a column's cells hold the same whole number.
pub(crate) fn is_mostly_one_number(rows: &[(u64, StringRecord)], at: usize) -> bool {
    let mut numbers: Vec<Option<u64>> = rows
        .iter()
        .map(|(_, record)| record.get(at)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let most = numbers.chunk_by(|a, b| a == b).map(<[_]>::len).max();
    numbers.iter().all(Option::is_some) && most.is_some_and(|most| 2 * most > rows.len())
}

/// Whether a column holds figures, some of them with decimals.
pub(crate) fn is_decimal(rows: &[(u64, StringRecord)], at: usize, decimal_comma: bool) -> bool {
    let mark = if decimal_comma { ',' } else { '.' };
    let has_mark = |(_, record): &(u64, StringRecord)| record.get(at).is_some_and(|cell| cell.contains(mark));
    is_figures(rows, at, decimal_comma) && rows.iter().any(has_mark)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn layout(text: &str) -> Layout {
        let mut grid = crate::grid::Grid::of(text).unwrap();
        let heading = grid.heading(|_| true).unwrap();
        Layout::of(&Columns::of(&heading), &grid.rows, grid.decimal_comma)
    }

    #[test]
    fn layouts_are_told_by_names_and_numbers() {
        assert_eq!(layout("operation,unit,measured\nx,ns,1\n"), Layout::Long);
        assert_eq!(
            layout("operation,unit,run1,run2,run3\nx,ns,1,2,3\n"),
            Layout::Trials(vec![2, 3, 4])
        );
        assert_eq!(
            layout("benchmark,unit,alpha,beta\nx,ns,1,2\n"),
            Layout::Machines(vec![2, 3])
        );
        assert_eq!(
            layout("host,null call (us),fork proc (us)\na,0.1,100\nb,0.2,120\n"),
            Layout::Operations(0, vec![1, 2])
        );
        assert_eq!(layout("operation,measured,noise,extra\nx,1,2,3\n"), Layout::Long);
    }
}
