//! The compiler: releases and CI use one version, so that lints, machine code of timed loops and sizes are comparable.
//!
//! It is checked here and not set by a rust-toolchain.toml, because rustup would download that version, hundreds of
//! megabytes, on every machine that has another one, also for a user who only builds.

use crate::step::{Finding, Setting, Status};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The other architecture, for which a test compiles the timed loops.
const OTHER: &str = "aarch64-unknown-linux-gnu";

/// Compares the compiler with that of releases. Another one is remarked upon, and fails on a CI machine, which gets the standard
/// library of the other architecture as well. Without it, or without rustup, the test that needs it says so.
pub fn check(setting: &Setting) -> Finding {
    if setting.ci {
        let _ = Command::new("rustup").args(["--quiet", "target", "add", OTHER]).status();
    }
    match versions(&setting.root) {
        Ok((present, pinned)) => judge(&present, &pinned, setting.ci),
        Err(error) => Finding::new(Status::Failed, format!("{error:#}")),
    }
}

fn judge(present: &str, pinned: &str, ci: bool) -> Finding {
    if present == pinned {
        return Finding::new(Status::Passed, present);
    }
    let status = if ci { Status::Failed } else { Status::Passed };
    let remark = format!("rustc is {present}, releases use {pinned} (`toolchain` in Cargo.toml)");
    Finding::new(status, remark)
}

/// The version of the compiler that cargo uses, and that of releases.
fn versions(root: &Path) -> Result<(String, String)> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().context("rustc")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let present = said.split_whitespace().nth(1).context("rustc says no version")?;
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let pinned = pinned(&manifest).context("Cargo.toml has no line `toolchain = \"…\"`")?;
    Ok((present.to_owned(), pinned.to_owned()))
}

fn pinned(manifest: &str) -> Option<&str> {
    let mut values = manifest.lines().filter_map(|line| line.strip_prefix("toolchain = \""));
    values.next()?.split('"').next()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn another_compiler_fails_on_a_ci_machine_alone() {
        assert_eq!(judge("1.2.3", "1.2.3", true).status, Status::Passed);
        assert_eq!(judge("1.2.4", "1.2.3", true).status, Status::Failed);
        let elsewhere = judge("1.2.4", "1.2.3", false);
        assert_eq!(elsewhere.status, Status::Passed);
        assert!(
            elsewhere.remark.contains("1.2.4") && elsewhere.remark.contains("1.2.3"),
            "{}",
            elsewhere.remark
        );
    }

    #[test]
    fn pinned_version_is_at_least_the_one_that_users_need() {
        let manifest = std::fs::read_to_string(crate::root().join("Cargo.toml")).unwrap();
        let numbers =
            |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).collect() };
        let needed = manifest.split("rust-version = \"").nth(1).unwrap();
        let needed = needed.split('"').next().unwrap();
        assert!(numbers(pinned(&manifest).unwrap()) >= numbers(needed));
        assert_eq!(pinned("[package]\n"), None);
    }
}
