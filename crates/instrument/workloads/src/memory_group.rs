//! A control group with a memory limit for one measurement.

use measure::{Failure, Result};
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sys::control_groups::Hierarchy;

/// Prefix of group names; the cleanup process removes no others.
const PREFIX: &str = "oscope-";

/// The controller of a limit.
const MEMORY: &str = "memory";

/// The remedy where no group can be created.
const REMEDY: &str = "run as root, or where a control group with the memory controller is delegated to you \
                      (systemd-run --user --scope -p Delegate=yes)";

/// A group; removed when dropped, or by the run's cleanup process when this process is killed.
#[derive(Debug)]
pub struct MemoryGroup {
    path: PathBuf,
    /// Whether it is a version 2 group, with other file names.
    is_v2: bool,
    /// The record, locked as long as this process or a child of it lives.
    _record: Option<File>,
}

impl MemoryGroup {
    /// A new group with a limit in bytes. Its path is first recorded in the run's directory for the cleanup process.
    ///
    /// # Errors
    /// A skip, when no group can be created; a failure, when the run is over and its groups are being removed.
    pub fn new(limit: u64, folder: &Path) -> Result<Self> {
        let mut record = open_record(folder)?;
        let name = unused_name();
        let mut reason = "no control group hierarchy with a memory controller is mounted".to_owned();
        for hierarchy in Hierarchy::of_this_process(MEMORY) {
            for parent in hierarchy.groups().iter().filter(|parent| hierarchy.delegates(parent, MEMORY)) {
                let path = parent.join(&name);
                if let Some(record) = &mut record {
                    // Without the record only this process removes the group.
                    let _ = writeln!(record, "{}", path.display());
                }
                if let Err(error) = fs::create_dir(&path) {
                    reason = format!("{}: {error}", path.display());
                    continue;
                }
                let mut group = Self { path, is_v2: hierarchy.is_v2, _record: None };
                match group.limit(limit) {
                    Ok(()) => {
                        group._record = record.take();
                        return Ok(group);
                    }
                    Err(error) => reason = format!("{}: {error}", group.path.display()),
                }
            }
        }
        Err(Failure::skipped(
            format!("no control group with a memory limit can be created ({reason})"),
            REMEDY,
        ))
    }

    fn limit(&self, bytes: u64) -> std::io::Result<()> {
        let file = if self.is_v2 { "memory.max" } else { "memory.limit_in_bytes" };
        fs::write(self.path.join(file), bytes.to_string())?;
        if self.is_v2 {
            // The file is missing without swap.
            let _ = fs::write(self.path.join("memory.swap.max"), "0");
        }
        Ok(())
    }

    /// Moves the calling process into the group.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn enter(&self) -> Result<()> {
        let entered = fs::write(self.path.join("cgroup.procs"), std::process::id().to_string());
        entered.map_err(|error| {
            Failure::skipped(format!("the control group cannot be entered: {error}"), REMEDY)
        })
    }

    /// Bytes of file cache charged to the group.
    pub fn file_bytes(&self) -> Option<u64> {
        let text = fs::read_to_string(self.path.join("memory.stat")).ok()?;
        let key = if self.is_v2 { "file " } else { "cache " };
        text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok())
    }
}

/// The smallest memory limit of this process's groups in bytes, if any.
pub fn own_limit() -> Option<u64> {
    let files = Hierarchy::of_this_process(MEMORY).into_iter().flat_map(|hierarchy| {
        let name = if hierarchy.is_v2 { "memory.max" } else { "memory.limit_in_bytes" };
        hierarchy.groups().into_iter().map(move |group| group.join(name))
    });
    files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a group; a process that just exited may still be counted.
pub(crate) fn remove(group: &Path) {
    for _ in 0..50 {
        if fs::remove_dir(group).is_ok() || !group.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// The file in a run's directory that lists its groups.
pub const NOTES: &str = "groups";

/// A name that no group has had: a process number is used again, and means another process in another namespace.
pub(crate) fn unused_name() -> String {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    format!("{PREFIX}{}.{:x}", std::process::id(), now.as_nanos())
}

/// Opens the record of a run's groups, shared with other workers. The cleanup process takes it for itself, so it waits until
/// no process lives that may still make a group; `None` where none can be written.
pub(crate) fn open_record(folder: &Path) -> Result<Option<File>> {
    let opened = File::options().append(true).create(true).open(folder.join(NOTES));
    let Ok(file) = opened else { return Ok(None) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            Err(Failure::failed("the run is over: its control groups are being removed"))
        }
        // File systems without locks have the record all the same.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether this process may make a group that has a memory limit below the root of a hierarchy.
    fn has_memory_groups() -> bool {
        ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].iter().any(|root| {
            let group = Path::new(root).join(format!("test-of-oscope-{}", std::process::id()));
            let is_made = fs::create_dir(&group).is_ok();
            let has_limit =
                ["memory.max", "memory.limit_in_bytes"].iter().any(|file| group.join(file).exists());
            let _ = fs::remove_dir(&group);
            is_made && has_limit
        })
    }

    #[test]
    fn dropped_group_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        if !programs::has("control group with a memory limit", has_memory_groups()) {
            return;
        }
        let group = MemoryGroup::new(64 << 20, folder.path()).unwrap();
        let path = group.path.clone();
        assert!(path.exists() && group.file_bytes().is_some());
        let notes = File::open(folder.path().join(NOTES)).unwrap();
        assert!(matches!(notes.try_lock(), Err(TryLockError::WouldBlock)));
        drop(group);
        assert!(!path.exists() && notes.try_lock().is_ok());
        let text = fs::read_to_string(folder.path().join(NOTES)).unwrap();
        assert!(text.contains(path.to_str().unwrap()));
    }

    #[test]
    fn no_group_is_made_while_those_of_the_run_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let notes = File::create(folder.path().join(NOTES)).unwrap();
        notes.lock().unwrap();
        let refused = MemoryGroup::new(64 << 20, folder.path()).unwrap_err();
        assert!(
            matches!(&refused, Failure::Failed(reason) if reason.contains("the run is over")),
            "{refused:?}"
        );
        assert_eq!(fs::read_to_string(folder.path().join(NOTES)).unwrap(), "");
    }

    #[test]
    fn names_of_groups_are_not_used_again() {
        let (first, second) = (unused_name(), unused_name());
        assert!(first != second && first.starts_with(PREFIX), "{first} {second}");
    }
}
