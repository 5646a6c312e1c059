//! The program as one static file, which runs on any Linux of its architecture.

use crate::command::{self, output, run};
use crate::package::{LARGEST_PROGRAM, SBOM, sbom, tree};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the static program of this machine's architecture and its bill of materials below `target/package`, and checks that it
/// loads nothing, lies anywhere and is small; if asked, also that the same commit built elsewhere has the same bytes.
///
/// # Errors
/// When it cannot be built, or is not as it should be.
pub fn make(root: &Path, again: bool) -> Result<bool> {
    let architecture = std::env::consts::ARCH;
    let built = build(root, architecture)?;
    output(Command::new(&built).arg("--version"))?;
    reports_errors(&built)?;
    let program = std::fs::read(built)?;
    judge(&program)?;
    if again {
        let elsewhere = tempfile::tempdir()?;
        let copy = elsewhere.path().join("oscope");
        run(Command::new("git").args(["clone", "--quiet"]).arg(root).arg(&copy))?;
        let second = build_below(&copy, architecture, &copy.join("target"))?;
        ensure!(std::fs::read(second)? == program, "another folder gives other bytes");
    }
    let folder = root.join("target/package");
    std::fs::create_dir_all(&folder)?;
    let name = format!("oscope-{}-{architecture}-static", env!("CARGO_PKG_VERSION"));
    let target = format!("{architecture}-unknown-linux-gnu");
    tree::put(&folder.join(&name), &program, 0o755)?;
    let bill = sbom::generate(root, &target, &OPTIONS)?;
    tree::put(&folder.join(format!("{name}.{SBOM}")), bill.as_bytes(), 0o644)?;
    println!(
        "{} ({}{})",
        folder.join(name).display(),
        quantity::show_bytes(quantity::Bytes::from_bytes(program.len() as u64)),
        if again { ", the same bytes twice" } else { "" }
    );
    Ok(true)
}

/// Whether an error ends the program with its message and its exit code, also where its backtrace is captured.
fn reports_errors(program: &Path) -> Result<()> {
    const NO_SUCH_FILE: &str = "/nonexistent/record";
    let ended = Command::new(program).args(["report", NO_SUCH_FILE]).env("RUST_BACKTRACE", "1").output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let is_reported = ended.status.code() == Some(3) && said.contains(NO_SUCH_FILE);
    ensure!(is_reported, "with RUST_BACKTRACE=1 an error ends it with {}: {said}", ended.status);
    Ok(())
}

/// Kinds of segments: PT_INTERP and PT_GNU_EH_FRAME.
const INTERPRETER: usize = 3;
const UNWIND_INDEX: usize = 0x6474_e550;

/// Whether a program is static, position-independent, with an index for unwinding, and not too large: see elf(5).
fn judge(program: &[u8]) -> Result<()> {
    let number = |at: usize, bytes: usize| {
        let field = program.get(at..at + bytes).context("it is cut off")?;
        anyhow::Ok(field.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    };
    ensure!(program.starts_with(b"\x7fELF\x02\x01"), "it is no program of 64 bits");
    ensure!(number(16, 2)? == 3, "it has its place in memory, and may lie anywhere else");
    let (table, entry, entries) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut has_index = false;
    for index in 0..entries {
        let kind = number(table + index * entry, 4)?;
        ensure!(kind != INTERPRETER, "it asks for a loader of libraries");
        has_index |= kind == UNWIND_INDEX;
    }
    ensure!(has_index, "it has no index for unwinding, without which a backtrace ends the process");
    let most = usize::try_from(LARGEST_PROGRAM)?;
    ensure!(program.len() <= most, "it has {} bytes, more than {most}", program.len());
    Ok(())
}

/// Without Parquet: tables are made where the records are.
const OPTIONS: [&str; 1] = ["--no-default-features"];

/// Builds the static program of an architecture; `OSCOPE_AARCH64` or `OSCOPE_X86_64` names one that is built already.
///
/// # Errors
/// When the standard library of that architecture is not there, or it cannot be built.
pub fn build(root: &Path, architecture: &str) -> Result<PathBuf> {
    let given = format!("OSCOPE_{}", architecture.to_uppercase());
    if let Some(path) = std::env::var_os(&given) {
        return Ok(path.into());
    }
    build_below(root, architecture, &command::target(root))
}

fn build_below(root: &Path, architecture: &str, folder: &Path) -> Result<PathBuf> {
    let target = format!("{architecture}-unknown-linux-gnu");
    ensure!(
        has_standard_library(&target),
        "no standard library for {target}: `rustup target add {target}`, or OSCOPE_{}=PROGRAM (see CONTRIBUTING.md)",
        architecture.to_uppercase()
    );
    // In a folder of its own, because other flags would have everything compiled anew.
    let mut cargo = command::cargo(root, &[]);
    cargo.env("CARGO_TARGET_DIR", folder.join("static")).env("RUSTFLAGS", flags(root));
    if architecture != std::env::consts::ARCH {
        let linker = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
        if std::env::var_os(&linker).is_none() {
            cargo.env(linker, format!("{architecture}-linux-gnu-gcc"));
        }
    }
    let options = ["--release", "--target", &target];
    command::program_by(cargo, &[&OPTIONS[..], &options].concat())
}

/// With the C library in the program; with relative relocations, packed, a twentieth of the program. The index for unwinding stays:
/// without it libgcc ends the process where a backtrace is captured, which every error does when `RUST_BACKTRACE` is set.
const SMALL: &str = "-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs";

/// The flags of the compiler: those that make it static and small, and without the names of the builder's folders in it, so that
/// the same commit gives the same bytes everywhere.
fn flags(root: &Path) -> String {
    let [cargo, rustup] = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")].map(|(name, below)| {
        let named = std::env::var_os(name).map(PathBuf::from);
        named.or_else(|| std::env::home_dir().map(|home| home.join(below)))
    });
    let folders = [(Some(root.to_owned()), "/oscope"), (cargo, "/cargo"), (rustup, "/rustup")];
    let renamed = folders.iter().filter_map(|(folder, name)| {
        let folder = folder.as_ref()?.display();
        Some(format!(" --remap-path-prefix={folder}={name}"))
    });
    SMALL.to_owned() + &renamed.collect::<String>()
}

/// Whether Rust's standard library for a target is installed.
pub fn has_standard_library(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = output(Command::new(rustc).args(["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The beginning of a program with one entry of this kind in its table.
    fn program(position: u8, kind: usize) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[16], bytes[32], bytes[54], bytes[56]) = (position, 64, 56, 1);
        bytes[64..68].copy_from_slice(&u32::try_from(kind).unwrap().to_le_bytes());
        bytes
    }

    #[test]
    fn what_loads_libraries_has_its_place_no_index_or_is_large_is_refused() {
        judge(&program(3, UNWIND_INDEX)).unwrap();
        let mut large = program(3, UNWIND_INDEX);
        large.resize(LARGEST_PROGRAM as usize + 1, 0);
        for (bytes, why) in [
            (&program(3, INTERPRETER)[..], "loader"),
            (&program(2, UNWIND_INDEX), "place"),
            (&program(3, 1), "no index"),
            (b"#!/bin/sh", "no program"),
            (&program(3, 1)[..66], "cut off"),
            (&large, "more than"),
        ] {
            assert!(judge(bytes).unwrap_err().to_string().contains(why), "{why}");
        }
    }

    /// As an error of the program with `RUST_BACKTRACE`: a program of these flags outlives it.
    #[test]
    fn a_backtrace_does_not_end_a_static_program() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("backtrace.rs");
        std::fs::write(&source, "fn main() { drop(std::backtrace::Backtrace::force_capture()); }").unwrap();
        let without_index = format!("{SMALL} -C link-arg=-Wl,--no-eh-frame-hdr");
        for (flags, ends_well) in [(SMALL, true), (&without_index, false)] {
            let built = folder.path().join("built");
            let rustc = Path::new(env!("CARGO")).with_file_name("rustc");
            let mut compile = programs::command(rustc);
            compile.args(["-C", "panic=abort", "-C", "strip=symbols"]).args(flags.split(' '));
            run(compile.arg("-o").arg(&built).arg(&source)).unwrap();
            assert_eq!(programs::command(&built).status().unwrap().success(), ends_well, "{flags}");
        }
    }
}
