//! `cargo xtask package`: a Debian package and a tarball of the program, its manual pages, completions and documents.

mod debian;
pub mod sbom;
pub mod tree;

use crate::cargo::{self, succeed};
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bill of materials beside the documents, and the end of the name of the one beside a static program.
pub const SBOM: &str = "sbom.cdx.json";

/// What was made.
#[derive(Debug)]
pub struct Made {
    /// The Debian package.
    pub debian: PathBuf,
    /// The same files for any other system.
    pub tarball: PathBuf,
}

/// Builds the program and packs it into `target/package`.
///
/// # Errors
/// When it cannot be built, or a program that packs it is missing.
pub fn run(root: &Path) -> Result<bool> {
    let program = cargo::program(root, &["--release"]).map_err(|why| anyhow!(why))?;
    let made = make(root, &program, &root.join("target/package"))?;
    println!("{}\n{}", made.debian.display(), made.tarball.display());
    Ok(true)
}

/// Packs this program into files of this folder.
///
/// # Errors
/// As [`run`].
pub fn make(root: &Path, program: &Path, folder: &Path) -> Result<Made> {
    let staging = folder.join("staging");
    if staging.exists() {
        std::fs::remove_dir_all(&staging).with_context(|| format!("cannot remove {}", staging.display()))?;
    }
    let built = Built::of(root, program)?;
    tree::stage(root, &built, &staging)?;
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let bill = sbom::of(root, &target, &[])?;
    tree::put(&staging.join(tree::DOCUMENTS).join(SBOM), bill.as_bytes(), 0o644)?;
    let made = Made {
        debian: folder.join(format!("oscope_{}_{}.deb", built.version, built.architecture)),
        tarball: folder.join(format!("{}.tar.gz", built.name())),
    };
    pack(&built, &staging.join("usr"), &made.tarball)?;
    debian::control(&built, &staging)?;
    let mut command = Command::new("dpkg-deb");
    command
        .args(["--root-owner-group", "--build"])
        .args([&staging, &made.debian]);
    finish(command.env("SOURCE_DATE_EPOCH", &built.seconds))?;
    std::fs::remove_dir_all(&staging).with_context(|| format!("cannot remove {}", staging.display()))?;
    Ok(made)
}

/// The program, and what of it the same bytes depend on.
struct Built {
    program: Vec<u8>,
    version: &'static str,
    /// As Debian calls it.
    architecture: &'static str,
    /// When the commit was made: seconds, and as mails write it.
    seconds: String,
    date: String,
}

impl Built {
    fn of(root: &Path, program: &Path) -> Result<Self> {
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
    fn name(&self) -> String {
        format!("oscope-{}-{}-linux", self.version, std::env::consts::ARCH)
    }
}

/// A tarball of a folder: the same bytes wherever and whenever it is made.
fn pack(built: &Built, folder: &Path, tarball: &Path) -> Result<()> {
    let mut command = Command::new("tar");
    command
        .args([
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--format=ustar",
        ])
        .arg(format!("--mtime=@{}", built.seconds))
        .arg(format!("--transform=s,^\\.,{},", built.name()))
        .args(["--use-compress-program=gzip -n", "--create", "--file"])
        .arg(tarball)
        .arg("--directory")
        .arg(folder)
        .arg(".");
    finish(&mut command)
}

fn finish(command: &mut Command) -> Result<()> {
    let command = std::mem::replace(command, Command::new("true"));
    succeed(command).map_err(|why| anyhow!(why))
}

#[cfg(test)]
mod tests;
