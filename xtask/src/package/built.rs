//! The program that is packed.

use crate::command::output;
use anyhow::{Context, Result};
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
    pub fn read(root: &Path, program: &Path) -> Result<Self> {
        let program = std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        let of_commit = [("--format=%ct", "0"), ("--format=%cD", "Thu, 01 Jan 1970 00:00:00 +0000")];
        let [seconds, date] = of_commit.map(|(form, otherwise)| {
            let said = output(Command::new("git").args(["log", "-1", form]).current_dir(root));
            let said = said.ok().filter(|text| !text.trim().is_empty());
            said.map_or_else(|| otherwise.to_owned(), |text| text.trim().to_owned())
        });
        Ok(Self {
            program,
            version: env!("CARGO_PKG_VERSION"),
            architecture: match std::env::consts::ARCH {
                "x86_64" => "amd64",
                "aarch64" => "arm64",
                other => other,
            },
            seconds,
            date,
        })
    }

    /// The name of the tarball and of the folder in it.
    pub fn name(&self) -> String {
        format!("oscope-{}-{}-linux", self.version, std::env::consts::ARCH)
    }
}
