//! What is said on standard error.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line to standard error, as `eprintln!` does. A reader that is gone and a full disk end nothing: what a command found,
/// and its exit code, stand without it.
macro_rules! notice {
    ($($text:tt)*) => { $crate::notice::line(format_args!($($text)*)) };
}
pub(crate) use notice;

/// The line that [`notice!`] writes.
pub(crate) fn line(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
