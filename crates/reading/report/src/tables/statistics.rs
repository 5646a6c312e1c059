//! Statistics like those of R0's tables (5.1.3, 5.3.3, 6.2.3, 6.3.3): smallest, mean, largest, standard deviation over trials; as
//! columns, and as a table of every point.

use crate::cells::TWO_DIGITS;
use crate::document::Block;
use crate::run_summary::run_line;
use crate::style::Paint;
use crate::table::{Column, Columns};
use crate::{View, cells, cycles};
use analysis::{Row, TrialStatistics};
use quantity::show;

/// A statistic over the trials of a point, each by its median sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Smallest.
    Minimum,
    /// Arithmetic mean.
    Mean,
    /// Largest.
    Maximum,
    /// Standard deviation.
    Deviation,
}

impl Statistic {
    /// The heading of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Minimum => "min",
            Self::Mean => "mean",
            Self::Maximum => "max",
            Self::Deviation => "sd",
        }
    }

    /// Its value of these, in the base unit of the quantity.
    pub(crate) fn value(self, all: &TrialStatistics) -> Option<f64> {
        match self {
            Self::Minimum => Some(all.minimum),
            Self::Mean => Some(all.mean),
            Self::Maximum => Some(all.maximum),
            Self::Deviation => all.deviation,
        }
    }

    /// Its value as text; empty where the row has no number. As many digits as the standard deviation allows.
    pub(crate) fn text(self, row: &Row) -> String {
        let all = row.trial_statistics();
        let Some((all, value)) = all.and_then(|all| Some((all, self.value(&all)?))) else {
            return String::new();
        };
        let half = match self {
            Self::Deviation => all.deviation.map(|deviation| deviation * TWO_DIGITS),
            _ => all.deviation,
        };
        show(value, half, row.quantity())
    }
}

/// A row for each point that has a number.
pub(super) fn blocks(view: &View<'_>, statistics: &[Statistic]) -> Vec<Block> {
    let name = Column::name("", 0, 30, usize::MAX).titled("point");
    let mut columns = Columns::new(name, |row: &&Row| cells::marked(&row.point.id.to_string(), row))
        .with(Column::number("measured", 0), |row| cells::measured_cell(row))
        .with(Column::word("", 0), |row| cells::mark_cell(row))
        .when(view.has_cycles, |columns| {
            columns.with(Column::number(cycles::TITLE, 0), |row| cycles::measured(view, row))
        });
    for one in statistics {
        columns = columns.with(Column::number(one.title(), 0), |row| one.text(row));
    }
    let columns = columns.with(Column::number("trials", 0), |row| cells::trials(row));
    let table = columns.table_of(view.analysis.rows.iter().filter(|row| row.estimate.is_some()));
    vec![
        Block::Title("statistics over trials".to_owned()),
        Block::Text(run_line(view), Paint::Faint),
        Block::Table(table.captioned(CAPTION)),
    ]
}

/// What the columns mean.
const CAPTION: &str = "measured: the median over trials; min, mean, max and sd are of the trials, each by its median sample; \
    ~ noisy";
