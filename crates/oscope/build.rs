//! Notes how the program is built, and from which commit, where there is one.

use std::process::Command;

/// What cargo says of a build, and the name under which the program has it.
const OF_BUILD: [(&str, &str); 3] = [
    ("TARGET", "OSCOPE_TARGET"),
    ("PROFILE", "OSCOPE_PROFILE"),
    ("CARGO_CFG_TARGET_FEATURE", "OSCOPE_FEATURES"),
];

fn main() {
    for (from, to) in OF_BUILD {
        println!("cargo:rustc-env={to}={}", std::env::var(from).unwrap_or_default());
    }
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/refs/heads");
    let said = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    if let Ok(output) = said
        && output.status.success()
    {
        println!("cargo:rustc-env=OSCOPE_COMMIT={}", String::from_utf8_lossy(&output.stdout).trim());
    }
}
