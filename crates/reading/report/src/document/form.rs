//! The forms of a document.

use super::{Block, html, latex, markdown, terminal};
use crate::page::Page;
use crate::style::Style;
use std::io::{self, Write};

/// The form of a view.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// For a terminal of this width.
    Terminal(usize, Style),
    /// Markdown that can be read in an issue.
    Markdown,
    /// A page that a browser shows and prints.
    Html,
    /// For pdflatex.
    Latex,
    /// Numbers in base units with all digits.
    Csv,
    /// One JSON document.
    Json,
}

/// Writes a document in this form. What is data has nothing of a document.
pub(crate) fn write(blocks: &[Block], form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Terminal(width, style) => terminal::write(blocks, &mut Page::new(width, style, out)),
        Form::Markdown => markdown::write(blocks, out),
        Form::Html => html::write(&title(blocks), blocks, out),
        Form::Latex => latex::write_whole(blocks, out),
        Form::Csv | Form::Json => Ok(()),
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
