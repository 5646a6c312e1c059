//! Compiles the plugin of QEMU by the C compiler that links Rust programs too, so that users need none. Where it cannot be
//! compiled the program has no plugin, and says so.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src/plugin.c");
    let Some(folder) = std::env::var_os("OUT_DIR") else { return };
    let plugin = Path::new(&folder).join("plugin.so");
    let compiler = std::env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--build-id=none", "-s", "-o"]);
    let ended = command.arg(&plugin).arg("src/plugin.c").status();
    if !ended.is_ok_and(|status| status.success()) {
        println!(
            "cargo::warning=the plugin of `oscope count` could not be compiled; it will count totals only"
        );
        if let Err(error) = std::fs::write(&plugin, []) {
            println!("cargo::error={}: {error}", plugin.display());
        }
    }
}
