//! Programs by their names: where they are, whether a test is left out for want of one, and the way to start one.

use crate::table::{PACKAGES, Package};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Directories of programs, not all of which are on every `PATH`; the last ones are of modules of Debian's Python, which are
/// there if a file of them is.
const SYSTEM_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/lib/openssh:/usr/lib/ssh:/usr/libexec/openssh:/usr/libexec:\
     /usr/share/benchmark:/usr/lib/python3/dist-packages/tap:/usr/lib/python3/dist-packages/junitparser:\
     /usr/lib/python3/dist-packages/scipy";

/// Debian's Python, whose packages `cargo xtask test` installs: another one before it on the `PATH` may be a script that needs
/// more than declared programs.
pub const PYTHON: &str = "/usr/bin/python3";

/// The name of the directory of links.
const LINKS: &str = "programs-of-tests";

/// The declared package that holds a program.
pub fn package_of(program: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|package| package.programs().any(|known| known == program))
}

/// Where a program is on this machine, declared or not.
pub fn locate(program: &str) -> Option<PathBuf> {
    let files = directories().map(|directory| directory.join(program));
    files.into_iter().find(|file| file.is_file())
}

fn directories() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A program of the tests may start another one: then the links are on its `PATH`.
    let is_named = |one: &PathBuf| one.is_absolute() && !one.ends_with(LINKS);
    let named: Vec<PathBuf> = std::env::split_paths(&path).filter(is_named).collect();
    named.into_iter().chain(std::env::split_paths(SYSTEM_PATH))
}

/// The path of a declared program.
///
/// # Panics
/// When no declared package holds it, on every machine; or when that package is not installed.
#[track_caller]
pub fn path(program: &str) -> String {
    let package = declared(program);
    let Some(path) = locate(program) else {
        panic!("`{program}` is not here: install the package {}", package.name);
    };
    path.to_string_lossy().into_owned()
}

#[track_caller]
fn declared(program: &str) -> &'static Package {
    package_of(program).unwrap_or_else(|| {
        panic!(
            "no declared package holds `{program}`: name its package in crates/ground/programs/src/table.rs, so that it is \
             installed wherever tests run"
        )
    })
}

/// A command of a declared program by its name, or of one of our own by its path, which finds declared programs only.
///
/// # Panics
/// As [`path`]; and when a path leads to a program that is not declared.
#[track_caller]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let program = Path::new(program.as_ref());
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let mut command = if program.components().count() == 1 {
        Command::new(path(&name))
    } else {
        if !is_toolchain(program) && directories().any(|directory| program.parent() == Some(&directory)) {
            declared(&name);
        }
        Command::new(program)
    };
    command.env("PATH", links());
    command
}

/// Whether a program is of the toolchain that built this, which is wherever tests run.
fn is_toolchain(program: &Path) -> bool {
    let beside = |name: &str| program == Path::new(env!("CARGO")).with_file_name(name);
    ["cargo", "rustc"].into_iter().any(beside)
}

/// Whether declared programs are installed. If not, says that the test is left out; where none may be, fails.
///
/// # Panics
/// When no declared package holds one of them, on every machine; or when one is missing on a CI machine.
#[track_caller]
pub fn installed(programs: &[&str]) -> bool {
    for program in programs {
        let package = declared(program);
        if locate(program).is_none() {
            leave_out(&format!("it needs `{program}` (package {})", package.name));
            return false;
        }
    }
    true
}

/// Says why a test is left out; where none may be, fails.
#[track_caller]
pub(crate) fn leave_out(reason: &str) {
    assert!(std::env::var_os("OSCOPE_CI").is_none(), "{reason}");
    eprintln!("left out: {reason}");
}

/// Whether a command of a declared program succeeds, which says nothing.
///
/// # Panics
/// As [`command`].
#[track_caller]
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The directory that holds a link to every declared program and nothing else, beside this test's own program.
///
/// # Panics
/// When it cannot be made.
pub fn links() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| link_all().unwrap_or_else(|error| panic!("links to the programs of tests: {error}")))
}

fn link_all() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let built = own.parent().and_then(Path::parent).unwrap_or(&own);
    let directory = built.join(LINKS);
    fs::create_dir_all(&directory)?;
    for entry in fs::read_dir(&directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A name with a dot before it is a link that another test program makes right now.
        if !name.starts_with('.') && package_of(&name).is_none() {
            fs::remove_file(entry.path())?;
        }
    }
    for program in PACKAGES.iter().flat_map(Package::programs) {
        if let Some(to) = locate(program) {
            link(&directory, program, &to)?;
        }
    }
    Ok(directory)
}

/// Makes a link unless it is there. Test programs may do this at once: all make the same link.
fn link(directory: &Path, program: &str, to: &Path) -> io::Result<()> {
    let at = directory.join(program);
    if fs::read_link(&at).is_ok_and(|old| old == to) {
        return Ok(());
    }
    let new = directory.join(format!(".{program}-{}", std::process::id()));
    std::os::unix::fs::symlink(to, &new)?;
    fs::rename(new, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(ask: fn()) -> String {
        let refused = std::panic::catch_unwind(ask).unwrap_err();
        refused.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn undeclared_program_that_is_installed_is_refused() {
        // perl is on every Debian; elsewhere the answer is the same.
        let asks: [fn(); 4] = [
            || drop(command("perl")),
            || drop(path("perl")),
            || drop(command("/usr/bin/perl")),
            || assert!(installed(&["true", "perl"])),
        ];
        for ask in asks {
            let said = refusal(ask);
            assert!(said.contains("no declared package holds `perl`"), "{said}");
        }
    }

    #[test]
    fn shell_lines_and_their_children_find_declared_programs_only() {
        let found = |line: &str| command("sh").args(["-c", line]).stderr(Stdio::null()).status();
        assert!(found("true && sh -c 'sh -c true'").is_ok_and(|status| status.success()));
        for line in ["perl --version", "sh -c 'perl --version'", "env perl --version"] {
            assert_eq!(found(line).ok().and_then(|status| status.code()), Some(127), "{line}");
        }
    }

    #[test]
    fn own_programs_are_started_by_their_path() {
        let own = std::env::current_exe().unwrap();
        let ended = command(own).arg("--list").stdout(Stdio::null()).status();
        assert!(ended.is_ok_and(|status| status.success()));
    }

    #[test]
    fn links_are_those_of_declared_programs_that_are_here() {
        let undeclared = links().join("no-such-program-at-all");
        let _ = fs::remove_file(&undeclared);
        std::os::unix::fs::symlink("/bin/sh", &undeclared).unwrap();
        let directory = link_all().unwrap();
        assert!(fs::symlink_metadata(&undeclared).is_err());
        for program in PACKAGES.iter().flat_map(Package::programs) {
            assert_eq!(directory.join(program).is_file(), locate(program).is_some(), "{program}");
        }
    }
}
