//! The rows, each group from the most specific to the most general. The first row that fits is taken.

mod files;
mod general;
mod network;
mod processes;

use super::row::Row;

/// All rows, in the order in which they are looked through.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    [network::ROWS, processes::ROWS, files::ROWS, general::ROWS].into_iter().flatten()
}
