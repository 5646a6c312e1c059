//! Running cargo: as it is, or with its output read while it streams through.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cargo with these arguments, in the workspace: the same cargo that runs this program, if one does.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}

/// Where cargo puts what it builds.
pub fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Runs a command to its end, its output going where ours goes.
///
/// # Errors
/// A sentence when it cannot be started or does not succeed.
pub fn succeed(mut command: Command) -> Result<(), String> {
    let status = command.status().map_err(|error| cannot_start(&command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", words(&command))) }
}

/// Runs a command to its end and hands over every line of its standard output as it comes.
///
/// # Errors
/// As [`succeed`], after all lines have been handed over.
pub fn stream(mut command: Command, mut take: impl FnMut(&str)) -> Result<(), String> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| cannot_start(&command, &error))?;
    if let Some(output) = child.stdout.take() {
        let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
        lines.for_each(|line| take(&String::from_utf8_lossy(&line)));
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", words(&command))),
        Err(error) => Err(format!("{}: {error}", words(&command))),
    }
}

/// Builds the program with these arguments of cargo, and gives its path.
///
/// # Errors
/// A sentence when that does not work.
pub fn program(root: &Path, arguments: &[&str]) -> Result<PathBuf, String> {
    program_by(cargo(root, &[]), arguments)
}

/// As [`program`], by this cargo: its environment says into which folder, and with which flags.
///
/// # Errors
/// A sentence when that does not work.
pub fn program_by(mut cargo: Command, arguments: &[&str]) -> Result<PathBuf, String> {
    let build = ["build", "--package", "oscope", "--message-format", "json-render-diagnostics"];
    let mut found = None;
    cargo.args(build).args(arguments);
    stream(cargo, |line| {
        found = executable(line).or(found.take());
    })?;
    found.ok_or_else(|| "the package oscope builds no program called oscope".to_owned())
}

/// The path of the program, if this line of cargo's messages tells it.
fn executable(line: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let name = message.get("target")?.get("name")?.as_str()?;
    let path = message.get("executable")?.as_str()?;
    (name == "oscope").then(|| Path::new(path).to_owned())
}

/// Prints a line at once, so that what streams through is not held back. A reader that is gone is no
/// reason to stop checking.
pub fn echo(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", words(command))
}

fn words(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let all = std::iter::once(name).chain(command.get_args());
    let all: Vec<_> = all.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = programs::command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_are_handed_over_also_when_the_command_fails() {
        let mut lines = Vec::new();
        let result = stream(shell("echo one; printf two; exit 3"), |line| {
            lines.push(line.to_owned());
        });
        assert_eq!(lines, ["one", "two"]);
        assert!(result.is_err_and(|why| why.contains("sh -c") && why.contains('3')));
    }

    #[test]
    fn failure_is_reported() {
        assert_eq!(succeed(shell("exit 0")), Ok(()));
        assert!(succeed(shell("exit 1")).is_err());
        assert!(
            succeed(programs::command("/nonexistent/program")).is_err_and(|why| why.contains("cannot start"))
        );
    }

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"oscope"},"executable":"/t/oscope"}"#;
        assert_eq!(executable(line), Some(PathBuf::from("/t/oscope")));
        for other in [
            r#"{"target":{"name":"oscope"},"executable":null}"#,
            r#"{"target":{"name":"build-script"},"executable":"/t/x"}"#,
            r#"{"reason":"build-finished","success":true}"#,
            "not json",
        ] {
            assert_eq!(executable(other), None, "{other}");
        }
    }
}
