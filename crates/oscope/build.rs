//! Notes the commit from which the program is built, where there is one.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/refs/heads");
    let said = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output();
    if let Ok(output) = said
        && output.status.success()
    {
        println!(
            "cargo:rustc-env=OSCOPE_COMMIT={}",
            String::from_utf8_lossy(&output.stdout).trim()
        );
    }
}
