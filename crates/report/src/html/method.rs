//! How an operation is measured, in prose, as the program that makes the page knows it.

use super::writer::Html;

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
    /// What may be mistaken for it.
    pub confounds: &'a str,
    /// Who measured it before (a report or a tool), and how.
    pub sources: &'a [(&'a str, &'a str)],
}

impl Method<'_> {
    /// Writes the prose, closed until somebody asks.
    pub(super) fn write(&self, html: &mut Html) {
        html.tag("details", &[("class", "method")], |html| {
            html.leaf("summary", &[], "Method, confounds, who measured it how");
            html.leaf("p", &[], self.method);
            if !self.confounds.is_empty() {
                html.tag("p", &[], |html| {
                    html.leaf("b", &[], "Confounds: ");
                    html.say(self.confounds);
                });
            }
            html.tag("ul", &[], |html| {
                for (who, how) in self.sources {
                    html.tag("li", &[], |html| {
                        html.leaf("b", &[], who);
                        html.say(&format!(": {how}"));
                    });
                }
            });
        });
    }
}
