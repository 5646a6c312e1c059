//! A fleet: its types, its odd machines and what they are a sign of, how far machines and runs lie apart.

mod blocks;
mod json;
mod machines;
mod problems;
mod signs;
mod view;

use crate::document::{Form, write};
#[cfg(feature = "schema")]
pub use json::fleet_schema;
use std::io::{self, Write};
pub use view::FleetView;

/// Writes a fleet.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet(view: &FleetView<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Json => json::write(view, out),
        _ => write(&blocks::document(view), form, out),
    }
}
