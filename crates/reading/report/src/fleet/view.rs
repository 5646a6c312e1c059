//! What a view of a fleet is given.

use crate::first_screen::Label;
use crate::tables::TableRecord;
use fleet::{Fleet, Problem, Survey};

/// What a view of a fleet shows.
#[derive(Debug, Clone, Copy)]
pub struct FleetView<'v> {
    /// Where the records are.
    pub folder: &'v str,
    /// The machines.
    pub fleet: &'v Fleet,
    /// What was found out.
    pub survey: &'v Survey,
    /// What is wrong with the records.
    pub problems: &'v [Problem],
    /// What the points of the headline are called: tables show these, unless everything is wanted.
    pub labels: &'v [Label<'v>],
    /// The records themselves, where they are few enough for one table: a class.
    pub class: &'v [TableRecord<'v>],
    /// Whether everything is wanted.
    pub is_full: bool,
    /// The half width, as a share, for which machines and runs are counted.
    pub precision: f64,
}
