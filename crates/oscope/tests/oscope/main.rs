//! The command as a user sees it. Every operation for real is a program of its own, which nothing else may disturb.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod ab;
mod command;
mod compared;
mod consumers;
mod count;
mod environments;
mod exchange;
mod export;
mod fleet;
mod fleet_launch;
mod fleet_node;
mod gate;
mod history;
mod judged_again;
mod kept;
mod lint;
mod museum;
mod own;
mod phoronix;
mod predictions;
mod questions;
mod recipes;
mod records;
mod schemas;
mod screen;
mod selections;
mod sides;
mod slurm;
mod tables;
mod tails;
mod watch;
mod watch_service;

use assert_cmd::Command;
use std::path::Path;
use std::time::Duration;

/// A record that was measured once and is kept with the tests.
const FROZEN_RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/museum/record.jsonl");

/// The command, its records in a directory of the test; those in `/tmp` are of others.
fn oscope(state: &Path) -> Command {
    let mut command = Command::cargo_bin("oscope").unwrap();
    command.env("XDG_STATE_HOME", state).env("TMPDIR", state).env_remove("COLUMNS");
    command.timeout(Duration::from_secs(120));
    command
}

/// What a command line of the shell writes to a terminal of this size: a pseudo-terminal, which `script` of util-linux opens.
fn on_a_terminal(state: &Path, (columns, lines): (usize, usize), command: &str) -> String {
    let command = format!("stty cols {columns} rows {lines}; {command}");
    let ran = programs::command("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_STATE_HOME", state)
        .env_remove("COLUMNS")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, standard output and standard error.
fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// The standard output of a command that must succeed.
#[track_caller]
fn said(state: &Path, words: &[&str]) -> String {
    let (code, said, errors) = outcome(oscope(state).args(words));
    assert_eq!(code, 0, "{words:?}: {errors}");
    said
}

/// The standard error of a command that must end with this code.
#[track_caller]
fn refused(state: &Path, words: &[&str], code: i32) -> String {
    let (ended, said, errors) = outcome(oscope(state).args(words));
    assert_eq!(ended, code, "{words:?}: {said} {errors}");
    errors
}

/// Measures points into a record of this name; gives its path.
#[track_caller]
fn measured(state: &Path, name: &str, words: &[&str]) -> String {
    let path = state.join(name).to_str().unwrap().to_owned();
    said(state, &[&["run", "--quiet", "--output", &path], words].concat());
    path
}
