//! Where files are measured: a work directory of the run inside the directory that the user chose, and a test file: one
//! without a name, on a remote file system one in the work directory. Both are removed with the run, however it ends.

use crate::exit::unusable;
use crate::leftovers;
use anyhow::Context;
use machine::{Live, Medium, Remoteness, Tree, medium_of, mount_of};
use record::{Directory, Fact, Skip};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use sys::temporary::TemporaryFile;

/// How the names of directories of runs begin.
const PREFIX: &str = ".oscope-";

/// Why a directory is not used whose name is no text.
const NOT_TEXT: &str = "its path is not UTF-8, and a record holds text alone";

/// What helps where a directory cannot be used.
const REMEDY: &str = "name a directory on a disk of this machine that you may write to with --dir";

/// What helps where one on a remote file system cannot be used.
const REMOTE_REMEDY: &str = "name a directory that you may write to with --remote-dir";

/// The option that names a directory on a remote file system.
const REMOTE: &str = "--remote-dir";

/// A directory that was chosen, and how.
#[derive(Debug, Clone)]
pub struct ChosenDirectory {
    path: PathBuf,
    how: &'static str,
    /// Whether its files are known to come over the network.
    over_network: bool,
    /// Whether its files are known to be in memory.
    in_memory: bool,
}

impl ChosenDirectory {
    /// The directory that the user names, or the temporary one if it is no memory, or else the current one.
    /// Fails when a named directory is not there.
    pub fn new(named: Option<&Path>, live: &Live) -> anyhow::Result<Self> {
        if let Some(named) = named {
            return Ok(Self::local(there(named, "--dir")?, "--dir", live));
        }
        // What cannot be looked up is used all the same: where it is of no use, the points that need it say why.
        let on_disk = fs::canonicalize(std::env::temp_dir()).ok().filter(|path| {
            path.to_str()
                .is_none_or(|text| mount_of(live, text).is_some() && medium_of(live, text) != Medium::Memory)
        });
        Ok(match on_disk {
            Some(path) => Self::local(path, "the temporary directory", live),
            None => {
                let here = fs::canonicalize(".").unwrap_or_else(|_| PathBuf::from("."));
                Self::local(here, "the current directory: the temporary one is in memory", live)
            }
        })
    }

    fn local(path: PathBuf, how: &'static str, live: &Live) -> Self {
        let in_memory = path.to_str().is_some_and(|path| medium_of(live, path) == Medium::Memory);
        Self { path, how, over_network: false, in_memory }
    }

    /// The directory on a remote file system that the user names.
    /// Fails when it is not there, or its files are known to be of this machine.
    pub fn remote(named: &Path, live: &Live) -> anyhow::Result<Self> {
        let path = there(named, REMOTE)?;
        let mount = path.to_str().and_then(|path| mount_of(live, path));
        let remoteness = mount.as_ref().map_or(Remoteness::Program, machine::Mount::remoteness);
        if let (Remoteness::Local, Some(mount)) = (remoteness, &mount) {
            let why = format!("no remote file system, but {}", mount.in_words());
            let remedy = "--remote-dir names a directory on one that is mounted, --dir one of this machine";
            return Err(unusable(named, format!("{why}; {remedy}")));
        }
        Ok(Self { path, how: REMOTE, over_network: remoteness == Remoteness::Network, in_memory: false })
    }

    /// Its path as text, bytes that are not UTF-8 as `\\xFF`.
    pub fn text(&self) -> String {
        match self.path.to_str() {
            Some(text) => text.to_owned(),
            None => self.path.as_os_str().as_encoded_bytes().escape_ascii().to_string(),
        }
    }

    /// What lies under it.
    pub fn facts(&self, tree: &dyn Tree) -> Vec<Fact> {
        match self.how {
            REMOTE => machine::describe_remote(tree, &self.text(), self.how),
            how => machine::describe_directory(tree, &self.text(), how),
        }
    }
}

/// The path without links of a directory that is there and whose name can be written down.
fn there(named: &Path, option: &str) -> anyhow::Result<PathBuf> {
    let why = match fs::canonicalize(named) {
        Ok(found) if !found.is_dir() => format!("it is no directory; {option} names one that is there"),
        Ok(found) if found.to_str().is_none() => format!("{NOT_TEXT}; name another directory with {option}"),
        Ok(found) => return Ok(found),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("no such directory; {option} names one that is there")
        }
        Err(error) => format!("{error}; {option} names a directory that you may read"),
    };
    Err(unusable(named, why))
}

/// The work directory of a run; dropping it removes the directory.
#[derive(Debug)]
pub struct WorkDirectory {
    directory: Directory,
    /// Holds the test file where it has no name: on file systems of this machine.
    unnamed: Option<TemporaryFile>,
    cleanup: Option<Child>,
}

impl WorkDirectory {
    /// Makes the work directory in the chosen directory, and removes those that dead runs left there.
    /// Fails when it cannot be made: the points that need it are left out for that reason.
    pub fn new(chosen: &ChosenDirectory) -> Result<Self, Skip> {
        Self::make(chosen).map_err(|error| Skip {
            reason: format!("{}: {error:#}", chosen.path.display()),
            remedy: if chosen.how == REMOTE { REMOTE_REMEDY } else { REMEDY }.to_owned(),
        })
    }

    fn make(chosen: &ChosenDirectory) -> anyhow::Result<Self> {
        let path = chosen.path.clone();
        path.to_str().context(NOT_TEXT)?;
        remove_leftovers(&path);
        let name = own_name()
            .context("/proc does not show the start time of this process, which is part of its name")?;
        let folder = path.join(name);
        // Before it is made: a kill between the two would leave it.
        let cleanup = start_cleanup(&folder);
        fs::create_dir(&folder).context("no directory can be made in it")?;
        let (over_network, in_memory) = (chosen.over_network, chosen.in_memory);
        let mut directory = Directory { path, folder, test_file: PathBuf::new(), over_network, in_memory };
        // Not every remote file system has files without names: there the first worker makes it.
        directory.test_file = directory.named_test_file();
        let mut work_directory = Self { directory, unnamed: None, cleanup };
        if chosen.how != REMOTE {
            let file = TemporaryFile::new(&chosen.path).context("no file can be made in it")?;
            file.descriptor().keep_in_children().context("its file cannot be given to workers")?;
            let number = file.descriptor().number();
            work_directory.directory.test_file = PathBuf::from(format!("/proc/self/fd/{number}"));
            work_directory.unnamed = Some(file);
        }
        Ok(work_directory)
    }

    /// Gives the test file a name for workers in environments, which may not have its descriptor. Where it cannot have
    /// one, points that need it say so.
    pub fn name_test_file(&self) {
        // It may have had one before the run was interrupted.
        if let Some(file) = &self.unnamed {
            let _ = file.link(&self.directory.named_test_file());
        }
    }

    /// What workers need to know of it.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }
}

impl Drop for WorkDirectory {
    fn drop(&mut self) {
        if let Some(mut cleanup) = self.cleanup.take() {
            // The end of its standard input is what it waits for.
            drop(cleanup.stdin.take());
            let _ = cleanup.wait();
        }
        // Where there is no cleanup process, or it cannot be waited for.
        leftovers::remove(&self.directory.folder);
    }
}

/// Starts the process that removes the directory when this one is gone; `None` where that is not possible.
fn start_cleanup(folder: &Path) -> Option<Child> {
    use std::os::unix::process::CommandExt;
    let started = Command::new(std::env::current_exe().ok()?)
        .arg("cleanup")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // An interrupt from the terminal is for the supervisor.
        .process_group(0)
        .spawn();
    started.ok()
}

/// A name that no other run has: the process number, the start time of that process, and a number for the machine and
/// its PID namespace.
fn own_name() -> Option<String> {
    let pid = std::process::id();
    Some(format!("{PREFIX}{pid}-{}-{:08x}", began(pid)?, here()?))
}

/// When a process began, in ticks since the machine did: field 22 of its stat, behind the name in brackets.
fn began(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(22 - 3)?.parse().ok()
}

/// A number for this machine and its PID namespace: other machines and containers may share the directory, and
/// nothing is known of their processes.
fn here() -> Option<u32> {
    let mut hasher = DefaultHasher::new();
    fs::read_link("/proc/self/ns/pid").ok()?.hash(&mut hasher);
    for file in ["/etc/machine-id", "/proc/sys/kernel/hostname"] {
        fs::read_to_string(file).unwrap_or_default().hash(&mut hasher);
    }
    u32::try_from(hasher.finish() >> 32).ok()
}

/// Whether a name is that of a directory whose run is over.
fn is_leftover(name: &str) -> bool {
    parts_of_name(name).is_some_and(|(pid, since, place)| Some(place) == here() && began(pid) != Some(since))
}

/// The process that a directory's name names, when it began, and the place of its numbers.
fn parts_of_name(name: &str) -> Option<(u32, u64, u32)> {
    let mut parts = name.strip_prefix(PREFIX)?.split('-');
    let pid: u32 = parts.next()?.parse().ok()?;
    let since: u64 = parts.next()?.parse().ok()?;
    let place = u32::from_str_radix(parts.next()?, 16).ok()?;
    (parts.next().is_none()).then_some((pid, since, place))
}

/// Whether a path is that of a directory which a run may make, so that the cleanup process removes nothing else.
pub fn is_of_a_run(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX) && name.len() > PREFIX.len())
}

/// Removes the leftovers of runs that were killed together with their cleanup process.
fn remove_leftovers(path: &Path) {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_leftover)) {
        // Another user's stays: removing it is refused.
        leftovers::remove(&entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(path: &Path) -> ChosenDirectory {
        ChosenDirectory { path: path.to_owned(), how: "test", over_network: false, in_memory: false }
    }

    #[test]
    fn directory_of_a_dead_process_is_a_leftover() {
        let own = own_name().unwrap();
        assert!(!is_leftover(&own));
        let place = format!("{:08x}", here().unwrap());
        assert!(is_leftover(&format!("{PREFIX}{}-1-{place}", std::process::id())));
        // Elsewhere nothing is known of its processes; other names are other people's.
        assert!(!is_leftover(&format!("{PREFIX}1-1-{:08x}", here().unwrap() ^ 1)));
        assert!(!is_leftover(".oscope-") && !is_leftover(".oscope-1-x-y") && !is_leftover("home"));
    }

    #[test]
    fn leftovers_of_a_dead_run_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join(format!("{PREFIX}{}-1-{:08x}", std::process::id(), here().unwrap()));
        let mine = folder.path().join(".oscope-notes");
        fs::create_dir_all(dead.join("more")).unwrap();
        fs::create_dir(&mine).unwrap();
        remove_leftovers(folder.path());
        assert!(!dead.exists() && mine.exists());
    }

    #[test]
    fn dropping_removes_directory_and_test_file() {
        let folder = tempfile::tempdir().unwrap();
        let work_directory = WorkDirectory::new(&chosen(folder.path())).unwrap();
        let directory = work_directory.directory().clone();
        fs::write(directory.folder.join("file"), "x").unwrap();
        assert!(is_of_a_run(&directory.folder));
        assert!(fs::metadata(&directory.test_file).is_ok());
        drop(work_directory);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_or_read_only_directory_is_reported() {
        let refused = WorkDirectory::new(&chosen(Path::new("/proc"))).unwrap_err();
        assert!(refused.reason.starts_with("/proc: ") && refused.remedy.contains("--dir"));
        assert!(ChosenDirectory::new(Some(Path::new("/nonexistent")), &Live::machine()).is_err());
    }

    #[test]
    fn a_directory_whose_name_is_not_utf_8_is_refused_for_that() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"d\xff"));
        fs::create_dir(&path).unwrap();
        let live = Live::machine();
        let refused = ChosenDirectory::new(Some(&path), &live).unwrap_err().to_string();
        assert!(refused.contains(NOT_TEXT) && !refused.contains("no such"), "{refused}");
        assert!(chosen(&path).text().ends_with("d\\xff"));
        let left_out = WorkDirectory::new(&chosen(&path)).unwrap_err();
        assert!(left_out.reason.contains(NOT_TEXT) && left_out.remedy.contains("--dir"), "{left_out:?}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let refused = ChosenDirectory::new(Some(&file), &live).unwrap_err().to_string();
        assert!(refused.contains("it is no directory"), "{refused}");
    }

    #[test]
    fn a_local_directory_is_not_remote() {
        let live = Live::machine();
        let refused = ChosenDirectory::remote(Path::new("/proc"), &live).unwrap_err().to_string();
        assert!(refused.contains("no remote file system, but proc on proc"), "{refused}");
        let refused = ChosenDirectory::remote(Path::new("/nonexistent"), &live).unwrap_err().to_string();
        assert!(refused.contains("--remote-dir names one that is there"), "{refused}");
    }
}
