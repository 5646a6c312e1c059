//! Why a file cannot be checked.

/// Why nothing can be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LintError {
    /// Not a table.
    #[error("not a table of separated values: {0}")]
    Csv(String),
    /// No operation, or no figure.
    #[error(
        "nothing can be checked: a table needs a column `operation` (or `id`, `name`, `benchmark`) and one of \
         `measured`, `typical`, `mean`, `value`, `predicted`, or columns of figures with machines or operations as \
         headings; this one has {0}"
    )]
    Columns(String),
    /// Numbers where the heading would be.
    #[error(
        "nothing can be checked: the table has no heading, its first row holds numbers only; name the columns in a first \
         row (of a matrix between CPUs, write one pair per row: `from,to,latency (ns)`)"
    )]
    NoHeading,
    /// No rows below the heading.
    #[error("nothing can be checked: the table has a heading and no rows")]
    Empty,
    /// Rows, and no figure in any of them.
    #[error("nothing can be checked: no cell in a column of figures holds a number ({0})")]
    Figures(String),
    /// A table of machines without a known column.
    #[error(
        "not a table of machines: it needs at least one of the columns `clock_ghz`, `l3_bytes`, `network`"
    )]
    NotMachines,
}
