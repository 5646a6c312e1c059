//! A fleet: its types, its odd machines and what they are a sign of, how far machines and runs lie apart.

mod blocks;
mod json;
mod machines;
mod problems;
mod view;

use crate::document::{html, markdown, terminal};
use crate::page::Page;
use crate::style::Style;
pub use json::fleet_json;
use std::io::{self, Write};
pub use view::FleetView;

/// Writes a fleet for a terminal of this width.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet_terminal(
    view: &FleetView<'_>,
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    terminal::write(&blocks::document(view), &mut Page { width, style, out })
}

/// Writes a fleet as Markdown.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet_markdown(view: &FleetView<'_>, out: &mut dyn Write) -> io::Result<()> {
    markdown::write(&blocks::document(view), out)
}

/// Writes a fleet as one page that a browser shows.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet_html(view: &FleetView<'_>, out: &mut dyn Write) -> io::Result<()> {
    html::write(&format!("oscope: fleet {}", view.folder), &blocks::document(view), out)
}
