//! Kernels and programs of Debian's releases, fetched by apt with a state of its own: nothing is installed.

use crate::command::{output, run};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel: a package of a release for an architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    /// Debian's release.
    pub release: &'static str,
    /// The package that depends on the newest kernel of its kind.
    pub package: &'static str,
    /// As Debian calls the architecture.
    pub architecture: &'static str,
}

const fn amd64(release: &'static str, package: &'static str) -> Kernel {
    Kernel { release, package, architecture: "amd64" }
}

const fn arm64(package: &'static str) -> Kernel {
    Kernel { release: "trixie", package, architecture: "arm64" }
}

impl Kernel {
    /// Debian 13's.
    pub const CURRENT: Self = amd64("trixie", "linux-image-amd64");
    /// Debian 12's.
    pub const PREVIOUS: Self = amd64("bookworm", "linux-image-amd64");
    /// Debian 11's.
    pub const OLDEST: Self = amd64("bullseye", "linux-image-amd64");
    /// Debian 12's for clouds: it boots in seconds.
    pub const CLOUD: Self = amd64("bookworm", "linux-image-cloud-amd64");
    /// Debian 13's with PREEMPT_RT.
    pub const REALTIME: Self = amd64("trixie", "linux-image-rt-amd64");
    /// Debian 13's for AArch64.
    pub const ARM: Self = arm64("linux-image-arm64");
    /// Debian 13's for AArch64 with pages of 16 KiB.
    pub const ARM_16K: Self = arm64("linux-image-arm64-16k");

    /// Its image, and its configuration as /boot has it; fetched where they are not yet in the folder.
    ///
    /// # Errors
    /// When a package cannot be fetched or is not as expected.
    pub fn image(&self, folder: &Path) -> Result<PathBuf> {
        let own = folder.join(format!("kernels/{}-{}", self.release, self.package));
        if let Ok(found) = find(&own.join("boot"), "vmlinuz-") {
            return Ok(found);
        }
        let packages = Packages::fetch(folder, self.release, self.architecture)?;
        let newest = packages.newest(self.package)?;
        packages.unpack(&newest, &["./boot"], &own)?;
        find(&own.join("boot"), "vmlinuz-")
    }
}

/// The static busybox of an architecture.
///
/// # Errors
/// As [`Kernel::image`].
pub fn busybox(folder: &Path, architecture: &str) -> Result<PathBuf> {
    let own = folder.join(format!("busybox-{architecture}"));
    if let Ok(found) = find(&own, "busybox") {
        return Ok(found);
    }
    let tree = own.join("unpacked");
    Packages::fetch(folder, "trixie", architecture)?.unpack("busybox-static", &["./usr/bin"], &tree)?;
    let program = own.join("busybox");
    std::fs::rename(tree.join("usr/bin/busybox"), &program).context("busybox-static has no busybox")?;
    std::fs::remove_dir_all(&tree)?;
    Ok(program)
}

/// The file of a folder whose name begins so.
pub fn find(folder: &Path, beginning: &str) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let starts =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning));
    paths.find(starts).with_context(|| format!("no {beginning}… in {}", folder.display()))
}

/// The packages of a release for an architecture.
pub struct Packages {
    options: Vec<String>,
    folder: PathBuf,
}

impl Packages {
    /// Those of a release for an architecture, with a state below the folder.
    ///
    /// # Errors
    /// When the lists cannot be fetched.
    pub fn fetch(folder: &Path, release: &str, architecture: &str) -> Result<Self> {
        let folder = folder.join(format!("apt/{release}-{architecture}"));
        for name in ["lists/partial", "cache/archives/partial"] {
            std::fs::create_dir_all(folder.join(name))?;
        }
        let archive = if release.ends_with("-security") { "debian-security" } else { "debian" };
        std::fs::write(
            folder.join("sources"),
            format!(
                "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/{archive} {release} main\n"
            ),
        )?;
        std::fs::write(folder.join("status"), "")?;
        let below = |name: &str| folder.join(name).display().to_string();
        let options = [
            ("Dir::State", folder.display().to_string()),
            ("Dir::State::status", below("status")),
            ("Dir::Cache", below("cache")),
            ("Dir::Etc::SourceList", below("sources")),
            ("Dir::Etc::SourceParts", "/dev/null".to_owned()),
            ("APT::Architecture", architecture.to_owned()),
            ("APT::Architectures", architecture.to_owned()),
            ("APT::Sandbox::User", "root".to_owned()),
            ("Acquire::Languages", "none".to_owned()),
            ("Acquire::IndexTargets::deb::DEP-11::DefaultEnabled", "false".to_owned()),
        ];
        let this =
            Self { options: options.map(|(name, value)| format!("--option={name}={value}")).into(), folder };
        this.apt_get(&["update"])?;
        Ok(this)
    }

    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).current_dir(&self.folder);
        command
    }

    fn apt_get(&self, words: &[&str]) -> Result<()> {
        run(self.apt("apt-get").arg("--quiet=2").args(words))
    }

    /// The package of a kernel that another one depends on.
    ///
    /// # Errors
    /// When it depends on none.
    pub fn newest(&self, package: &str) -> Result<String> {
        let text = output(self.apt("apt-cache").args(["depends", package]))?;
        dependency(&text).with_context(|| format!("{package} depends on no kernel: {text}"))
    }

    /// Fetches a package, and unpacks what is below some of its folders, which may be patterns.
    ///
    /// # Errors
    /// When it cannot be fetched, or has nothing there.
    pub fn unpack(&self, package: &str, below: &[&str], into: &Path) -> Result<()> {
        std::fs::create_dir_all(into)?;
        self.apt_get(&["download", package])?;
        let file = find(&self.folder, &format!("{package}_"))?;
        // The kernel alone is a tenth of its package.
        let shell =
            "dpkg-deb --fsys-tarfile \"$1\" | { cd \"$2\" && shift 2 && tar --extract --wildcards \"$@\"; }";
        let mut command = Command::new("sh");
        run(command.args(["-c", shell, "sh"]).args([&file, into]).args(below)).context(package.to_owned())?;
        Ok(std::fs::remove_file(&file)?)
    }

    /// Fetches packages with all that they depend on, and unpacks them into one tree.
    ///
    /// # Errors
    /// When one cannot be fetched.
    pub fn unpack_with_dependencies(&self, packages: &[&str], into: &Path) -> Result<()> {
        let words = ["install", "--download-only", "--no-install-recommends", "--yes"];
        self.apt_get(&[&words, packages].concat())?;
        std::fs::create_dir_all(into)?;
        let archives = self.folder.join("cache/archives");
        for entry in std::fs::read_dir(&archives)? {
            let file = entry?.path();
            if file.extension().is_none_or(|extension| extension != "deb") {
                continue;
            }
            run(Command::new("dpkg-deb").arg("--extract").args([file.as_path(), into]))?;
            std::fs::remove_file(&file)?;
        }
        Ok(())
    }
}

/// The kernel that a package depends on, as `apt-cache depends` lists it.
fn dependency(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let mut depends = lines.filter_map(|line| line.strip_prefix("Depends: "));
    let name = depends.find(|name| name.starts_with("linux-image-"))?;
    // Another architecture's name ends with it.
    Some(name.split(':').next().unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_kernel_is_what_the_package_depends_on() {
        let text = "linux-image-arm64:arm64\n  Depends: linux-image-6.12.1+deb13-arm64:arm64\n";
        assert_eq!(dependency(text).unwrap(), "linux-image-6.12.1+deb13-arm64");
        assert_eq!(dependency("linux-image-x\n  Suggests: linux-image-y\n"), None);
    }
}
