//! The blocks of a document, before any form of output.

use crate::remark::{NoteGroup, Remark};
use crate::style::Paint;
use crate::table::{Cell, Table};
use analysis::Answer;

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
    /// What is said of points, and what helps.
    Remark(Remark),
    /// What is said of several points, what helps, and of each what is its own.
    Group(NoteGroup),
    /// A question with its answer, and what that leaves open.
    Answer(Box<Answer>),
    /// A picture that a page alone draws.
    Heat(Heat),
    /// A value for each two of some things.
    Matrix(Matrix),
    /// A drawing made of letters, for terminals and Markdown; pages and papers draw scenes.
    Plot {
        /// What it shows.
        title: String,
        /// Its lines.
        lines: Vec<String>,
        /// What its signs mean.
        legend: String,
    },
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

/// What machines cost in points, divided by what their median costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heat {
    /// The points.
    pub(crate) columns: Vec<String>,
    /// The machines.
    pub(crate) rows: Vec<HeatRow>,
    /// The number of machines that are not drawn.
    pub(crate) left_out: usize,
}

/// A machine of a [`Heat`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeatRow {
    /// What it is called.
    pub(crate) name: String,
    /// For each point the ratio; `None` where it has no number.
    pub(crate) ratios: Vec<Option<f64>>,
}

/// A value for each two of some things, such as the times between CPUs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// What it shows.
    pub(crate) title: String,
    /// The things.
    pub(crate) names: Vec<String>,
    /// For each two the value as a share from the least to the largest, and in words; `None` where it is not known.
    pub(crate) cells: Vec<Vec<Option<(f64, String)>>>,
    /// The least and the largest value.
    pub(crate) ends: [String; 2],
}

impl Matrix {
    /// Signs of values from the least to the largest, and of those that are not known.
    const UNICODE: ([char; 5], char) = (['·', '░', '▒', '▓', '█'], ' ');
    const ASCII: ([char; 5], char) = (['.', ':', '+', '*', '#'], ' ');

    /// The map in lines of signs that are not wider than this, several things in a sign where there is no room for each, and what
    /// the signs mean.
    pub(crate) fn lines(&self, width: usize, is_ascii: bool) -> (Vec<String>, String) {
        let (signs, unknown) = if is_ascii { Self::ASCII } else { Self::UNICODE };
        let label = self.names.iter().map(String::len).max().unwrap_or(0);
        let step = self.names.len().div_ceil(width.saturating_sub(label + 1).max(1)).max(1);
        let sign = |rows: &[Vec<Option<(f64, String)>>], column: usize| {
            let cells = rows.iter().flat_map(|row| row.iter().skip(column).take(step)).flatten();
            let (sum, count) = cells.fold((0.0, 0.0), |(sum, count), (share, _)| (sum + share, count + 1.0));
            let level = (sum / count * (signs.len() - 1) as f64).round();
            signs.get(level as usize).copied().filter(|_| count > 0.0).unwrap_or(unknown)
        };
        let rows = self.cells.chunks(step).zip(self.names.iter().step_by(step));
        let lines = rows.map(|(rows, name)| {
            let signs: String =
                (0..self.names.len()).step_by(step).map(|column| sign(rows, column)).collect();
            format!("{name:>label$} {}", signs.trim_end())
        });
        let [low, high] = &self.ends;
        let meaning =
            format!("{} {low} … {} {high}, by ratio between them", signs[0], signs[signs.len() - 1]);
        (lines.collect(), meaning)
    }
}

/// Items that follow each other and are one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemList {
    Remarks,
    Answers,
}

/// The blocks, those together that are one list.
pub(super) fn lists(blocks: &[Block]) -> impl Iterator<Item = (Option<ItemList>, &[Block])> {
    let lists = blocks.chunk_by(|one, next| one.item_of().is_some() && one.item_of() == next.item_of());
    lists.filter_map(|alike| Some((alike.first()?.item_of(), alike)))
}

impl Block {
    /// Of which list it is an item, with its neighbours that are.
    fn item_of(&self) -> Option<ItemList> {
        match self {
            Self::Remark(_) | Self::Group(_) => Some(ItemList::Remarks),
            Self::Answer(_) => Some(ItemList::Answers),
            _ => None,
        }
    }

    /// These items under a heading; `None` where there are none.
    pub(crate) fn part(title: impl Into<String>, blocks: Vec<Self>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self::Part(title.into(), blocks))
    }

    /// A paragraph as it is.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into(), Paint::Plain)
    }

    /// The sentence that a reader looks for.
    pub(crate) fn lead(text: impl Into<String>) -> Self {
        Self::Text(text.into(), Paint::Strong)
    }
}
