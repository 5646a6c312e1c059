//! A control group with a limit on memory, made for one measurement and removed after it.

use measure::Failure;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How the names of groups begin; keepers remove no others.
const PREFIX: &str = "oscope-";

/// What helps where no group can be made.
const REMEDY: &str = "run as root, or where a control group with the memory controller is delegated to you \
                      (systemd-run --user --scope -p Delegate=yes)";

/// A group; removed when dropped, and by the run's keeper when this process is killed.
#[derive(Debug)]
pub struct MemoryGroup {
    path: PathBuf,
    /// Version 2 of control groups names its files otherwise.
    is_second: bool,
}

/// Where groups of one version are mounted, and where this process is in them.
struct Hierarchy {
    mount: PathBuf,
    own: String,
    is_second: bool,
}

impl Hierarchy {
    /// Those that know of memory, by the lists of mounts and of this process's groups.
    fn all(mounts: &str, groups: &str) -> Vec<Self> {
        let own = |is_own: &dyn Fn(&str) -> bool| {
            groups.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':');
                let controllers = parts.nth(1)?;
                is_own(controllers).then(|| parts.next().unwrap_or("/").to_owned())
            })
        };
        let found = mounts.lines().filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let mount = PathBuf::from(before.split(' ').nth(4)?);
            let mut after = after.split(' ');
            let (kind, options) = (after.next()?, after.nth(1)?);
            let is_second = kind == "cgroup2";
            let is_memory = kind == "cgroup" && options.split(',').any(|option| option == "memory");
            let own = if is_second {
                own(&|controllers| controllers.is_empty())
            } else {
                own(&|controllers| controllers.split(',').any(|name| name == "memory"))
            };
            (is_second || is_memory).then_some(Self {
                mount,
                own: own?,
                is_second,
            })
        });
        found.collect()
    }

    /// Groups in which a new one may be made: this process's own, and those above it.
    fn parents(&self) -> Vec<PathBuf> {
        let own = self.mount.join(self.own.trim_start_matches('/'));
        let above = own.ancestors().take_while(|path| path.starts_with(&self.mount));
        above.map(Path::to_owned).collect()
    }

    /// Whether children of a group may have a limit on memory.
    fn gives_memory(&self, parent: &Path) -> bool {
        let control = || fs::read_to_string(parent.join("cgroup.subtree_control")).unwrap_or_default();
        !self.is_second || control().split_whitespace().any(|name| name == "memory")
    }
}

impl MemoryGroup {
    /// A new group with a limit in bytes. Its path is noted in the run's directory first, for the keeper.
    ///
    /// # Errors
    /// A skip, when no group may be made here.
    pub fn new(limit: u64, folder: &Path) -> Result<Self, Failure> {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let hierarchies = Hierarchy::all(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"));
        let name = format!("{PREFIX}{}", std::process::id());
        let mut refusal = "no control groups with the memory controller are mounted".to_owned();
        for hierarchy in &hierarchies {
            for parent in hierarchy
                .parents()
                .iter()
                .filter(|parent| hierarchy.gives_memory(parent))
            {
                let path = parent.join(&name);
                note(folder, &path);
                if let Err(error) = fs::create_dir(&path) {
                    refusal = format!("{}: {error}", path.display());
                    continue;
                }
                let group = Self {
                    path,
                    is_second: hierarchy.is_second,
                };
                match group.limit(limit) {
                    Ok(()) => return Ok(group),
                    Err(error) => refusal = format!("{}: {error}", group.path.display()),
                }
            }
        }
        Err(Failure::skipped(
            format!("no control group with a limit on memory can be made ({refusal})"),
            REMEDY,
        ))
    }

    fn limit(&self, bytes: u64) -> std::io::Result<()> {
        let file = if self.is_second {
            "memory.max"
        } else {
            "memory.limit_in_bytes"
        };
        fs::write(self.path.join(file), bytes.to_string())?;
        if self.is_second {
            // Where there is no swap there is no such file.
            let _ = fs::write(self.path.join("memory.swap.max"), "0");
        }
        Ok(())
    }

    /// Moves the calling process into it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn enter(&self) -> Result<(), Failure> {
        let entered = fs::write(self.path.join("cgroup.procs"), std::process::id().to_string());
        entered.map_err(|error| {
            Failure::skipped(format!("the control group cannot be entered: {error}"), REMEDY)
        })
    }

    /// Bytes of files that the kernel has charged to it.
    pub fn file_bytes(&self) -> Option<u64> {
        let text = fs::read_to_string(self.path.join("memory.stat")).ok()?;
        let key = if self.is_second { "file " } else { "cache " };
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.trim().parse().ok())
    }
}

/// The smallest limit on memory of the groups in which this process is, in bytes; `None` where there is none.
pub fn own_limit() -> Option<u64> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let (mounts, groups) = (Path::new("/proc/self/mountinfo"), Path::new("/proc/self/cgroup"));
    let hierarchies = Hierarchy::all(&read(mounts), &read(groups));
    let files = hierarchies.iter().flat_map(|hierarchy| {
        let name = if hierarchy.is_second {
            "memory.max"
        } else {
            "memory.limit_in_bytes"
        };
        hierarchy
            .parents()
            .into_iter()
            .map(move |parent| parent.join(name))
    });
    files.filter_map(|file| read(&file).trim().parse().ok()).min()
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // Somebody who has just left may still be counted.
        for _ in 0..50 {
            if fs::remove_dir(&self.path).is_ok() || !self.path.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}

/// The file in a run's directory that names the groups which it may have left.
pub const NOTES: &str = "groups";

fn note(folder: &Path, group: &Path) {
    let file = fs::File::options()
        .append(true)
        .create(true)
        .open(folder.join(NOTES));
    // Without a note the group is removed by this process alone.
    let _ = file.and_then(|mut file| writeln!(file, "{}", group.display()));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FIRST: &str = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                         36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n";

    #[test]
    fn the_first_version_is_found_and_its_own_group_comes_first() {
        let found = Hierarchy::all(FIRST, "8:pids:/\n4:memory:/a/b\n0::/\n");
        assert_eq!(found.len(), 1);
        let parents = found.first().unwrap().parents();
        let expected = [
            "/sys/fs/cgroup/memory/a/b",
            "/sys/fs/cgroup/memory/a",
            "/sys/fs/cgroup/memory",
        ];
        assert_eq!(parents, expected.map(PathBuf::from));
    }

    #[test]
    fn the_second_version_is_found_by_its_empty_name() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let found = Hierarchy::all(mounts, "0::/user.slice/x.scope\n");
        let first = found.first().unwrap();
        assert!(first.is_second && first.own == "/user.slice/x.scope");
        assert!(Hierarchy::all(mounts, "4:memory:/\n").is_empty());
    }

    #[test]
    fn a_group_is_gone_when_it_is_dropped() {
        let folder = std::env::temp_dir();
        let Ok(group) = MemoryGroup::new(64 << 20, &folder) else {
            return;
        };
        let path = group.path.clone();
        assert!(path.exists() && group.file_bytes().is_some());
        drop(group);
        assert!(!path.exists());
        let notes = folder.join(NOTES);
        assert!(
            fs::read_to_string(&notes)
                .unwrap()
                .contains(path.to_str().unwrap())
        );
        fs::remove_file(notes).unwrap();
    }
}
