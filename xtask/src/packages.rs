//! The Debian packages that tests need: which are there, and installing those that are not.

use std::process::{Command, Stdio};

/// A package, and what cannot be tested without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Its name in Debian.
    pub name: &'static str,
    /// A program in it; where there is no dpkg, this program says whether the package is there.
    pub program: &'static str,
    /// The tests that need it.
    pub tests: &'static str,
}

/// All of them. A test that needs a further program adds its package here.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "gcc",
        program: "cc",
        tests: "all tests (gcc links them)",
    },
    Package {
        name: "util-linux",
        program: "taskset",
        tests: "tests that run workers under a prefix (taskset, unshare, setpriv)",
    },
    Package {
        name: "procps",
        program: "ps",
        tests: "tests that look for processes left behind (ps, pgrep)",
    },
    Package {
        name: "chromium",
        program: "chromium",
        tests: "tests that open the HTML report in a browser",
    },
    Package {
        name: "tidy",
        program: "tidy",
        tests: "the test that validates the HTML report",
    },
    Package {
        name: "texlive-latex-base",
        program: "pdflatex",
        tests: "the test that compiles the LaTeX report",
    },
];

/// What became of the packages.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// All are there.
    All,
    /// These were missing and are installed now.
    Installed(Vec<Package>),
    /// These are missing, and why they could not be installed.
    Missing(Vec<Package>, String),
}

/// Looks for all packages, and installs what is missing where that is allowed.
pub fn find_or_install() -> Found {
    let absent = missing(PACKAGES);
    if absent.is_empty() {
        return Found::All;
    }
    if let Err(why) = install(&absent) {
        return Found::Missing(absent, why);
    }
    match missing(&absent) {
        still if still.is_empty() => Found::Installed(absent),
        still => Found::Missing(
            still,
            "apt-get installed them, but they are still not there".to_owned(),
        ),
    }
}

/// Installs those of some packages that are missing.
///
/// # Errors
/// When that is not allowed or does not work.
pub fn install_missing(packages: &[Package]) -> Result<(), String> {
    let absent = missing(packages);
    if absent.is_empty() {
        return Ok(());
    }
    install(&absent).map_err(|why| format!("{} ({why})", names(&absent)))
}

/// The names of packages, for a message.
pub fn names(packages: &[Package]) -> String {
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    names.join(" ")
}

fn missing(packages: &[Package]) -> Vec<Package> {
    let absent = packages.iter().filter(|package| !is_there(package));
    absent.copied().collect()
}

/// dpkg knows it, or its program is there in some other way (another distribution, or a newer compiler).
fn is_there(package: &Package) -> bool {
    quiet("dpkg", &["-s", package.name]) || on_path(package.program)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn install(packages: &[Package]) -> Result<(), String> {
    if !on_path("apt-get") {
        return Err("there is no apt-get here".to_owned());
    }
    if !is_root() {
        return Err("only root may run apt-get".to_owned());
    }
    run_apt(&["update"])?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages.iter().map(|package| package.name));
    run_apt(&arguments)
}

fn run_apt(arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    crate::cargo::succeed(command)
}

/// The kernel names the owner of a process by the owner of its folder.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn quiet(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Package = Package {
        name: "no-such-package-at-all",
        program: "no-such-program-at-all",
        tests: "none",
    };

    #[test]
    fn what_is_absent_is_found_missing() {
        let shell = Package {
            program: "sh",
            ..ABSENT
        };
        assert_eq!(missing(&[ABSENT, shell]), [ABSENT]);
    }

    #[test]
    fn every_package_is_named_once_and_says_what_needs_it() {
        for (index, package) in PACKAGES.iter().enumerate() {
            assert!(!package.tests.is_empty() && !package.program.is_empty());
            assert!(
                PACKAGES
                    .iter()
                    .skip(index + 1)
                    .all(|other| other.name != package.name)
            );
        }
        assert_eq!(
            names(PACKAGES),
            "gcc util-linux procps chromium tidy texlive-latex-base"
        );
    }
}
