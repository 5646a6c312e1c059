//! Namespaces of the calling thread.

/// The number of the first namespace of processes (PROC_PID_INIT_INO of <linux/proc_ns.h>).
const FIRST_OF_PROCESSES: &str = "pid:[4026531836]";

/// Whether the numbers of its processes are those that the kernel itself uses; also where the kernel has no such namespaces.
pub fn has_first_process_numbers() -> bool {
    let own = std::fs::read_link("/proc/thread-self/ns/pid");
    own.is_ok_and(|own| own.as_os_str() == FIRST_OF_PROCESSES)
        || !std::path::Path::new("/proc/self/ns/pid").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn another_namespace_of_processes_is_seen() {
        let words = ["unshare", "--fork", "--pid", "--mount-proc", "true"];
        if !programs::allowed("namespaces of processes", &words) {
            return;
        }
        // The first process of the machine, where this one sees it, is in the first namespace.
        let first = std::fs::read_link("/proc/1/ns/pid").ok();
        let own = std::fs::read_link(Path::new("/proc/self/ns/pid")).ok();
        if first == own && first.is_some_and(|first| first.as_os_str() == FIRST_OF_PROCESSES) {
            assert!(has_first_process_numbers());
        }
        let print = programs::command("unshare")
            .args(["--fork", "--pid", "--mount-proc", "readlink", "/proc/self/ns/pid"])
            .output();
        assert_ne!(String::from_utf8(print.unwrap().stdout).unwrap().trim(), FIRST_OF_PROCESSES);
    }
}
