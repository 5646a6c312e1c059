//! The questions that belong to the run, each with its answer and the points that it rests on.

use super::parts::section;
use super::writer::Html;
use crate::document::html::write_inside;
use crate::{View, sections};

/// Writes the part.
pub(super) fn answers(view: &View<'_>, html: &mut Html) {
    section(html, "answers", "Answers", |html| {
        let found = sections::answers(view);
        if found.is_empty() {
            return html.leaf("p", &[("class", "soft")], "No question applies to this run.");
        }
        write_inside(&found, html);
    });
}
