//! The program as one static file, which runs on any Linux of its architecture.

use crate::cargo;
use anyhow::{Result, anyhow, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the static program of an architecture; `OSCOPE_AARCH64` or `OSCOPE_X86_64` names one that is built already.
///
/// # Errors
/// When the standard library of that architecture is not there, or it cannot be built.
pub fn build(root: &Path, architecture: &str) -> Result<PathBuf> {
    let given = format!("OSCOPE_{}", architecture.to_uppercase());
    if let Some(path) = std::env::var_os(&given) {
        return Ok(path.into());
    }
    let target = format!("{architecture}-unknown-linux-gnu");
    ensure!(
        has_standard_library(&target),
        "no standard library for {target}: `rustup target add {target}`, or {given}=PROGRAM (see CONTRIBUTING.md)"
    );
    // In a folder of its own, because other flags would have everything compiled anew.
    let mut cargo = cargo::cargo(root, &[]);
    cargo
        .env("CARGO_TARGET_DIR", cargo::target(root).join("static"))
        .env("RUSTFLAGS", "-C target-feature=+crt-static");
    if architecture != std::env::consts::ARCH {
        let linker = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
        if std::env::var_os(&linker).is_none() {
            cargo.env(linker, format!("{architecture}-linux-gnu-gcc"));
        }
    }
    // Without Parquet: it is what goes to every node, and tables are made where the records are.
    let options = ["--release", "--no-default-features", "--target", &target];
    cargo::program_by(cargo, &options).map_err(|why| anyhow!(why))
}

/// Whether Rust's standard library for a target is installed.
pub fn has_standard_library(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}
