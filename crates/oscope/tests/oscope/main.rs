//! The command as a user sees it. Every operation for real is a program of its own, which nothing else may disturb.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod command;
mod compared;
mod environments;
mod export;
mod fleet;
mod fleet_launch;
mod fleet_node;
mod judged_again;
mod lint;
mod museum;
mod predictions;
mod questions;
mod screen;
mod slurm;
mod tables;

use assert_cmd::Command;
use std::path::Path;
use std::time::Duration;

/// The command, its newest record in a directory of the test.
fn oscope(state: &Path) -> Command {
    let mut command = Command::cargo_bin("oscope").unwrap();
    command.env("XDG_STATE_HOME", state).env_remove("COLUMNS").timeout(Duration::from_secs(120));
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, standard output and standard error.
fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}
