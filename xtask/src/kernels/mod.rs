//! `cargo xtask kernels`: neighbouring kernels of Debian, counted pairwise for docs/KERNELS.md.

mod build;
mod counts;
mod kernel_count;
mod planted;

use crate::command::{output, program};
use crate::lab::debian::{Kernel, Packages, find};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use planted::run as plant;

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

/// A function that changed, and the change of the stable release that did it, by the changelog of Debian's package.
struct Reason {
    /// The package of the second kernel.
    package: &'static str,
    function: &'static str,
    /// Its title.
    change: &'static str,
    /// The version of Debian's package that brought it.
    version: &'static str,
}

const fn reason(
    package: &'static str,
    function: &'static str,
    change: &'static str,
    version: &'static str,
) -> Reason {
    Reason { package, function, change, version }
}

const REASONS: [Reason; 6] = [
    reason(LINES[0][1], "epi_fget", "eventpoll: move epi_fget() up", "6.1.180-1"),
    reason(LINES[0][1], "xa_destroy", "fs: Free any excess xarray nodes in clear_inode()", "6.1.192-1"),
    reason(
        LINES[1][1],
        "file_set_fsnotify_mode",
        "fsnotify: opt-in for permission events at file open time",
        "6.12.105-1",
    ),
    reason(LINES[1][2], "xa_destroy", "fs: Free any excess xarray nodes in clear_inode()", "6.12.113-1"),
    reason(
        LINES[1][2],
        "send_signal_locked",
        "signal: avoid shared siginfo namespace rewrites",
        "6.12.111-1",
    ),
    reason(
        LINES[1][2],
        "mod_zone_page_state",
        "mm/mlock: use the IRQ-safe accessor for NR_MLOCK in __munlock_folio()",
        "6.12.113-1",
    ),
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
        for (two, package) in images.windows(2).zip(line.iter().skip(1)) {
            let [from, to] = two else { continue };
            add(&mut page, &oscope, &[from.as_os_str(), to.as_os_str()])?;
            page.push_str(&reasons(package, &page)?);
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

/// Counts what predictions are made of, and writes the table.
///
/// # Errors
/// When the kernel cannot be fetched or counted.
pub fn write_counts(root: &Path) -> Result<bool> {
    counts::write(root, &image(&crate::command::target(root).join("lab"), counts::PACKAGE)?)
}

/// The image of a package, fetched where it is not yet in the folder.
fn image(folder: &Path, package: &str) -> Result<PathBuf> {
    let own = folder.join("kernels").join(package);
    if let Ok(found) = find(&own.join("boot"), "vmlinuz-") {
        return Ok(found);
    }
    // Old ones are among the updates of the release, new ones among those of its security; some are there unsigned only.
    let unsigned = format!("{package}-unsigned");
    for release in ["bookworm-security", "bookworm", "trixie"] {
        let packages = Packages::fetch(folder, release, "amd64")?;
        if [package, &unsigned].iter().any(|name| packages.unpack(name, &["./boot"], &own).is_ok()) {
            break;
        }
    }
    find(&own.join("boot"), "vmlinuz-")
}

/// What made the functions change that are explained, of the kernel whose table ends the page.
fn reasons(package: &str, page: &str) -> Result<String> {
    let table = page.rsplit("\n## ").next().unwrap_or_default();
    let mut lines = String::new();
    for Reason { function, change, version, .. } in REASONS.iter().filter(|reason| reason.package == package)
    {
        ensure!(table.contains(&format!("{function} ")), "{package}: {function} did not change");
        if lines.is_empty() {
            lines.push_str("\nBy the changelog of the package:\n\n");
        }
        writeln!(lines, "- `{function}`: {change} ({version})")?;
    }
    Ok(lines)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reasons_are_of_functions_that_changed() {
        let page =
            "## a\n\n| mapping | epi_fget +9 (new) |\n\n## b\n\n| xa_destroy +60 (new), epi_fget +9 |\n";
        let lines = reasons(LINES[0][1], page).unwrap();
        assert!(lines.contains("- `epi_fget`: eventpoll: move epi_fget() up (6.1.180-1)\n"), "{lines}");
        assert_eq!(lines.lines().filter(|line| line.starts_with("- ")).count(), 2);
        assert!(reasons(LINES[0][1], "## b\n\n| xa_destroy +60 |\n").is_err());
        assert_eq!(reasons(LINES[0][2], page).unwrap(), "");
    }

    #[test]
    fn every_reason_is_of_a_kernel_that_is_counted_as_the_second() {
        let seconds: Vec<&str> = LINES.iter().flat_map(|line| line.iter().skip(1)).copied().collect();
        assert!(REASONS.iter().all(|reason| seconds.contains(&reason.package)));
    }
}
