//! Views of a comparison of records: terminal, Markdown, page, CSV, JSON.

mod csv;
mod decomposed;
mod document;
mod forest;
mod json;
mod matrix;
mod summary;
mod view;

pub use decomposed::decompositions_terminal;
#[cfg(feature = "schema")]
pub use json::comparison_schema;
pub use summary::answer as compared_answer;
pub(crate) use view::change;
pub use view::{ComparedRecord, ComparedView, compared_words, reason as compared_reason};

use crate::document::{Form, html, write};
use std::io::{self, Write};

/// Writes the comparison.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison(view: &ComparedView<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let ascii = matches!(form, Form::Terminal(_, style) if style.ascii);
    match form {
        Form::Csv => csv::write(view, out),
        Form::Json => json::write(view, out),
        Form::Html => {
            let title = format!("oscope: {} compared", view.first.name);
            html::write(&title, &document::document(view, ascii), out)
        }
        _ => write(&document::document(view, ascii), form, out),
    }
}
