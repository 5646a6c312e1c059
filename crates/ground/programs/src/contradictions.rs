//! Looks in which a right operation was contradicted and then was not: each test forgives some, `cargo xtask test` bounds the sum.

use std::fs::File;
use std::io::Write;

/// The variable with the path of the file that tests append to; `cargo xtask test` sets it.
pub const CONTRADICTIONS: &str = "OSCOPE_CONTRADICTIONS";

/// Notes that a right operation at this point was contradicted in a look that the test repeats or forgives.
///
/// # Panics
/// When the file cannot be written: a run whose notes are lost would seem better than it was.
pub fn note_contradiction(point: &str) {
    eprintln!("contradicted in this look: {point}");
    if let Some(path) = std::env::var_os(CONTRADICTIONS) {
        let line = format!("{point}\n");
        let noted = File::options().append(true).create(true).open(&path);
        // One write, so that lines of tests that run at once stay whole.
        let noted = noted.and_then(|mut file| file.write_all(line.as_bytes()));
        noted.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
