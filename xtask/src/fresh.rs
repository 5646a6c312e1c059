//! `cargo xtask fresh`: the README's two commands on a Debian that has nothing else, below a root of its own.
//!
//! debootstrap makes the smallest root from the mirror that this machine has configured, with a C compiler and
//! nothing more. The Rust toolchain is bound in, the registry of crates is copied, the commit is cloned, and the
//! commands run as they stand in the README, as on a CI machine. Mounts, processes, IPC and the host name are
//! their own. The network is this machine's: the second command installs packages, and that is what is tried here.

use crate::command::{cargo, echo, output, run as run_command};
use crate::packages;
use anyhow::{Context, Result, bail, ensure};
use programs::{Package, package};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What makes the root, the clone and the namespaces.
const TOOLS: &[Package] = &[
    package("debootstrap", "debootstrap", "commands on a fresh machine"),
    package("git", "git", "commands on a fresh machine"),
    package("util-linux", "pivot_root setpriv unshare", "commands on a fresh machine"),
];

/// Where the root lies: on a disk, for it takes some gigabytes.
const ROOTS: &str = "/var/tmp";

/// Where the clone lies below the root. Others than root may not go there, as with any home of root.
const CLONE: &str = "root/oscope";

/// Options of setpriv: the command ends with this program, and has mounts, processes, IPC and a host name of its own.
const NAMESPACES: &str =
    "--pdeathsig KILL unshare --mount --pid --ipc --uts --fork --kill-child --mount-proc";

/// Makes the root, runs the commands, and removes it however this ends; gives whether both succeeded.
///
/// # Errors
/// When there is no root to be made here, or a command does not succeed.
pub fn run(workspace: &Path) -> Result<bool> {
    ensure!(packages::is_root(), "only root may run debootstrap, mount and pivot_root");
    let readme = std::fs::read_to_string(workspace.join("README.md")).context("README.md")?;
    let commands = commands(&readme)?;
    packages::install_missing(TOOLS)?;
    run_command(&mut cargo(workspace, &["fetch", "--locked"]))?;
    let root = Root::new()?;
    echo(&format!("== a new Debian in {}", root.path.display()));
    bootstrap(&root.path)?;
    copy_registry(&root.path)?;
    clone(workspace, &root.path.join(CLONE))?;
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(workspace))?;
    let directory = format!("/{CLONE}");
    run_command(&mut inside(&root.path, sysroot.trim(), &directory, &commands))
        .context("a command of the README failed on a bare Debian: see above")?;
    echo(&format!("== both commands of the README succeeded: {}", commands.join("; ")));
    Ok(true)
}

fn in_namespaces() -> Command {
    let mut command = Command::new("setpriv");
    command.args(NAMESPACES.split(' '));
    command
}

/// Runs commands in a directory below a root, which is the root directory of namespaces of their own; the toolchain is bound in.
fn inside(root: &Path, toolchain: &str, directory: &str, commands: &[String]) -> Command {
    let mut inside = in_namespaces();
    inside.args(["sh", "-c", include_str!("fresh.sh"), "sh"]).arg(root);
    inside.args([toolchain, directory]).args(commands).stdin(Stdio::null());
    inside
}

/// The commands below the README's heading on building and testing.
fn commands(readme: &str) -> Result<Vec<String>> {
    const HEADING: &str = "## Build and test";
    let (_, section) = readme
        .split_once(&format!("\n{HEADING}\n"))
        .with_context(|| format!("the README has no section `{HEADING}`"))?;
    let section = section.split("\n## ").next().unwrap_or_default();
    let indented = section.lines().filter_map(|line| line.strip_prefix("    "));
    let commands: Vec<String> = indented.map(str::to_owned).collect();
    let are_of_cargo = commands.iter().all(|command| command.starts_with("cargo "));
    if commands.len() != 2 || !are_of_cargo {
        bail!("`{HEADING}` of the README has not two commands of cargo, but {commands:?}");
    }
    Ok(commands)
}

/// A directory that is removed when this is dropped, and by a process that waits for the end of this one otherwise.
struct Root {
    path: PathBuf,
    cleanup: Child,
}

impl Root {
    fn new() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("oscope-fresh-").tempdir_in(ROOTS)?;
        // What still runs below it is killed with this process, which takes a moment. Mounts are in other namespaces.
        let script = "trap '' INT TERM HUP; cat; n=0; \
                      until rm -rf --one-file-system \"$0\" 2>/dev/null || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.1; done";
        let cleanup = Command::new("sh")
            .args(["-c", script])
            .arg(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { path: directory.keep(), cleanup })
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        drop(self.cleanup.stdin.take());
        let _ = self.cleanup.wait();
        if self.path.exists() {
            eprintln!("xtask: {} is left behind: remove it", self.path.display());
        }
    }
}

/// Fills a root with the essential packages and a C compiler.
fn bootstrap(root: &Path) -> Result<()> {
    let (mirror, release) = mirror()?;
    let more = if mirror.starts_with("https") { ",ca-certificates" } else { "" };
    let mut command = in_namespaces();
    command.args(["debootstrap", "--variant=minbase", &format!("--include=gcc,libc6-dev{more}")]);
    run_command(command.arg(release).arg(root).arg(mirror))
}

/// The mirror of Debian that apt is configured with, and this machine's release.
fn mirror() -> Result<(String, String)> {
    let system = std::fs::read_to_string("/etc/os-release")?;
    let release = system.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let release = release.context("/etc/os-release names no release")?.trim_matches('"');
    let words = ["indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"];
    let sources = output(Command::new("apt-get").args(words))?;
    let mirror = mirror_of(&sources, release)
        .with_context(|| format!("apt is configured with no mirror of {release}"))?;
    Ok((mirror, release.to_owned()))
}

/// The first source of a release's main component, among lines of `URI RELEASE COMPONENT`.
fn mirror_of(sources: &str, release: &str) -> Option<String> {
    let lines = sources.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let mut uris = lines.filter_map(|line| match line.as_slice() {
        [uri, of, "main"] if *of == release => Some((*uri).to_owned()),
        _ => None,
    });
    uris.next()
}

/// Copies what cargo has fetched, so that nothing of it is loaded again.
fn copy_registry(root: &Path) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")));
    let from = home.context("no home of cargo")?.join("registry");
    let to = root.join("root/.cargo");
    std::fs::create_dir_all(&to)?;
    run_command(Command::new("cp").arg("-a").arg(from).arg(to))
}

/// Clones the workspace and takes its commit: what is not committed is not tried.
fn clone(workspace: &Path, to: &Path) -> Result<()> {
    let head = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(workspace))?;
    echo(&format!("== commit {}", head.trim()));
    run_command(Command::new("git").args(["clone", "--quiet", "--no-hardlinks"]).arg(workspace).arg(to))?;
    let checkout = ["checkout", "--quiet", "--detach", head.trim()];
    run_command(Command::new("git").args(checkout).current_dir(to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn commands_are_those_of_the_readme() {
        let readme = std::fs::read_to_string(crate::root().join("README.md")).unwrap();
        assert_eq!(commands(&readme).unwrap(), ["cargo build --release", "cargo xtask test"]);
    }

    #[test]
    fn readme_of_another_shape_is_refused() {
        for (text, says) in [
            ("# a\n\n    cargo a\n", "no section"),
            ("# a\n## Build and test\n\n    cargo a\n\n## More\n    cargo b\n", "not two commands"),
            ("# a\n## Build and test\n\n    cargo a\n    rm b\n", "not two commands"),
        ] {
            let said = commands(text).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
    }

    #[test]
    fn mirror_is_that_of_the_release() {
        let sources =
            "http://a/s bookworm-security main\nhttp://b/d bookworm contrib\nhttp://c/d bookworm main\n";
        assert_eq!(mirror_of(sources, "bookworm").as_deref(), Some("http://c/d"));
        assert_eq!(mirror_of(sources, "trixie"), None);
    }

    #[test]
    fn root_is_removed_also_when_it_is_not_empty() {
        let root = Root::new().unwrap();
        let path = root.path.clone();
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        std::fs::write(path.join("a/b/c"), "x").unwrap();
        drop(root);
        assert!(!path.exists());
    }

    /// In a root of this machine's programs.
    #[test]
    fn commands_have_the_root_as_their_root_directory_and_may_make_user_namespaces() {
        if !programs::can("root, to mount", packages::is_root())
            || !programs::may_make_user_namespaces()
            || !programs::may_make_containers()
        {
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        ["usr", "proc", "sys", "dev", "work"]
            .iter()
            .for_each(|name| std::fs::create_dir(path.join(name)).unwrap());
        for name in ["bin", "sbin", "lib", "lib64"] {
            std::os::unix::fs::symlink(Path::new("usr").join(name), path.join(name)).unwrap();
        }
        let words = [
            "unshare -Urfpmnui --mount-proc --kill-child -- true",
            "sh -c 'test $PWD = /work && test -d /opt/rust/bin && test ! -e /etc'",
            // The old root directory is not mounted any more.
            "sh -c 'test $(grep -c \" /[^ ]* / \" /proc/self/mountinfo) = 1'",
        ];
        let inside = inside(path, "/usr", "/work", &words.map(str::to_owned));
        let ended = programs::command("unshare")
            .args(["--mount", "sh", "-c", "mount --bind /usr \"$0/usr\" && exec \"$@\""])
            .arg(path)
            .arg(inside.get_program())
            .args(inside.get_args())
            .output()
            .unwrap();
        assert!(ended.status.success(), "{ended:?}");
    }
}
