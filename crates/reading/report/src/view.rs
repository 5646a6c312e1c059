//! What a view of a record is given.

use analysis::Analysis;
use record::{End, Header, Machine, PeerEnd, Plan};

/// What a view shows: a record's own words and what the analysis says of it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Which program, when, with which arguments.
    pub header: &'a Header,
    /// Where.
    pub machine: &'a Machine,
    /// The other end, where there was one.
    pub peer: Option<&'a PeerEnd>,
    /// What was decided before the first trial.
    pub plan: &'a Plan,
    /// Rows, lines and notes.
    pub analysis: &'a Analysis,
    /// How the run ended; `None` when it was killed or still runs.
    pub end: Option<&'a End>,
    /// Whether texts give times in core cycles, too.
    pub has_cycles: bool,
}
