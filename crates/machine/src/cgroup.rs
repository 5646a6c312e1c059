//! Control groups: the directories of this process's groups, in versions 1 and 2.

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

/// Mounts beyond this many are not read.
const MOST_MOUNTS: usize = 4096;

/// The directories of this program's group of a controller and of the groups around it, innermost first.
/// Empty when the controller is not mounted.
///
/// # Errors
/// When the kernel's lists of groups and mounts cannot be read.
pub(crate) fn folders(tree: &dyn Tree, controller: &str) -> Found<Vec<String>> {
    let groups = tree.read("/proc/self/cgroup")?;
    let mounts = tree.read("/proc/self/mountinfo")?;
    let mut folders = Vec::new();
    for version in [Version::Two, Version::One] {
        let (Some(group), Some(mount)) =
            (group(&groups, version, controller), mount(&mounts, version, controller))
        else {
            continue;
        };
        folders.extend(levels(group, &mount));
    }
    Ok(folders)
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

struct Mount {
    /// The group at the mount point.
    root: String,
    /// The mount point.
    point: String,
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

fn mount(mounts: &str, version: Version, controller: &str) -> Option<Mount> {
    mounts.lines().take(MOST_MOUNTS).find_map(|line| {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut words = file_system.split(' ');
        let kind = words.next()?;
        let options = words.nth(1).unwrap_or_default();
        let matches = match version {
            Version::Two => kind == "cgroup2",
            Version::One => kind == "cgroup" && options.split(',').any(|name| name == controller),
        };
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        matches.then_some(Mount { root, point })
    })
}

/// A container sees its own group at the mount point, and perhaps its full name in the list of groups.
fn levels(group: &str, mount: &Mount) -> Vec<String> {
    let inside = match mount.root.as_str() {
        "/" => group,
        root => group.strip_prefix(root).unwrap_or_default(),
    };
    // A group outside the namespace is shown as `/../..`: only the mount point itself can be read.
    let inside = if inside.contains("..") { "" } else { inside };
    let mut parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
    let mut folders = Vec::new();
    for _ in 0..MOST_LEVELS {
        let mut folder = mount.point.clone();
        for part in &parts {
            folder.push('/');
            folder.push_str(part);
        }
        folders.push(folder);
        if parts.pop().is_none() {
            break;
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BOTH: &str = "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/user.slice/x.scope\n";
    const MOUNTS: &str = "27 1 254:0 / / rw - ext4 /dev/vda rw\n\
        33 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
        34 31 0:29 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n";

    #[test]
    fn groups_and_mounts_of_both_versions() {
        assert_eq!(group(BOTH, Version::One, "memory"), Some("/a/b"));
        assert_eq!(group(BOTH, Version::One, "cpu"), Some("/"));
        assert_eq!(group(BOTH, Version::Two, "cpu"), Some("/user.slice/x.scope"));
        assert_eq!(group(BOTH, Version::One, "pids"), None);
        let found = mount(MOUNTS, Version::One, "memory").unwrap();
        assert_eq!(found.point, "/sys/fs/cgroup/memory");
        assert!(mount(MOUNTS, Version::One, "cpu").is_none());
        let found = mount(MOUNTS, Version::Two, "cpu").unwrap();
        assert_eq!(found.point, "/sys/fs/cgroup/unified");
    }

    #[test]
    fn enclosing_groups_are_limits_too() {
        let mount = Mount { root: "/".to_owned(), point: "/c".to_owned() };
        assert_eq!(levels("/a/b", &mount), ["/c/a/b", "/c/a", "/c"]);
        assert_eq!(levels("/", &mount), ["/c"]);
        assert_eq!(levels("/../..", &mount), ["/c"]);
    }

    #[test]
    fn container_finds_its_group_at_the_mount_point() {
        let mount = Mount { root: "/docker/1".to_owned(), point: "/sys/fs/cgroup".to_owned() };
        assert_eq!(levels("/docker/1", &mount), ["/sys/fs/cgroup"]);
        assert_eq!(levels("/docker/1/in", &mount), ["/sys/fs/cgroup/in", "/sys/fs/cgroup"]);
        assert_eq!(levels("/elsewhere", &mount), ["/sys/fs/cgroup"]);
    }

    #[test]
    fn depth_is_bounded() {
        let mount = Mount { root: "/".to_owned(), point: String::new() };
        assert_eq!(levels(&"/a".repeat(5000), &mount).len(), MOST_LEVELS);
    }
}
