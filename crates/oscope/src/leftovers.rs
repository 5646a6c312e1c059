//! Cleanup of what a run has made in file systems: its work directory, and the control groups that its workers noted
//! in it.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// The file in which workers note the control groups that they make, and how the names of these begin.
const NOTES: &str = "groups";
const GROUPS: &str = "oscope-";

/// Longest wait for processes that are ending: one that holds a large file on a busy disk ends when that has answered.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Removes the control groups of a run and then its directory. A directory whose groups could not be removed stays, so
/// that the next run knows of them.
pub fn remove(folder: &Path) {
    let end = Instant::now() + TIMEOUT;
    if remove_groups(folder, end) {
        // A worker that is ending may still make a file.
        keep_trying(folder, end, |folder| fs::remove_dir_all(folder));
    }
}

/// Removes the groups that workers noted and did not remove because they were killed; whether none is left.
fn remove_groups(folder: &Path, end: Instant) -> bool {
    let opened = File::options().read(true).write(true).open(folder.join(NOTES));
    let Ok(mut notes) = opened else { return true };
    if !workers_have_ended(&notes, end) {
        return false;
    }
    let mut text = String::new();
    if notes.read_to_string(&mut text).is_err() {
        return false;
    }
    let groups = text.lines().map(Path::new).filter(|group| is_group(group));
    // One that holds others stays: of them nothing is known.
    let left = groups.filter(|group| !keep_trying(group, end, |group| fs::remove_dir(group)));
    left.count() == 0
}

/// Takes the notes for this process alone: a worker holds them while it makes a group and has it, also when it is killed and
/// has not ended yet.
fn workers_have_ended(notes: &File, end: Instant) -> bool {
    loop {
        match notes.try_lock() {
            // File systems without locks have notes all the same.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() > end => return false,
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// Whether a path is that of a group which a worker may make.
fn is_group(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    path.starts_with("/sys/fs/cgroup") && name.is_some_and(|name| name.starts_with(GROUPS))
}

/// Removes something, as soon as it is possible; whether it is gone at the end.
fn keep_trying(path: &Path, end: Instant, mut remove: impl FnMut(&Path) -> std::io::Result<()>) -> bool {
    loop {
        let Err(error) = remove(path) else {
            return true;
        };
        // A group that was noted and could not be made: where nothing may be written, that is said first.
        if !path.exists() {
            return true;
        }
        // What is denied now will be denied in a moment.
        let is_denied = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem].contains(&error.kind());
        if is_denied || Instant::now() > end {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_workers_are_removed() {
        assert!(is_group(Path::new("/sys/fs/cgroup/memory/a/oscope-17")));
        assert!(!is_group(Path::new("/sys/fs/cgroup/memory/a")));
        assert!(!is_group(Path::new("/tmp/oscope-17")));
    }

    #[test]
    fn a_directory_goes_with_its_notes_when_no_group_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let other = folder.path().join("oscope-other");
        fs::create_dir_all(run.join("more")).unwrap();
        fs::create_dir(&other).unwrap();
        let gone = "/sys/fs/cgroup/oscope-that-is-gone";
        fs::write(run.join(NOTES), format!("{gone}\n{}\n", other.display())).unwrap();
        remove(&run);
        assert!(!run.exists() && other.exists());
    }

    #[test]
    fn groups_are_removed_when_no_worker_can_make_one() {
        let folder = tempfile::tempdir().unwrap();
        let worker = File::create(folder.path().join(NOTES)).unwrap();
        worker.lock_shared().unwrap();
        assert!(!remove_groups(folder.path(), Instant::now()));
        drop(worker);
        assert!(remove_groups(folder.path(), Instant::now()));
    }

    #[test]
    fn what_is_busy_is_tried_again_and_what_is_denied_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path();
        let gone = there.join("gone");
        for (path, kind, expected) in [
            (there, ErrorKind::ResourceBusy, (true, 3)),
            (there, ErrorKind::PermissionDenied, (false, 1)),
            (&gone, ErrorKind::ReadOnlyFilesystem, (true, 1)),
        ] {
            let mut tries = 0;
            let is_gone = keep_trying(path, Instant::now() + TIMEOUT, |_| {
                tries += 1;
                if tries < 3 { Err(kind.into()) } else { Ok(()) }
            });
            assert_eq!((is_gone, tries), expected, "{kind}");
        }
    }
}
