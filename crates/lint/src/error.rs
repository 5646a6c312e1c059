//! Why a file cannot be checked.

/// Why nothing can be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LintError {
    /// It is no table.
    #[error("it is no table of separated values: {0}")]
    Csv(String),
    /// No operation, or no figure.
    #[error(
        "nothing can be checked: a table needs a column `operation` (or `id`, `name`, `benchmark`) and one of \
         `measured`, `typical`, `mean`, `value`, `predicted`, or columns of figures under the names of machines or \
         operations; this one has {0}"
    )]
    Columns(String),
    /// No rows below the heading.
    #[error("nothing can be checked: the table has a heading and no rows")]
    Empty,
    /// Rows, and no figure in any of them.
    #[error("nothing can be checked: no cell that could be a figure holds a number ({0})")]
    Figures(String),
    /// A table of machines without a column that is known.
    #[error("it is no table of machines: it has none of `clock_ghz`, `l3_bytes`, `network`")]
    NotMachines,
}
