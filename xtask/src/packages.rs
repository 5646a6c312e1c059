//! The Debian packages that tests need: which are there, and installing those that are not.

use programs::{PACKAGES, Package};
use std::process::Command;

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

/// Looks for all packages, and installs what is missing where that is allowed; what starts servers on CI machines alone.
pub fn find_or_install(ci: bool) -> Found {
    let absent = missing(PACKAGES);
    if absent.is_empty() {
        return Found::All;
    }
    let wanted = unasked(&absent, ci);
    if let Err(why) = install(&wanted) {
        return Found::Missing(absent, why);
    }
    if wanted.len() < absent.len() {
        let left = missing(&absent);
        return Found::Missing(left, "packages with servers are not installed unasked".to_owned());
    }
    match missing(&absent) {
        still if still.is_empty() => Found::Installed(absent),
        still => Found::Missing(still, "apt-get installed them, but they are still not there".to_owned()),
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

/// Those of some packages that may be installed without being asked for.
fn unasked(packages: &[Package], ci: bool) -> Vec<Package> {
    let may = packages.iter().filter(|package| ci || !package.is_server);
    may.copied().collect()
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

/// Whether every program of a package is there, however it came.
fn is_there(package: &Package) -> bool {
    package.programs.iter().all(|program| programs::locate(program).is_some())
}

/// What scripts of packages ask before they start a server (invoke-rc.d(8)); 101 says no.
const SERVER_POLICY: &str = "/usr/sbin/policy-rc.d";

/// Keeps servers from being started until it is dropped.
struct NoServers {
    is_own: bool,
}

impl NoServers {
    fn begin() -> Result<Self, String> {
        use std::os::unix::fs::PermissionsExt;
        let policy = std::path::Path::new(SERVER_POLICY);
        if policy.exists() {
            return Ok(Self { is_own: false });
        }
        let executable = std::fs::Permissions::from_mode(0o755);
        let written = std::fs::write(policy, "#!/bin/sh\nexit 101\n");
        written
            .and_then(|()| std::fs::set_permissions(policy, executable))
            .map_err(|error| format!("{SERVER_POLICY}: {error}"))?;
        Ok(Self { is_own: true })
    }
}

impl Drop for NoServers {
    fn drop(&mut self) {
        if self.is_own {
            let _ = std::fs::remove_file(SERVER_POLICY);
        }
    }
}

fn install(packages: &[Package]) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    if programs::locate("apt-get").is_none() {
        return Err("there is no apt-get here".to_owned());
    }
    if !is_root() {
        return Err("only root may run apt-get".to_owned());
    }
    let has_servers = packages.iter().any(|package| package.is_server);
    let _policy = has_servers.then(NoServers::begin).transpose()?;
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

/// Packages of Python that tests need, with their versions.
const PYTHON: [(&str, &str); 1] = [("duckdb", "duckdb==1.4.2")];

/// Puts the packages of Python that tests need into a directory of the project, where they are not there yet.
///
/// # Errors
/// When that does not work, as without a network.
pub fn python_packages(root: &std::path::Path) -> Result<(), String> {
    let folder = root.join("target/test-python");
    let absent = PYTHON.iter().filter(|(module, _)| !folder.join(module).is_dir());
    let absent: Vec<&str> = absent.map(|(_, package)| *package).collect();
    if absent.is_empty() {
        return Ok(());
    }
    let mut command = Command::new(programs::PYTHON);
    command.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder).args(&absent);
    crate::cargo::succeed(command).map_err(|why| format!("{} ({why})", absent.join(" ")))
}

/// Whether root runs this. The kernel names the owner of a process by the owner of its folder.
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Package = Package {
        name: "no-such-package-at-all",
        programs: &["sh", "no-such-program-at-all"],
        tests: "none",
        is_server: false,
    };

    #[test]
    fn packages_with_servers_are_installed_unasked_on_ci_machines_alone() {
        let server = Package { is_server: true, ..ABSENT };
        assert_eq!(unasked(&[ABSENT, server], false), [ABSENT]);
        assert_eq!(unasked(&[ABSENT, server], true), [ABSENT, server]);
    }

    #[test]
    fn package_without_one_of_its_programs_is_missing() {
        let shell = Package { programs: &["sh"], ..ABSENT };
        assert_eq!(missing(&[ABSENT, shell]), [ABSENT]);
        assert_eq!(names(&[ABSENT, ABSENT]), "no-such-package-at-all no-such-package-at-all");
    }
}
