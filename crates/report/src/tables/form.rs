//! The forms of tables, and the line over each.

use crate::document::{self, Block};
use crate::page::Page;
use crate::style::Style;
use crate::wording::many;
use crate::{View, closing};
use std::io::{self, Write};

/// The form of such a table.
#[derive(Debug, Clone, Copy)]
pub enum TableForm {
    /// For a terminal of this width.
    Terminal(usize, Style),
    /// Markdown.
    Markdown,
    /// A page that a browser shows and prints.
    Html,
    /// A page for pdflatex.
    Latex,
    /// Numbers in base units with all digits.
    Csv,
}

/// Writes a document in this form; as CSV, of which a document holds nothing, nothing.
pub(super) fn write(blocks: &[Block], form: TableForm, out: &mut dyn Write) -> io::Result<()> {
    match form {
        TableForm::Terminal(width, style) => {
            document::terminal::write(blocks, &mut Page { width, style, out })
        }
        TableForm::Markdown => document::markdown::write(blocks, out),
        TableForm::Html => document::html::write(&title(blocks), blocks, out),
        TableForm::Latex => document::latex::write_whole(blocks, out),
        TableForm::Csv => Ok(()),
    }
}

/// What a page is called.
fn title(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Title(title) => Some(title.as_str()),
        _ => None,
    });
    format!("oscope: {}", title.unwrap_or("table"))
}

/// When it was measured, for how long, and whose predictions stand beside oscope's.
pub(super) fn run_line(view: &View<'_>) -> String {
    let user = view.plan.user_predictions.as_ref();
    let user = user.map_or_else(String::new, |file| format!("; predictions by the user: {}", file.name));
    let trials = view.analysis.rows.iter().map(|row| row.trials.len()).sum();
    format!("measured {}, {}, {}{user}", view.header.started, closing::lasted(view), many(trials, "trial"))
}
