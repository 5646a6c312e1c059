//! The program that is packed.

use crate::cargo::succeed;
use anyhow::{Context, Result, anyhow};
use std::path::Path;
use std::process::Command;

/// The program, and what of it the same bytes depend on.
pub struct Built {
    pub program: Vec<u8>,
    pub version: &'static str,
    /// As Debian calls it.
    pub architecture: &'static str,
    /// When the commit was made: seconds, and as mails write it.
    pub seconds: String,
    pub date: String,
}

impl Built {
    pub fn of(root: &Path, program: &Path) -> Result<Self> {
        let program = std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        let of_commit = |form: &str| {
            let mut git = Command::new("git");
            let said = git.args(["log", "-1", form]).current_dir(root).output().ok()?;
            let text = String::from_utf8(said.stdout).ok()?.trim().to_owned();
            (said.status.success() && !text.is_empty()).then_some(text)
        };
        let or = |text: Option<String>, otherwise: &str| text.unwrap_or_else(|| otherwise.to_owned());
        Ok(Self {
            program,
            version: env!("CARGO_PKG_VERSION"),
            architecture: match std::env::consts::ARCH {
                "x86_64" => "amd64",
                "aarch64" => "arm64",
                other => other,
            },
            seconds: or(of_commit("--format=%ct"), "0"),
            date: or(of_commit("--format=%cD"), "Thu, 01 Jan 1970 00:00:00 +0000"),
        })
    }

    /// The name of the tarball and of the folder in it.
    pub fn name(&self) -> String {
        format!("oscope-{}-{}-linux", self.version, std::env::consts::ARCH)
    }
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Result<()> {
    let command = std::mem::replace(command, Command::new("true"));
    succeed(command).map_err(|why| anyhow!(why))
}
