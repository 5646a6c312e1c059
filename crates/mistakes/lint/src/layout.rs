//! The layout of a table: a row for each figure, or several figures in a row.

use crate::columns::{
    Columns, DEVIATION, MAXIMUM, MEASURED, MEASURED_SI, MINIMUM, OPERATION, PREDICTED, REPORT, has_word,
};
use crate::grid::Grid;
use csv::StringRecord;

/// Fewer columns of figures than this are not machines or operations.
const FEWEST: usize = 2;
/// Fewer columns of trials than this are not trials.
const FEWEST_TRIALS: usize = 3;
/// Words before the number of a trial in a heading: `run1`, `trial_2`, `#5`.
const TRIAL_WORDS: &str = "run trial rep sample r t # measurement iteration repetition try pass round";

/// The layout of a table, with the columns of its figures.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A row for each figure.
    Long,
    /// A row for each operation, with a column for each trial; other figures summarise them.
    Trials(Vec<usize>),
    /// A row for each operation, with a column for each machine.
    Machines(Vec<usize>),
    /// A row for each operation and machine, with a column for each condition.
    Conditions(Vec<usize>),
    /// A row for each machine, named in this column, with a column for each operation.
    Operations(usize, Vec<usize>),
}

/// One figure of a row and what its column says about it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Cell<'t> {
    /// The column of the figure; `None` where the heading names it.
    pub figure: Option<usize>,
    /// The operation, where the column names it.
    pub operation: Option<&'t str>,
    /// The machine, where a column names it.
    pub report: Option<&'t str>,
    /// The condition, where the column names it.
    pub condition: Option<&'t str>,
    /// The number of the trial.
    pub trial: Option<usize>,
}

impl Layout {
    /// The layout of a table.
    pub fn detect(columns: &Columns, grid: &Grid) -> Self {
        let known = columns.known();
        let figures: Vec<usize> = (0..columns.0.len())
            .filter(|at| {
                let has_unit = columns.0.get(*at).is_some_and(|column| column.unit.is_some());
                grid.has_figures(*at) || (has_unit && grid.has_multiples(*at))
            })
            .collect();
        let trials: Vec<usize> = figures
            .iter()
            .copied()
            .filter(|at| is_trial(columns.0.get(*at).map_or("", |column| &column.name)))
            .collect();
        let other: Vec<usize> = figures.into_iter().filter(|at| !known.contains(at)).collect();
        let has_names = columns.has(OPERATION);
        if has_names && trials.len() >= FEWEST_TRIALS {
            return Self::Trials(trials);
        }
        let has_result = [MEASURED, MEASURED_SI, PREDICTED].iter().any(|names| columns.has(names));
        let has_spread = [DEVIATION, MINIMUM, MAXIMUM].iter().any(|names| columns.has(names));
        if has_result || other.len() < FEWEST || (has_names && has_spread) {
            return Self::Long;
        }
        if has_names {
            // Where a column names the machines, the others are not machines.
            return if columns.has(REPORT) { Self::Conditions(other) } else { Self::Machines(other) };
        }
        // Without a column of names, these are numbers without a meaning.
        let first = (0..columns.0.len()).find(|at| !other.contains(at));
        let label = columns.find(REPORT).or(first);
        label.map_or(Self::Long, |label| Self::Operations(label, other))
    }

    /// The columns that the layout gives a meaning.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Self::Long => Vec::new(),
            Self::Trials(figures) | Self::Machines(figures) | Self::Conditions(figures) => figures.clone(),
            Self::Operations(label, figures) => {
                std::iter::once(*label).chain(figures.iter().copied()).collect()
            }
        }
    }

    /// The figures of a row.
    pub fn cells<'t>(&self, columns: &'t Columns, record: &'t StringRecord) -> Vec<Cell<'t>> {
        let figures = match self {
            Self::Long => return vec![Cell::default()],
            Self::Trials(figures)
            | Self::Machines(figures)
            | Self::Conditions(figures)
            | Self::Operations(_, figures) => figures,
        };
        let cells = figures.iter().enumerate().map(|(index, at)| {
            let mut cell = Cell { figure: Some(*at), ..Cell::default() };
            let column = columns.0.get(*at);
            match self {
                Self::Long => {}
                Self::Trials(_) => cell.trial = Some(index + 1),
                Self::Machines(_) => cell.report = column.map(|column| column.heading.as_str()),
                Self::Conditions(_) => cell.condition = column.map(|column| column.name.as_str()),
                Self::Operations(label, _) => {
                    cell.operation = column.map(|column| column.name.as_str());
                    cell.report = record.get(*label);
                }
            }
            cell
        });
        let has_summary = matches!(self, Self::Trials(_))
            && [MEASURED, DEVIATION, MINIMUM, MAXIMUM].iter().any(|names| columns.has(names));
        cells.chain(has_summary.then(Cell::default)).collect()
    }
}

/// `run1`, `trial_2`, `3`, `t4`, `#5`.
fn is_trial(name: &str) -> bool {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let word = stem.trim_end_matches(['_', '#']);
    stem.len() < name.len() && (word.is_empty() || has_word(TRIAL_WORDS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        let mut grid = Grid::parse(text).unwrap();
        let heading = grid.heading(|_| true).unwrap();
        Layout::detect(&Columns::parse(&heading), &grid)
    }

    #[test]
    fn layouts_are_recognised_by_headings_and_figures() {
        for (text, expected) in [
            ("operation,unit,measured\nx,ns,1\n", Layout::Long),
            ("operation,unit,run1,run2,run3\nx,ns,1,2,3\n", Layout::Trials(vec![2, 3, 4])),
            ("benchmark,unit,alpha,beta\nx,ns,1,2\n", Layout::Machines(vec![2, 3])),
            ("host,test,idle (us),loaded (us)\na,x,1,2\nb,x,1,2\n", Layout::Conditions(vec![2, 3])),
            ("host,null call (us),fork proc (us)\na,0.1,100\nb,0.2,120\n", Layout::Operations(0, vec![1, 2])),
            ("operation,measured,noise,extra\nx,1,2,3\n", Layout::Long),
        ] {
            assert_eq!(layout(text), expected, "{text}");
        }
    }
}
