//! `cargo xtask package`: a Debian package and a tarball of the program, its manual pages, completions and documents.

mod built;
mod debian;
pub mod sbom;
pub mod tree;

use crate::command;
use anyhow::{Context, Result, ensure};
use built::Built;
use quantity::{Bytes, show_bytes};
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

/// Bytes of a program that fits on any machine: some three times what an empty command line with JSON takes, and Parquet. It goes
/// to every node of a fleet, and into images of containers.
pub const LARGEST_PROGRAM: u64 = 9 << 20;

/// What a program's size is, in words.
///
/// # Errors
/// When it is larger than this.
pub fn size_within(bytes: u64, largest: u64) -> Result<String> {
    let [is, limit] = [bytes, largest].map(|bytes| show_bytes(Bytes::from_bytes(bytes)));
    ensure!(bytes <= largest, "the program has {is}, more than {limit}");
    Ok(format!("{is} of at most {limit}"))
}

/// Builds the program and packs it into `target/package`.
///
/// # Errors
/// When it cannot be built or is too large, or a program that packs it is missing.
pub fn run(root: &Path) -> Result<bool> {
    let program = command::program(root, &["--release"])?;
    println!("{}", size_within(std::fs::metadata(&program)?.len(), LARGEST_PROGRAM)?);
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
    let built = Built::read(root, program)?;
    tree::stage(root, &built, &staging)?;
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let bill = sbom::generate(root, &target, &[])?;
    tree::put(&staging.join(tree::DOCUMENTS).join(SBOM), bill.as_bytes(), 0o644)?;
    let made = Made {
        debian: folder.join(format!("oscope_{}_{}.deb", built.version, built.architecture)),
        tarball: folder.join(format!("{}.tar.gz", built.name())),
    };
    pack(&built, &staging.join("usr"), &made.tarball)?;
    debian::control(&built, &staging)?;
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.args(["--root-owner-group", "--build"]).args([&staging, &made.debian]);
    command::run(dpkg.env("SOURCE_DATE_EPOCH", &built.seconds))?;
    std::fs::remove_dir_all(&staging).with_context(|| format!("cannot remove {}", staging.display()))?;
    Ok(made)
}

/// A tarball of a folder: the same bytes wherever and whenever it is made.
fn pack(built: &Built, folder: &Path, tarball: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"])
        .arg(format!("--mtime=@{}", built.seconds))
        .arg(format!("--transform=s,^\\.,{},", built.name()))
        .args(["--use-compress-program=gzip -n", "--create", "--file"])
        .arg(tarball)
        .arg("--directory");
    command::run(tar.arg(folder).arg("."))
}

#[cfg(test)]
mod tests;
