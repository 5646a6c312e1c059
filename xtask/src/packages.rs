//! The Debian packages that tests need: which are there, and installing those that are not.

use crate::command::run;
use anyhow::{Context, Result, ensure};
use programs::{PACKAGES, Package};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// What became of the packages.
pub struct Found {
    /// These were missing and are installed now.
    pub installed: Vec<Package>,
    /// These are missing.
    pub missing: Vec<Package>,
    /// Why they could not be installed.
    pub why: String,
}

/// Looks for all packages, and installs what is missing where that is allowed; what starts servers on CI machines alone.
pub fn find_or_install(ci: bool) -> Found {
    let absent = missing(PACKAGES);
    let wanted = unasked(&absent, ci);
    let why = match install(&wanted) {
        Err(error) => format!("{error:#}"),
        Ok(()) if wanted.len() < absent.len() => "packages with servers are not installed unasked".to_owned(),
        Ok(()) => "apt-get installed them, but they are still not there".to_owned(),
    };
    let missing = missing(&absent);
    let installed = absent.into_iter().filter(|package| !missing.contains(package)).collect();
    Found { installed, missing, why }
}

/// Installs those of some packages that are missing.
///
/// # Errors
/// When that is not allowed or does not work.
pub fn install_missing(packages: &[Package]) -> Result<()> {
    let absent = missing(packages);
    install(&absent).with_context(|| format!("missing {}", names(&absent)))
}

/// Those of some packages that may be installed without being asked for.
fn unasked(packages: &[Package], ci: bool) -> Vec<Package> {
    packages.iter().filter(|package| ci || !package.is_server).copied().collect()
}

/// The names of packages, for a message.
pub fn names(packages: &[Package]) -> String {
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    names.join(" ")
}

fn missing(packages: &[Package]) -> Vec<Package> {
    packages.iter().filter(|package| !is_there(package)).copied().collect()
}

/// Whether every program of a package is there, however it came; those of Debian's Python only where Debian puts them,
/// because another one before it on the `PATH` belongs to another Python. Files of modules are on no `PATH`.
fn is_there(package: &Package) -> bool {
    let is_of_python = |program: &str| package.name.starts_with("python3-") && !program.ends_with(".py");
    package.programs().all(|program| match is_of_python(program) {
        true => Path::new("/usr/bin").join(program).is_file(),
        false => programs::locate(program).is_some(),
    })
}

/// What scripts of packages ask before they start a server (invoke-rc.d(8)); 101 says no.
const SERVER_POLICY: &str = "/usr/sbin/policy-rc.d";

/// Keeps servers from being started until it is dropped.
struct NoServers {
    is_own: bool,
}

impl NoServers {
    fn begin() -> Result<Self> {
        let is_own = !Path::new(SERVER_POLICY).exists();
        if is_own {
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::write(SERVER_POLICY, "#!/bin/sh\nexit 101\n")
                .and_then(|()| std::fs::set_permissions(SERVER_POLICY, executable))
                .context(SERVER_POLICY)?;
        }
        Ok(Self { is_own })
    }
}

impl Drop for NoServers {
    fn drop(&mut self) {
        if self.is_own {
            let _ = std::fs::remove_file(SERVER_POLICY);
        }
    }
}

fn install(packages: &[Package]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    ensure!(programs::locate("apt-get").is_some(), "there is no apt-get here");
    ensure!(is_root(), "only root may run apt-get");
    let has_servers = packages.iter().any(|package| package.is_server);
    let _policy = has_servers.then(NoServers::begin).transpose()?;
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update"])?;
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    apt(&[&["install", "--yes", "--no-install-recommends"], &names[..]].concat())
}

/// Packages of Python that tests need, with their versions.
const PYTHON: [(&str, &str); 1] = [("duckdb", "duckdb==1.4.2")];

/// Puts the packages of Python that tests need into a directory of the project, where they are not there yet.
///
/// # Errors
/// When that does not work, as without a network.
pub fn python_packages(root: &Path) -> Result<()> {
    let folder = root.join("target/test-python");
    let absent = PYTHON.iter().filter(|(module, _)| !folder.join(module).is_dir());
    let absent: Vec<&str> = absent.map(|(_, package)| *package).collect();
    if absent.is_empty() {
        return Ok(());
    }
    let mut command = Command::new(programs::PYTHON);
    command.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder).args(&absent);
    run(&mut command).with_context(|| absent.join(" "))
}

/// Whether root runs this. The kernel names the owner of a process by the owner of its folder.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use programs::package;

    const ABSENT: Package = package("no-such-package-at-all", "sh no-such-program-at-all", "none");

    #[test]
    fn packages_with_servers_are_installed_unasked_on_ci_machines_alone() {
        let server = Package { is_server: true, ..ABSENT };
        assert_eq!(unasked(&[ABSENT, server], false), [ABSENT]);
        assert_eq!(unasked(&[ABSENT, server], true), [ABSENT, server]);
    }

    #[test]
    fn package_without_one_of_its_programs_is_missing() {
        let shell = package("no-such-package-at-all", "sh", "none");
        assert_eq!(missing(&[ABSENT, shell]), [ABSENT]);
        assert_eq!(names(&[ABSENT, ABSENT]), "no-such-package-at-all no-such-package-at-all");
    }
}
