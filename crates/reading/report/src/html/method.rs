//! How an operation is measured, in prose, as the program that makes the page knows it.

use super::writer::Html;
use analysis::Row;

/// The prose of an operation. A record does not hold it: it is that of the program, and is shown only where the
/// record's revision of the operation is the program's.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    /// The operation's id.
    pub operation: &'a str,
    /// Its revision.
    pub revision: u32,
    /// How it is measured.
    pub method: &'a str,
    /// What may be measured instead.
    pub confounds: &'a str,
    /// Who measured it before (a report or a tool), and how.
    pub sources: &'a [(&'a str, &'a str)],
}

impl Method<'_> {
    /// Whether it is how a row was measured.
    pub(crate) fn is_of(&self, row: &Row) -> bool {
        self.operation == row.point.id.operation && self.revision == row.point.revision
    }

    /// Writes the prose.
    pub(super) fn write(&self, html: &mut Html) {
        html.leaf("p", &[], self.method);
        if !self.confounds.is_empty() {
            html.leaf("h5", &[], "Confounds");
            html.leaf("p", &[], self.confounds);
        }
        // The handbook and `oscope explain` say it, too.
        if self.sources.is_empty() || !html.is_full {
            return;
        }
        html.leaf("h5", &[], "Who measured it, and how");
        html.list("", self.sources, |html, (who, how)| html.say(&format!("{who}: {how}")));
    }
}
