//! Control groups of this process, of version 2 and of the hierarchies of version 1: see cgroups(7).

use std::fs;
use std::path::{Path, PathBuf};

/// The mount of one hierarchy, and this process's group in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    mount: PathBuf,
    /// The path below the mount.
    own: String,
    /// Whether it is the one of version 2, with other file names.
    pub is_v2: bool,
}

impl Hierarchy {
    /// Those of this process that have a controller, or may: version 1 with this controller, and version 2.
    pub fn of_this_process(controller: &str) -> Vec<Self> {
        let [mounts, groups] = ["/proc/self/mountinfo", "/proc/self/cgroup"]
            .map(|path| fs::read_to_string(path).unwrap_or_default());
        Self::all(&mounts, &groups, controller)
    }

    /// The same from /proc/self/mountinfo and /proc/self/cgroup.
    fn all(mounts: &str, groups: &str, controller: &str) -> Vec<Self> {
        let names = |list: &str| list.split(',').any(|name| name == controller);
        let found = mounts.lines().filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let mut before = before.split(' ').skip(3);
            let (root, mount) = (before.next()?, PathBuf::from(before.next()?));
            let mut after = after.split(' ');
            let (kind, options) = (after.next()?, after.nth(1)?);
            let is_v2 = kind == "cgroup2";
            let is_wanted = is_v2 || kind == "cgroup" && names(options);
            let own = groups.lines().filter(|_| is_wanted).find_map(|line| {
                let mut parts = line.splitn(3, ':').skip(1);
                let (controllers, path) = (parts.next()?, parts.next()?);
                let is_own = if is_v2 { controllers.is_empty() } else { names(controllers) };
                is_own.then_some(path)
            })?;
            // A container may read its group's full name here, and find the group itself at the mount point.
            let below = if root == "/" { own } else { own.strip_prefix(root).unwrap_or_default() };
            // A group outside of the namespace is `/../..`, which no path leads to.
            let below = if below.contains("..") { "" } else { below };
            Some(Self { mount, own: below.trim_start_matches('/').to_owned(), is_v2 })
        });
        found.collect()
    }

    /// The directory of this process's group.
    pub fn own_path(&self) -> PathBuf {
        self.mount.join(&self.own)
    }

    /// This process's group and its ancestors.
    pub fn groups(&self) -> Vec<PathBuf> {
        let own = self.own_path();
        let above = own.ancestors().take_while(|path| path.starts_with(&self.mount));
        above.map(Path::to_owned).collect()
    }

    /// Whether children of a group get a controller.
    pub fn delegates(&self, parent: &Path, controller: &str) -> bool {
        !self.is_v2 || controllers_in(parent, "cgroup.subtree_control").iter().any(|name| name == controller)
    }
}

/// The controllers that a file of a group of version 2 lists.
pub fn controllers_in(group: &Path, file: &str) -> Vec<String> {
    let text = fs::read_to_string(group.join(file)).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                          36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n\
                          30 23 0:26 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn hierarchies_of_both_versions_are_found_with_own_group_first() {
        let found = Hierarchy::all(MOUNTS, "8:pids:/\n4:memory:/a/b\n0::/d\n", "memory");
        let groups: Vec<_> = found.iter().map(|one| (one.is_v2, one.groups())).collect();
        let path = |text: &str| PathBuf::from(format!("/sys/fs/cgroup/{text}"));
        let v1 = (false, ["memory/a/b", "memory/a", "memory"].map(path).to_vec());
        assert_eq!(groups, [v1, (true, ["unified/d", "unified"].map(path).to_vec())]);
        assert!(Hierarchy::all(MOUNTS, "4:devices:/\n", "memory").is_empty());
        assert!(Hierarchy::all("", "", "memory").is_empty() && Hierarchy::all("x", "x", "memory").is_empty());
    }

    #[test]
    fn group_of_a_container_is_at_the_mount_point() {
        let mounts = "35 31 0:32 /docker/1 /c rw - cgroup2 cgroup rw\n";
        for (own, expected) in [("/docker/1", "/c/"), ("/docker/1/in", "/c/in"), ("/../..", "/c/")] {
            let found = Hierarchy::all(mounts, &format!("0::{own}\n"), "cpu");
            assert_eq!(found.first().unwrap().own_path(), PathBuf::from(expected), "{own}");
        }
    }

    #[test]
    fn own_groups_end_at_the_mount() {
        for group in
            ["pids", "cpu"].into_iter().flat_map(Hierarchy::of_this_process).flat_map(|one| one.groups())
        {
            assert!(group.join("cgroup.procs").exists(), "{}", group.display());
        }
    }
}
