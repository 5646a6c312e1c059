//! Requests that the kernel's NFS clients sent, as they count them.

use std::fs;
use std::path::Path;

/// Counts of each mount, see nfsstat(8) and mountstats(8).
const STATISTICS: &str = "/proc/self/mountstats";

/// Requests by which version 4 opens a file. Under a delegation the client opens it without any.
const OPENS: [&str; 2] = ["OPEN:", "OPEN_NOATTR:"];

/// Requests to open a file that were sent for the mount of a directory, named without links; `None` where that is not NFS
/// of version 4, or nothing is counted.
pub fn opens(directory: &Path) -> Option<u64> {
    of(&fs::read_to_string(STATISTICS).ok()?, directory)
}

/// A mount begins with `device SOURCE mounted on PLACE with fstype KIND`; of a request there is a line with its name, how
/// often it was sent, and more.
fn of(text: &str, directory: &Path) -> Option<u64> {
    let mounts = text.split("device ").filter_map(|mount| {
        let (_, rest) = mount.lines().next()?.split_once(" mounted on ")?;
        let (place, _) = rest.split_once(" with fstype ")?;
        directory.starts_with(place).then_some((place.len(), mount))
    });
    // Of mounts on one place the last hides the others.
    let (_, mount) = mounts.max_by_key(|(length, _)| *length)?;
    let mut counts = mount.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        OPENS.contains(&name).then(|| words.next()?.parse::<u64>().ok())?
    });
    let first = counts.next()?;
    Some(counts.fold(first, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "device rootfs mounted on / with fstype rootfs\n\
         device a:/ mounted on /mnt with fstype nfs4 statvers=1.1\n\tper-op statistics\n\
         \t        READ: 9 9 0 1 1 1 1 1 0\n\t        OPEN: 3 3 0 1 1 1 1 1 0\n\t OPEN_NOATTR: 2 2 0 1 1 1 1 1 0\n\
         device b:/ mounted on /mnt/old with fstype nfs statvers=1.1\n\t GETATTR: 5 5 0 1 1 1 1 1 0\n\
         device //c/d mounted on /smb with fstype cifs\n";

    #[test]
    fn opens_are_those_of_the_mount() {
        // Version 3 opens nothing.
        for (directory, opens) in [
            ("/mnt/folder", Some(5)),
            ("/mnt/old/folder", None),
            ("/smb", None),
            ("/", None),
            ("/mntx", None),
        ] {
            assert_eq!(of(TEXT, Path::new(directory)), opens, "{directory}");
        }
    }

    #[test]
    fn a_local_directory_has_no_requests() {
        assert_eq!(opens(Path::new("/proc")), None);
    }
}
