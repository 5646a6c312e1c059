//! Views of a comparison of records: terminal, Markdown, page, CSV, JSON.

mod cells;
mod csv;
mod decomposed;
mod document;
mod forest;
mod json;
mod matrix;
mod summary;
mod view;

pub use self::csv::{COMPARISON_COLUMNS, comparison_csv};
pub use decomposed::decompositions_terminal;
pub use document::{comparison_html, comparison_latex, comparison_markdown, comparison_terminal};
pub use json::comparison_json;
pub use view::{ComparedRecord, ComparedView};
