//! A table as every form of output shows it: columns, and lines that are cells or a text across all columns.

use crate::style::Paint;
use quantity::Quantity;
use record::PointId;
use std::borrow::Cow;

/// On which side a cell's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// What a cell loses when it is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elide {
    /// Nothing, as long as it can be helped.
    Nothing,
    /// Its middle: names differ at both ends.
    Middle,
    /// Its end: prose.
    End,
}

/// Which forms of output show a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownIn {
    /// All.
    AllForms,
    /// Terminals, which have little room.
    Terminals,
    /// Documents.
    Documents,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub(crate) title: Cow<'static, str>,
    /// Its heading in documents; `None` where that is the same.
    long: Option<&'static str>,
    /// Where it is shown.
    pub(crate) shown_in: ShownIn,
    /// Whether pages leave it out where its rows stand below headings.
    pub(crate) is_not_below_headings: bool,
    /// Whether pages draw its cells.
    pub(crate) is_drawn: bool,
    /// Where its text stands.
    pub(crate) align: Align,
    /// 0: always there. Otherwise the larger, the earlier a terminal leaves it out; equals go together.
    pub(crate) priority: u8,
    /// It is never narrower, as long as another column can be left out instead.
    pub(crate) least: usize,
    /// Columns of this priority or more are left out before it is elided at all.
    pub(crate) whole_before: u8,
    /// It is never wider.
    pub(crate) most: usize,
    /// What its text loses so that it fits.
    pub(crate) elide: Elide,
}

impl Column {
    /// A column of numbers: as wide as its widest cell.
    pub fn number(title: impl Into<Cow<'static, str>>, priority: u8) -> Self {
        Self {
            title: title.into(),
            long: None,
            shown_in: ShownIn::AllForms,
            is_not_below_headings: false,
            is_drawn: false,
            align: Align::Right,
            priority,
            least: 0,
            whole_before: u8::MAX,
            most: usize::MAX,
            elide: Elide::Nothing,
        }
    }

    /// A column of short words that are never elided.
    pub fn word(title: impl Into<Cow<'static, str>>, priority: u8) -> Self {
        Self { align: Align::Left, ..Self::number(title, priority) }
    }

    /// A column of names that may be elided down to `least`.
    pub fn name(title: impl Into<Cow<'static, str>>, priority: u8, least: usize, most: usize) -> Self {
        Self { least, most, elide: Elide::Middle, ..Self::word(title, priority) }
    }

    /// A column of prose, of which the end may be cut off down to `least`.
    pub fn prose(title: impl Into<Cow<'static, str>>, priority: u8, least: usize, most: usize) -> Self {
        Self { elide: Elide::End, ..Self::name(title, priority, least, most) }
    }

    /// This column, which is elided only when no other of this priority or more is left.
    pub fn whole_before(self, priority: u8) -> Self {
        Self { whole_before: priority, ..self }
    }

    /// This column under another heading in documents.
    pub(crate) fn titled(self, long: &'static str) -> Self {
        Self { long: Some(long), ..self }
    }

    /// This column in these forms alone.
    pub(crate) fn only_in(self, shown_in: ShownIn) -> Self {
        Self { shown_in, ..self }
    }

    /// This column, which pages leave out where its rows stand below headings.
    pub(crate) fn not_below_headings(self) -> Self {
        Self { is_not_below_headings: true, ..self }
    }

    /// This column, whose cells pages draw. In texts it is a line of characters, and Markdown has none.
    pub(crate) fn drawn(self) -> Self {
        Self { is_drawn: true, ..self }
    }

    /// Whether it is shown where there is little room.
    pub(crate) fn is_on_terminals(&self) -> bool {
        self.shown_in != ShownIn::Documents
    }

    /// Its heading in documents.
    pub(crate) fn long_title(&self) -> &str {
        self.long.unwrap_or(&self.title)
    }
}

/// A value with its interval on the scale of a drawing, each from 0 at its start to 1 at its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shares {
    /// The interval.
    pub(crate) interval: (f64, f64),
    /// The value.
    pub(crate) value: f64,
    /// Both in words.
    pub(crate) says: String,
}

/// One text of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Its text, without colour.
    pub(crate) text: String,
    /// Its paint.
    pub(crate) paint: Paint,
    /// The point that it names: documents name it in full.
    pub(crate) point: Option<PointId>,
    /// By what a page sorts it.
    pub(crate) key: Option<(f64, Quantity)>,
    /// By which word a page filters its row.
    pub(crate) word: &'static str,
    /// What a page draws in place of the text.
    pub(crate) drawn: Option<Shares>,
}

impl Cell {
    /// A text in a paint.
    pub fn new(text: impl Into<String>, paint: Paint) -> Self {
        Self { text: text.into(), paint, ..Self::default() }
    }

    /// The name of a point.
    pub(crate) fn point(id: &PointId) -> Self {
        Self { point: Some(id.clone()), ..Self::from(id.to_string()) }
    }

    /// This cell with the value by which it is sorted.
    pub(crate) fn sorted_by(self, key: Option<f64>, quantity: Quantity) -> Self {
        let key = key.filter(|key| key.is_finite());
        Self { key: key.map(|key| (key, quantity)), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Paint::Plain)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line {
    Cells(Vec<Cell>),
    /// Cells, and the two parts of the first that take a line each where it is too wide for one.
    Parted(Vec<Cell>, [String; 2]),
    Heading(Cell),
    Span {
        indent: usize,
        cell: Cell,
    },
}

/// The columns of a table, each with what its cells say of a row.
pub(crate) struct Columns<'a, R>(Vec<(Column, CellOf<'a, R>)>);

/// What a cell says of a row.
type CellOf<'a, R> = Box<dyn Fn(&R) -> Cell + 'a>;

impl<'a, R> Columns<'a, R> {
    /// A first column.
    pub(crate) fn new<C: Into<Cell>>(column: Column, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self(Vec::new()).with(column, cell)
    }

    /// These columns and one behind them.
    pub(crate) fn with<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&R) -> C + 'a) -> Self {
        self.0.push((column, Box::new(move |row| cell(row).into())));
        self
    }

    /// These columns and, where it is so, those that `more` puts behind them.
    pub(crate) fn when(self, is_so: bool, more: impl FnOnce(Self) -> Self) -> Self {
        if is_so { more(self) } else { self }
    }

    /// The cells of a row.
    pub(crate) fn cells(&self, row: &R) -> Vec<Cell> {
        self.0.iter().map(|(_, cell)| cell(row)).collect()
    }

    /// A table without lines.
    pub(crate) fn table(&self) -> Table {
        Table::new(self.0.iter().map(|(column, _)| column.clone()).collect())
    }

    /// A table of these rows.
    pub(crate) fn table_of(&self, rows: impl IntoIterator<Item = R>) -> Table {
        let mut table = self.table();
        rows.into_iter().for_each(|row| table.row(self.cells(&row)));
        table
    }
}

/// A table: columns, and lines that are either cells or a text across all columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) lines: Vec<Line>,
    /// What is said of all of it.
    pub(crate) caption: Option<String>,
    /// Whether pages show its headings between the rows.
    pub(crate) is_headed_on_pages: bool,
    /// The start, the middle and the end of the scale of its drawings.
    pub(crate) scale: Option<[String; 3]>,
}

impl Table {
    /// A table of these columns without lines.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// This table with what is said of all of it.
    pub(crate) fn captioned(self, caption: impl Into<String>) -> Self {
        Self { caption: Some(caption.into()), ..self }
    }

    /// This table; `None` where it has no line of cells.
    pub(crate) fn if_any(self) -> Option<Self> {
        let has_row = self.rows().next().is_some();
        has_row.then_some(self)
    }

    /// Adds a line of cells, one for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.lines.push(Line::Cells(cells));
    }

    /// Adds a line of cells, one for each column; where the first has no room, these two parts of it take its
    /// place, the one on a line before and the other beside the remaining cells.
    pub fn parted_row(&mut self, cells: Vec<Cell>, parts: [String; 2]) {
        self.lines.push(Line::Parted(cells, parts));
    }

    /// Adds a line with one name that may reach over all columns of a terminal.
    pub fn head(&mut self, cell: Cell) {
        self.lines.push(Line::Heading(cell));
    }

    /// Adds a text that goes across all columns of a terminal, wrapped where it is too wide.
    pub fn span(&mut self, indent: usize, cell: Cell) {
        self.lines.push(Line::Span { indent, cell });
    }

    /// The lines that are cells.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Cell]> {
        self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) | Line::Parted(cells, _) => Some(cells.as_slice()),
            Line::Heading(_) | Line::Span { .. } => None,
        })
    }

    /// The columns that documents show, each with its index: those that say something.
    pub(crate) fn in_documents(&self) -> impl Iterator<Item = (usize, &Column)> {
        let all = self.columns.iter().enumerate();
        all.filter(move |(index, column)| column.shown_in != ShownIn::Terminals && self.says(*index))
    }

    /// Whether a column says something.
    pub(crate) fn says(&self, index: usize) -> bool {
        self.rows().any(|cells| cells.get(index).is_some_and(|cell| !cell.text.is_empty()))
    }
}
