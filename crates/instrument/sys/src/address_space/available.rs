//! Memory available to this process: the least of what the machine has, what its control groups leave, and what its
//! own limit on addresses leaves.

use crate::limits::soft;
use rustix::process::Resource;
use std::path::{Path, PathBuf};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes that may still be taken: the least of what the machine has available, of what the limits of the process's
/// control groups leave, and of what its limit on address space leaves. `None` where none of them is reported.
pub fn available() -> Option<usize> {
    let [meminfo, own, status] = ["/proc/meminfo", "/proc/self/cgroup", "/proc/self/status"]
        .map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let available = kilobytes(&meminfo, "MemAvailable:");
    let of_groups =
        groups(&own).into_iter().filter_map(|(folder, root, files)| within(folder, &root, &files));
    let used = kilobytes(&status, "VmSize:");
    let addresses = soft(Resource::As)
        .and_then(|most| usize::try_from(most).ok())
        .map(|most| most.saturating_sub(used.unwrap_or(0)));
    of_groups.chain(available).chain(addresses).min()
}

/// Files that hold a group's limit and what it uses, and the lines of its statistics that count pages of files, which
/// the kernel drops when the group needs memory.
struct Files {
    limit: &'static str,
    usage: &'static str,
    droppable: [&'static str; 2],
}

const VERSION_1: Files = Files {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    droppable: ["total_active_file", "total_inactive_file"],
};
const VERSION_2: Files =
    Files { limit: "memory.max", usage: "memory.current", droppable: ["active_file", "inactive_file"] };

/// The folders of the groups of this process that count memory, by the text of /proc/self/cgroup.
pub(crate) fn memory_groups(own: &str) -> Vec<PathBuf> {
    groups(own).into_iter().map(|(folder, ..)| folder).collect()
}

/// Folders of the groups of this process that count memory, the mounts that they lie in, and their files: version 2,
/// and version 1, which has a hierarchy for memory alone.
fn groups(own: &str) -> Vec<(PathBuf, PathBuf, Files)> {
    let found = own.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (kinds, path) = rest.split_once(':')?;
        let path = path.trim_start_matches('/');
        if kinds.is_empty() {
            let root = PathBuf::from(GROUPS);
            return Some((root.join(path), root, VERSION_2));
        }
        kinds.split(',').any(|kind| kind == "memory").then(|| {
            let root = Path::new(GROUPS).join("memory");
            (root.join(path), root, VERSION_1)
        })
    });
    found.collect()
}

/// What the tightest limit from this group up to the root leaves.
fn within(mut folder: PathBuf, root: &Path, files: &Files) -> Option<usize> {
    let mut least: Option<usize> = None;
    while folder.starts_with(root) {
        let number = |file: &str| -> Option<usize> {
            std::fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
        };
        let left = number(files.limit).map(|most| {
            let used = number(files.usage).unwrap_or(0);
            let statistics = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let droppable = droppable(&statistics, files);
            most.saturating_sub(used.saturating_sub(droppable))
        });
        least = least.into_iter().chain(left).min();
        if !folder.pop() {
            break;
        }
    }
    least
}

/// Bytes of files that the kernel can drop from its cache; files in memory (tmpfs) are not among them.
fn droppable(statistics: &str, files: &Files) -> usize {
    statistics
        .lines()
        .filter_map(|line| {
            let (name, bytes) = line.split_once(' ')?;
            files.droppable.contains(&name).then(|| bytes.trim().parse().ok()).flatten()
        })
        .fold(0, usize::saturating_add)
}

/// A line of /proc that counts in kilobytes, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found() {
        let both = "12:pids:/a\n7:cpu,memory:/b/c\n0::/d\n";
        let found = groups(both);
        let folders: Vec<&str> = found.iter().map(|(folder, ..)| folder.to_str().unwrap()).collect();
        assert_eq!(folders, ["/sys/fs/cgroup/memory/b/c", "/sys/fs/cgroup/d"]);
        assert!(groups("").is_empty() && groups("nonsense").is_empty());
    }

    fn put(folder: &Path, max: &str, now: &str) {
        std::fs::write(folder.join("memory.max"), max).unwrap();
        std::fs::write(folder.join("memory.current"), now).unwrap();
    }

    #[test]
    fn the_tightest_group_limit_counts() {
        let root = std::env::temp_dir().join(format!("oscope-available-{}", std::process::id()));
        let inner = root.join("outer/inner");
        std::fs::create_dir_all(&inner).unwrap();
        put(&inner, "max\n", "5\n");
        put(&root.join("outer"), "1000\n", "400\n");
        put(&root, "5000\n", "600\n");
        assert_eq!(within(inner.clone(), &root, &VERSION_2), Some(600));
        let statistics = "anon 100\nfile 300\nshmem 50\ninactive_file 150\nactive_file 100\n";
        std::fs::write(root.join("outer/memory.stat"), statistics).unwrap();
        assert_eq!(within(inner.clone(), &root, &VERSION_2), Some(850), "250 of the 400 can be dropped");
        put(&inner, "100\n", "400\n");
        assert_eq!(within(inner, &root, &VERSION_2), Some(0), "more used than allowed");
        assert_eq!(within(root.join("nowhere"), Path::new("/elsewhere"), &VERSION_2), None);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn available_memory_is_read() {
        let text = "MemTotal: 100 kB\nMemAvailable:   37 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(37 << 10));
        assert_eq!(kilobytes("MemTotal: 100 kB\n", "MemAvailable:"), None);
        assert!(available().is_some_and(|bytes| bytes > 0));
    }
}
