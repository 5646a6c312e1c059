//! Running commands, and cargo among them: to their end, or with their output read while it streams through.

use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

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
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    succeeded(command, status)
}

/// What a command writes to its standard output.
///
/// # Errors
/// As [`run`], with what it complained about.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| cannot_start(command))?;
    succeeded(command, output.status)
        .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command to its end and hands over every line of its standard output as it comes.
///
/// # Errors
/// As [`run`], after all lines have been handed over.
pub fn stream(command: &mut Command, mut take: impl FnMut(&str)) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_start(command))?;
    if let Some(output) = child.stdout.take() {
        let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
        lines.for_each(|line| take(&String::from_utf8_lossy(&line)));
    }
    let status = child.wait().with_context(|| words(command))?;
    succeeded(command, status)
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "{} ended with {status}", words(command));
    Ok(())
}

/// Builds the program with these arguments of cargo, and gives its path.
///
/// # Errors
/// When that does not work.
pub fn program(root: &Path, arguments: &[&str]) -> Result<PathBuf> {
    program_by(cargo(root, &[]), arguments)
}

/// As [`program`], by this cargo: its environment says into which folder, and with which flags.
///
/// # Errors
/// When that does not work.
pub fn program_by(cargo: Command, arguments: &[&str]) -> Result<PathBuf> {
    built_by(cargo, &[&["--package", "oscope"], arguments].concat())
}

/// The program that the tests start. Its features are those of the whole workspace: nothing is compiled for it alone.
///
/// # Errors
/// When it cannot be built.
pub fn tested_program(root: &Path) -> Result<PathBuf> {
    built_by(cargo(root, &[]), &["--workspace", "--bin", "oscope"])
}

fn built_by(mut cargo: Command, arguments: &[&str]) -> Result<PathBuf> {
    let build = ["build", "--message-format", "json-render-diagnostics"];
    let mut found = None;
    stream(cargo.args(build).args(arguments), |line| {
        found = executable(line).or(found.take());
    })?;
    found.context("the package oscope builds no program called oscope")
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

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", words(command))
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = programs::command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_are_handed_over_also_when_the_command_fails() {
        let mut lines = Vec::new();
        let failed = stream(&mut shell("echo one; printf two; exit 3"), |line| lines.push(line.to_owned()));
        assert_eq!(lines, ["one", "two"]);
        let why = failed.unwrap_err().to_string();
        assert!(why.contains("sh -c") && why.contains('3'), "{why}");
    }

    #[test]
    fn failure_is_reported() {
        run(&mut shell("exit 0")).unwrap();
        assert!(run(&mut shell("exit 1")).is_err());
        assert_eq!(output(&mut shell("echo yes; echo no >&2")).unwrap(), "yes\n");
        assert!(format!("{:#}", output(&mut shell("echo no >&2; exit 1")).unwrap_err()).contains("no: `sh"));
        let absent = run(&mut programs::command("/nonexistent/program"));
        assert!(absent.unwrap_err().to_string().contains("cannot start"));
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
