//! Control groups: the directories of this process's groups, in versions 1 and 2.

use crate::mounts::{MOST_MOUNTS, MOUNTS, MountLine};
use crate::tree::{Found, Tree};

/// Words in the name of a control group, and the container runtime of each.
pub(crate) const CONTAINERS: [(&str, &str); 7] = [
    ("kubepods", "Kubernetes"),
    ("docker", "Docker"),
    ("libpod", "Podman"),
    ("containerd", "containerd"),
    ("lxc", "LXC"),
    ("machine.slice", "systemd-nspawn or a machine"),
    ("garden", "Garden"),
];

/// Groups are nested no deeper than this.
const MOST_LEVELS: usize = 32;

/// The directories of this program's group of a controller and of the groups around it, innermost first.
/// Empty when the controller is not mounted.
///
/// # Errors
/// When the kernel's lists of groups and mounts cannot be read.
pub(crate) fn folders(tree: &dyn Tree, controller: &str) -> Found<Vec<String>> {
    let groups = tree.read("/proc/self/cgroup")?;
    let mounts = tree.read(MOUNTS)?;
    Ok([Version::Two, Version::One]
        .into_iter()
        .filter_map(|version| {
            let mount = mount(&mounts, version, controller)?;
            Some(levels(group(&groups, version, controller)?, mount.root, mount.point))
        })
        .flatten()
        .collect())
}

/// The directories of this program's control groups that may have the CPU controller and of the groups around them,
/// innermost first, version 2 before version 1.
///
/// # Errors
/// When the kernel's lists of groups and mounts cannot be read.
pub fn cpu_groups(tree: &dyn Tree) -> Found<Vec<String>> {
    folders(tree, "cpu")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// `0::/user.slice` is version 2, `4:memory:/x` version 1.
fn group<'text>(groups: &'text str, version: Version, controller: &str) -> Option<&'text str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let matches = match version {
            Version::Two => number == "0" && controllers.is_empty(),
            Version::One => controllers.split(',').any(|name| name == controller),
        };
        matches.then_some(path)
    })
}

fn mount<'l>(mounts: &'l str, version: Version, controller: &str) -> Option<MountLine<'l>> {
    mounts.lines().take(MOST_MOUNTS).filter_map(MountLine::parse).find(|mount| match version {
        Version::Two => mount.kind == "cgroup2",
        Version::One => {
            mount.kind == "cgroup" && mount.system_options.split(',').any(|name| name == controller)
        }
    })
}

/// A container sees its own group at the mount point, and perhaps its full name in the list of groups.
fn levels(group: &str, root: &str, point: &str) -> Vec<String> {
    let inside = if root == "/" { group } else { group.strip_prefix(root).unwrap_or_default() };
    // A group outside the namespace is shown as `/../..`: only the mount point itself can be read.
    let inside = if inside.contains("..") { "" } else { inside };
    let mut parts: Vec<&str> =
        std::iter::once(point).chain(inside.split('/').filter(|part| !part.is_empty())).collect();
    let mut folders = Vec::new();
    while !parts.is_empty() && folders.len() < MOST_LEVELS {
        folders.push(parts.join("/"));
        parts.pop();
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/user.slice/x.scope\n";
    const LIST: &str = "27 1 254:0 / / rw - ext4 /dev/vda rw\n\
        33 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
        34 31 0:29 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n";

    #[test]
    fn groups_and_mounts_of_both_versions() {
        assert_eq!(group(BOTH, Version::One, "memory"), Some("/a/b"));
        assert_eq!(group(BOTH, Version::One, "cpu"), Some("/"));
        assert_eq!(group(BOTH, Version::Two, "cpu"), Some("/user.slice/x.scope"));
        assert_eq!(group(BOTH, Version::One, "pids"), None);
        let found = mount(LIST, Version::One, "memory").unwrap();
        assert_eq!(found.point, "/sys/fs/cgroup/memory");
        assert!(mount(LIST, Version::One, "cpu").is_none());
        let found = mount(LIST, Version::Two, "cpu").unwrap();
        assert_eq!(found.point, "/sys/fs/cgroup/unified");
    }

    #[test]
    fn groups_and_those_around_them_are_below_the_mount_point() {
        for (group, root, point, folders) in [
            ("/a/b", "/", "/c", &["/c/a/b", "/c/a", "/c"][..]),
            ("/", "/", "/c", &["/c"]),
            ("/../..", "/", "/c", &["/c"]),
            // A container.
            ("/docker/1", "/docker/1", "/sys/fs/cgroup", &["/sys/fs/cgroup"]),
            ("/docker/1/in", "/docker/1", "/sys/fs/cgroup", &["/sys/fs/cgroup/in", "/sys/fs/cgroup"]),
            ("/elsewhere", "/docker/1", "/sys/fs/cgroup", &["/sys/fs/cgroup"]),
        ] {
            assert_eq!(levels(group, root, point), folders, "{group} {root}");
        }
        assert_eq!(levels(&"/a".repeat(5000), "/", "").len(), MOST_LEVELS);
    }
}
