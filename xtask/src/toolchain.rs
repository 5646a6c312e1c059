//! The compiler: releases and CI use one version, so that lints, machine code of timed loops and sizes are comparable.
//!
//! It is checked here and not set by a rust-toolchain.toml, because rustup would download that version, hundreds of
//! megabytes, on every machine that has another one, also for a user who only builds.

use crate::command::output;
use crate::step::{Setting, StepResult};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// The other architecture, for which a test compiles the timed loops.
const OTHER: &str = "aarch64-unknown-linux-gnu";

/// Compares the compiler with that of releases. Another one is remarked upon, and fails on a CI machine, which gets the standard
/// library of the other architecture as well. Without it, or without rustup, the test that needs it says so.
pub fn check(setting: &Setting) -> Result<StepResult> {
    if setting.ci {
        let _ = Command::new("rustup").args(["--quiet", "target", "add", OTHER]).status();
    }
    let (present, pinned) = versions(&setting.root)?;
    judge(&present, &pinned, setting.ci)
}

fn judge(present: &str, pinned: &str, ci: bool) -> Result<StepResult> {
    if present == pinned {
        return Ok(StepResult::passed(present));
    }
    let remark = format!("rustc is {present}, releases use {pinned} (`toolchain` in Cargo.toml)");
    ensure!(!ci, remark);
    Ok(StepResult::passed(remark))
}

/// The version of the compiler that cargo uses, and that of releases.
fn versions(root: &Path) -> Result<(String, String)> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = output(Command::new(compiler).arg("--version"))?;
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
    use crate::step::Status;

    #[test]
    fn another_compiler_fails_on_a_ci_machine_alone() {
        assert_eq!(judge("1.2.3", "1.2.3", true).unwrap().status, Status::Passed);
        assert!(judge("1.2.4", "1.2.3", true).is_err());
        let StepResult { status, remark, .. } = judge("1.2.4", "1.2.3", false).unwrap();
        assert_eq!(status, Status::Passed);
        assert!(remark.contains("1.2.4") && remark.contains("1.2.3"), "{remark}");
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
