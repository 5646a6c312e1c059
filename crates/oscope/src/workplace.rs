//! Where files are measured: a directory of the run's own in the one that the user means, and a file without a
//! name. Both vanish with the run, however it ends.

use crate::exit::usage;
use crate::remains;
use machine::{Live, Remoteness, Tree, mount_of};
use record::{Directory, Fact, Skip};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use sys::temporary::TemporaryFile;

/// How the names of directories of runs begin.
const PREFIX: &str = ".oscope-";

/// What helps where a directory cannot be used.
const REMEDY: &str = "name a directory on a disk of this machine that you may write to with --dir";

/// What helps where one on a remote file system cannot be used.
const REMOTE_REMEDY: &str = "name a directory that you may write to with --remote-dir";

/// The option that names a directory on a remote file system.
const REMOTE: &str = "--remote-dir";

/// A directory that was chosen, and how.
#[derive(Debug, Clone)]
pub struct Chosen {
    path: PathBuf,
    how: &'static str,
    /// Whether its files are known to come over the network.
    over_network: bool,
}

impl Chosen {
    /// The directory that the user names, or the temporary one if it is no memory, or else the current one.
    ///
    /// # Errors
    /// When a named directory is not there.
    pub fn new(named: Option<&Path>, live: &Live) -> anyhow::Result<Self> {
        let local = |path, how| Self {
            path,
            how,
            over_network: false,
        };
        if let Some(named) = named {
            return Ok(local(there(named, "--dir")?, "--dir"));
        }
        let temporary = fs::canonicalize(std::env::temp_dir()).ok();
        let on_disk = |path: &PathBuf| {
            let mount = path.to_str().and_then(|path| mount_of(live, path));
            mount.is_some_and(|mount| !mount.is_in_memory())
        };
        let here = || fs::canonicalize(".").unwrap_or_else(|_| PathBuf::from("."));
        Ok(match temporary.filter(on_disk) {
            Some(path) => local(path, "the temporary directory"),
            None => local(here(), "the current directory: the temporary one is in memory"),
        })
    }

    /// The directory on a remote file system that the user names.
    ///
    /// # Errors
    /// When it is not there, or its files are known to be of this machine.
    pub fn remote(named: &Path, live: &Live) -> anyhow::Result<Self> {
        let path = there(named, REMOTE)?;
        let mount = path.to_str().and_then(|path| mount_of(live, path));
        let remoteness = mount
            .as_ref()
            .map_or(Remoteness::Program, machine::Mount::remoteness);
        if let (Remoteness::Local, Some(mount)) = (remoteness, &mount) {
            return Err(usage(format!(
                "{}: no remote file system, but {}; {REMOTE} names a directory on one that is mounted, --dir one of \
                 this machine",
                named.display(),
                mount.in_words()
            )));
        }
        Ok(Self {
            path,
            how: REMOTE,
            over_network: remoteness == Remoteness::Network,
        })
    }

    /// Its path as text.
    pub fn text(&self) -> String {
        self.path.to_string_lossy().into_owned()
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
    let found = fs::canonicalize(named).ok().filter(|path| path.is_dir());
    found.filter(|path| path.to_str().is_some()).ok_or_else(|| {
        usage(format!(
            "{}: no such directory; {option} names one that is there",
            named.display()
        ))
    })
}

/// A directory of the run's own, which is there until this is dropped.
#[derive(Debug)]
pub struct Workplace {
    directory: Directory,
    /// Holds the file without a name.
    _stock: TemporaryFile,
    keeper: Option<Child>,
}

impl Workplace {
    /// Makes a directory of this run's own in the chosen one, after those that dead runs left there are removed.
    ///
    /// # Errors
    /// When it cannot be made: the points that need it are left out for that reason.
    pub fn new(chosen: &Chosen) -> Result<Self, Skip> {
        let refused = |what: String| Skip {
            reason: format!("{}: {what}", chosen.path.display()),
            remedy: match chosen.how {
                REMOTE => REMOTE_REMEDY.to_owned(),
                _ => REMEDY.to_owned(),
            },
        };
        remove_forsaken(&chosen.path);
        let folder = chosen.path.join(own_name().ok_or_else(|| {
            refused(
                "a directory of this run has no safe name, because /proc does not tell of processes"
                    .to_owned(),
            )
        })?);
        // Before it is made: nobody is to be killed between the two.
        let keeper = keep(&folder);
        fs::create_dir(&folder)
            .map_err(|error| refused(format!("no directory can be made in it: {error}")))?;
        let mut workplace = Self {
            directory: Directory {
                path: chosen.path.clone(),
                folder,
                test_file: PathBuf::new(),
                over_network: chosen.over_network,
            },
            _stock: TemporaryFile::new(&chosen.path)
                .map_err(|error| refused(format!("no file can be made in it: {error}")))?,
            keeper,
        };
        let number = workplace._stock.descriptor().number();
        workplace.directory.test_file = PathBuf::from(format!("/proc/self/fd/{number}"));
        let kept = workplace._stock.descriptor().keep_in_children();
        kept.map_err(|error| refused(format!("its file cannot be given to workers: {error}")))?;
        Ok(workplace)
    }

    /// What workers are told of it.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            // The end of its standard input is what it waits for.
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
        // Where there is no keeper, or it cannot be waited for.
        remains::remove(&self.directory.folder);
    }
}

/// Starts the process that removes the directory when this one is gone; `None` where that is not possible.
fn keep(folder: &Path) -> Option<Child> {
    use std::os::unix::process::CommandExt;
    let started = Command::new(std::env::current_exe().ok()?)
        .arg("keeper")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // An interrupt from the terminal is for the supervisor.
        .process_group(0)
        .spawn();
    started.ok()
}

/// What tells a run from all others on this machine: its process number, when that process began, and a number
/// for the machine and its list of processes.
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

/// A number for this machine and the list of processes that this one sees: other machines and containers may share
/// the directory, and of their processes nothing can be told.
fn here() -> Option<u32> {
    let mut hasher = DefaultHasher::new();
    fs::read_link("/proc/self/ns/pid").ok()?.hash(&mut hasher);
    for file in ["/etc/machine-id", "/proc/sys/kernel/hostname"] {
        fs::read_to_string(file).unwrap_or_default().hash(&mut hasher);
    }
    u32::try_from(hasher.finish() >> 32).ok()
}

/// Whether a name is that of a directory whose run is over.
fn is_forsaken(name: &str) -> bool {
    let parse = || {
        let mut parts = name.strip_prefix(PREFIX)?.split('-');
        let pid: u32 = parts.next()?.parse().ok()?;
        let since: u64 = parts.next()?.parse().ok()?;
        let place = u32::from_str_radix(parts.next()?, 16).ok()?;
        (parts.next().is_none()).then_some((pid, since, place))
    };
    parse().is_some_and(|(pid, since, place)| Some(place) == here() && began(pid) != Some(since))
}

/// Whether a path is that of a directory which a run may make, so that a keeper removes nothing else.
pub fn is_of_a_run(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX) && name.len() > PREFIX.len())
}

/// Removes what runs left that were killed together with their keepers.
fn remove_forsaken(path: &Path) {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_forsaken)) {
        // Another user's stays: removing it is refused.
        remains::remove(&entry.path());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chosen(path: &Path) -> Chosen {
        Chosen {
            path: path.to_owned(),
            how: "test",
            over_network: false,
        }
    }

    #[test]
    fn a_living_process_is_not_forsaken_and_a_dead_one_is() {
        let own = own_name().unwrap();
        assert!(!is_forsaken(&own));
        let place = format!("{:08x}", here().unwrap());
        assert!(is_forsaken(&format!("{PREFIX}{}-1-{place}", std::process::id())));
        // Elsewhere nothing is known of its processes; other names are other people's.
        assert!(!is_forsaken(&format!("{PREFIX}1-1-{:08x}", here().unwrap() ^ 1)));
        assert!(!is_forsaken(".oscope-") && !is_forsaken(".oscope-1-x-y") && !is_forsaken("home"));
    }

    #[test]
    fn what_a_dead_run_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join(format!(
            "{PREFIX}{}-1-{:08x}",
            std::process::id(),
            here().unwrap()
        ));
        let mine = folder.path().join(".oscope-notes");
        fs::create_dir_all(dead.join("more")).unwrap();
        fs::create_dir(&mine).unwrap();
        remove_forsaken(folder.path());
        assert!(!dead.exists() && mine.exists());
    }

    #[test]
    fn nothing_is_left_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let workplace = Workplace::new(&chosen(folder.path())).unwrap();
        let directory = workplace.directory().clone();
        fs::write(directory.folder.join("file"), "x").unwrap();
        assert!(is_of_a_run(&directory.folder));
        assert!(fs::metadata(&directory.test_file).is_ok());
        drop(workplace);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_is_not_there_or_cannot_be_written_is_said() {
        let refused = Workplace::new(&chosen(Path::new("/proc"))).unwrap_err();
        assert!(refused.reason.starts_with("/proc: ") && refused.remedy.contains("--dir"));
        assert!(Chosen::new(Some(Path::new("/nonexistent")), &Live::machine()).is_err());
    }

    #[test]
    fn what_is_of_this_machine_is_no_remote_directory() {
        let live = Live::machine();
        let refused = Chosen::remote(Path::new("/proc"), &live).unwrap_err().to_string();
        assert!(
            refused.contains("no remote file system, but proc on proc"),
            "{refused}"
        );
        let refused = Chosen::remote(Path::new("/nonexistent"), &live)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("--remote-dir names one that is there"),
            "{refused}"
        );
    }
}
