//! The published schemas, by Debian's validator.

use crate::permissions::can;
use crate::start::command;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// Another one before it on the `PATH` may be a script that needs more than declared programs.
const VALIDATOR: &str = "/usr/bin/jsonschema";

/// Whether the validator is here. If not, says that the test is left out; where none may be, fails.
///
/// # Panics
/// As [`can`].
#[track_caller]
pub fn can_validate() -> bool {
    can("Debian's jsonschema (package python3-jsonschema)", Path::new(VALIDATOR).exists())
}

/// What the validator finds wrong with a JSON document by a file of `docs/schema`; `None` where all is as the schema says.
///
/// # Panics
/// When the validator cannot be run.
#[track_caller]
pub fn violations(schema: &str, document: &str) -> Option<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/schema").join(schema);
    let mut command = command(VALIDATOR);
    command.args(["--instance", "/dev/stdin"]).arg(&schema);
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let ended = started.and_then(|mut child| {
        if let Some(mut input) = child.stdin.take() {
            input.write_all(document.as_bytes())?;
        }
        child.wait_with_output()
    });
    match ended {
        Ok(ended) if ended.status.success() => None,
        Ok(ended) => Some(String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned()),
        Err(error) => panic!("{VALIDATOR}: {error}"),
    }
}
