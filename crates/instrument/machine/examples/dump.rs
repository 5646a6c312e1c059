//! Records the machine this runs on, or one below a directory, as a fixture: JSON on standard output.
//!
//!     cargo run -p oscope-machine --example dump > crates/instrument/machine/fixtures/name.json

use oscope_machine::{Live, dump};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let live = match std::env::args_os().nth(1) {
        Some(root) => Live::below(Path::new(&root)),
        None => Live::machine(),
    };
    match dump(&live).to_json() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
