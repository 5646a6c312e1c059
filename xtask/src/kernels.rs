//! `cargo xtask kernels`: neighbouring kernels of Debian, counted pairwise for docs/KERNELS.md.

use crate::command::{output, program};
use crate::lab::debian::{Kernel, Packages, find};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Kernels of Debian 12, each compared with the next one of its line: a release and its packages.
const LINES: [&[&str]; 2] = [
    &[
        "linux-image-6.1.0-50-cloud-amd64",
        "linux-image-6.1.0-55-cloud-amd64",
        "linux-image-6.1.0-56-cloud-amd64",
    ],
    &[
        "linux-image-6.12.100+deb12-cloud-amd64",
        "linux-image-6.12.107+deb12-cloud-amd64",
        "linux-image-6.12.115+deb12-cloud-amd64",
        "linux-image-6.12.117+deb12-cloud-amd64",
    ],
];

/// Boot options whose work is known, and the kernel that they are tried on.
const OPTIONS: [&str; 4] = ["audit=1", "init_on_alloc=1", "mitigations=auto", "slub_debug=F"];

const PAGE: &str = "docs/KERNELS.md";

/// Counts the kernels and writes the page.
///
/// # Errors
/// When a kernel cannot be fetched or does not boot.
pub fn run(root: &Path) -> Result<bool> {
    let oscope = program(root, &["--release"])?;
    let folder = crate::command::target(root).join("lab");
    let mut page = "# Kernels\n\nWritten by `cargo xtask kernels`: kernels of Debian, each compared with the next one, and boot options \
        whose work is known.\n"
        .to_owned();
    for line in LINES {
        let images = line.iter().map(|package| image(&folder, package)).collect::<Result<Vec<PathBuf>>>()?;
        for (from, to) in images.iter().zip(images.iter().skip(1)) {
            add(&mut page, &oscope, &[from.as_os_str(), to.as_os_str()])?;
        }
        if let (Some(newest), true) = (images.last(), line == LINES[1]) {
            for options in OPTIONS {
                add(&mut page, &oscope, &[newest.as_os_str(), "--append2".as_ref(), options.as_ref()])?;
            }
        }
    }
    std::fs::write(root.join(PAGE), page)?;
    Ok(true)
}

/// The kernel that the test of counted kernels boots, fetched where it is not yet there.
///
/// # Errors
/// When it cannot be fetched.
pub fn of_tests(root: &Path) -> Result<PathBuf> {
    Kernel::CLOUD.image(&crate::command::target(root).join("lab"))
}

/// The image of a package, fetched where it is not yet in the folder.
fn image(folder: &Path, package: &str) -> Result<PathBuf> {
    let own = folder.join("kernels").join(package);
    if let Ok(found) = find(&own.join("boot"), "vmlinuz-") {
        return Ok(found);
    }
    // Old ones are among the updates of the release, new ones among those of its security; some are there unsigned only.
    let unsigned = format!("{package}-unsigned");
    for release in ["bookworm-security", "bookworm"] {
        let packages = Packages::fetch(folder, release, "amd64")?;
        if [package, &unsigned].iter().any(|name| packages.unpack(name, &["./boot"], &own).is_ok()) {
            break;
        }
    }
    find(&own.join("boot"), "vmlinuz-")
}

fn add(page: &mut String, oscope: &Path, words: &[&std::ffi::OsStr]) -> Result<()> {
    let mut command = Command::new(oscope);
    command.arg("count").args(words).args(["--format", "markdown", "--quiet"]).stderr(Stdio::inherit());
    let text = output(&mut command).with_context(|| format!("oscope count {words:?}"))?;
    let text = text.replace("# oscope: ", "## ");
    // What counts are not is the last paragraph of each; the page says it once.
    let (table, limits) = text.trim_end().rsplit_once("\n\n").context("a table without its limits")?;
    if !page.contains(limits) {
        write!(page, "\n{limits}\n")?;
    }
    write!(page, "\n{}\n", table.trim_end())?;
    Ok(())
}
