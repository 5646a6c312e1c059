//! What a view says, before any form of output: blocks that a terminal, Markdown and HTML each render.

pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod terminal;

use crate::style::Paint;
use crate::table::{Cell, Table};

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// What the document is called. A terminal, where the command says so, leaves it out.
    Title(String),
    /// A paragraph.
    Text(String, Paint),
    /// Labels, each with what stands behind it.
    Facts(Vec<(&'static str, Cell)>),
    /// Items. A terminal shows the first `most` of them, and where to see the others; a page folds these.
    List {
        /// The items.
        items: Vec<String>,
        /// The number of them that are shown at first.
        most: usize,
    },
    /// A table.
    Table(Table),
    /// Blocks under a heading.
    Part(String, Vec<Block>),
    /// Details that a page folds; other forms leave them out unless the user asked for everything.
    Folded {
        /// What they are.
        summary: String,
        /// The details.
        blocks: Vec<Block>,
        /// Whether the user asked for everything.
        is_wanted: bool,
    },
}

impl Block {
    /// A paragraph as it is.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into(), Paint::Plain)
    }

    /// The sentence that a reader looks for.
    pub(crate) fn lead(text: impl Into<String>) -> Self {
        Self::Text(text.into(), Paint::Strong)
    }
}
