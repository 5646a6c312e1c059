//! Memory available to this process: the least of what the machine has, what its control groups leave, and what its
//! own limit on addresses leaves.

use crate::control_groups::Hierarchy;
use crate::limits::soft;
use rustix::process::Resource;
use std::path::PathBuf;

/// Bytes that may still be taken: the least of what the machine has available, of what the limits of the process's
/// control groups leave, and of what its limit on address space leaves. `None` where none of them is reported.
pub fn available() -> Option<usize> {
    let [meminfo, status] =
        ["/proc/meminfo", "/proc/self/status"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let available = kilobytes(&meminfo, "MemAvailable:");
    let hierarchies = Hierarchy::of_this_process("memory");
    let of_groups = hierarchies.iter().filter_map(|hierarchy| {
        let files = if hierarchy.is_v2 { VERSION_2 } else { VERSION_1 };
        left_by_limits(&hierarchy.groups(), &files)
    });
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

/// What the tightest limit of these groups leaves.
fn left_by_limits(groups: &[PathBuf], files: &Files) -> Option<usize> {
    let left = groups.iter().filter_map(|folder| {
        let number = |file: &str| -> Option<usize> {
            std::fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
        };
        let most = number(files.limit)?;
        let used = number(files.usage).unwrap_or(0);
        let statistics = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        Some(most.saturating_sub(used.saturating_sub(droppable(&statistics, files))))
    });
    left.min()
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
    use std::path::Path;

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
        let groups = [inner.clone(), root.join("outer"), root.clone()];
        assert_eq!(left_by_limits(&groups, &VERSION_2), Some(600));
        let statistics = "anon 100\nfile 300\nshmem 50\ninactive_file 150\nactive_file 100\n";
        std::fs::write(root.join("outer/memory.stat"), statistics).unwrap();
        assert_eq!(left_by_limits(&groups, &VERSION_2), Some(850), "250 of the 400 can be dropped");
        put(&inner, "100\n", "400\n");
        assert_eq!(left_by_limits(&groups, &VERSION_2), Some(0), "more used than allowed");
        assert_eq!(left_by_limits(&[root.join("nowhere")], &VERSION_2), None);
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
