//! Notes which compiler compiles the program, and how far it optimises.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=RUSTC");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    if let Ok(version) = version
        && !version.is_empty()
    {
        println!("cargo::rustc-env=OSCOPE_COMPILER={version}, opt-level {level}");
    }
}
