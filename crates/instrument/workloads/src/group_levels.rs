//! Work within nested control groups that have one controller, or none.

use crate::memory_group::{open_record, remove, unused_name};
use measure::{Bench, Failure, Result, choice, parameters};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use sys::control_groups::{Hierarchy, controllers_in};

/// The remedy where no groups can be nested.
const REMEDY: &str = "run as root where control groups are mounted for writing, or where a group with the controller is delegated \
                      to you (systemd-run --user --scope -p Delegate=yes)";

/// Most groups that are nested.
const MAX_LEVELS: u64 = 64;

choice! {
    /// What the groups control.
    pub enum Controller {
        /// Nothing.
        None = "none",
        /// Shares of CPU time.
        Cpu = "cpu",
        /// Memory.
        Memory = "memory",
        /// The number of processes.
        Pids = "pids",
        /// Shares of devices.
        Io = "io",
    }
}

parameters! {
    /// Nested groups.
    pub struct Nested {
        /// What they control.
        controller: Controller,
        /// How many.
        levels: u64,
    }
}

impl Controller {
    /// Its name in a hierarchy; none is called so in version 1.
    fn name_in(self, is_v2: bool) -> &'static str {
        match self {
            Self::Io if !is_v2 => "blkio",
            _ => self.name(),
        }
    }

    /// Files of a group with what was charged to it at most, or is now; the first that can be read counts.
    fn charges(self) -> &'static [&'static str] {
        match self {
            Self::Memory => &["memory.peak", "memory.max_usage_in_bytes", "memory.current"],
            Self::Pids => &["pids.current"],
            _ => &[],
        }
    }
}

/// Does the work of this process and its children in the point's nested groups, and counts what shows that it was there.
///
/// # Errors
/// Skipped where groups cannot be nested, or do not have the controller.
pub fn in_groups(bench: &mut Bench<'_>, work: impl FnOnce(&mut Bench<'_>) -> Result<()>) -> Result<()> {
    let groups = Groups::new(bench)?;
    groups.enter()?;
    work(bench)?;
    groups.count(bench);
    Ok(())
}

/// Groups, each in the one before, left and removed when dropped, or removed by the run's cleanup process.
#[derive(Debug)]
pub struct Groups {
    controller: Controller,
    is_v2: bool,
    /// The group in which this process was.
    own: PathBuf,
    /// The one that they are in.
    parent: PathBuf,
    /// They themselves, from the outermost.
    nested: Vec<PathBuf>,
    /// The record, locked as long as this process or a child of it lives.
    _record: Option<File>,
}

impl Groups {
    /// Makes those of the point, in the hierarchy that has the controller.
    ///
    /// # Errors
    /// Skipped where groups cannot be nested, or do not have the controller.
    pub fn new(bench: &Bench<'_>) -> Result<Self> {
        let Nested { controller, levels } = bench.parameters()?;
        let levels = levels.min(MAX_LEVELS) as usize;
        let mut record = open_record(&bench.directory()?.folder)?;
        let mut reason = match controller {
            Controller::None => {
                "no group of version 2 around this process passes no controller on".to_owned()
            }
            _ => format!("no group around this process passes the controller {} on", controller.name()),
        };
        for hierarchy in Hierarchy::of_this_process(controller.name_in(false)) {
            let name = controller.name_in(hierarchy.is_v2);
            let passes = |parent: &PathBuf| match controller {
                Controller::None => controllers_in(parent, "cgroup.subtree_control").is_empty(),
                _ => hierarchy.delegates(parent, name),
            };
            for parent in hierarchy.groups().into_iter().filter(passes) {
                let name = unused_name();
                let within = |path: &PathBuf| Some(path.join(&name));
                let nested: Vec<PathBuf> =
                    std::iter::successors(within(&parent), within).take(levels).collect();
                // The innermost has to be removed first.
                for path in nested.iter().rev() {
                    if let Some(record) = &mut record {
                        let _ = writeln!(record, "{}", path.display());
                    }
                }
                let (own, is_v2) = (hierarchy.own_path(), hierarchy.is_v2);
                let mut groups = Self { controller, is_v2, own, parent, nested, _record: None };
                match groups.make() {
                    Ok(()) => {
                        groups._record = record.take();
                        return Ok(groups);
                    }
                    Err(error) => reason = format!("{}: {error}", groups.parent.display()),
                }
            }
        }
        Err(Failure::skipped(format!("no control groups can be nested ({reason})"), REMEDY))
    }

    fn make(&self) -> std::io::Result<()> {
        let mut around: Option<&PathBuf> = None;
        for path in &self.nested {
            if let Some(around) = around.filter(|_| self.is_v2 && self.controller != Controller::None) {
                let controller = self.controller.name_in(true);
                fs::write(around.join("cgroup.subtree_control"), format!("+{controller}"))?;
            }
            fs::create_dir(path)?;
            around = Some(path);
        }
        Ok(())
    }

    fn innermost(&self) -> &Path {
        self.nested.last().unwrap_or(&self.own)
    }

    /// Moves this process into the innermost.
    ///
    /// # Errors
    /// Skipped when the kernel refuses.
    pub fn enter(&self) -> Result<()> {
        let group = self.innermost();
        let refused = |error| Failure::skipped(format!("{}: {error}", group.display()), REMEDY);
        move_to(group).map_err(refused)
    }

    /// Counts the levels at which this process is below the group around all, the controllers of the innermost, and what was charged
    /// to it.
    pub fn count(&self, bench: &mut Bench<'_>) {
        let mut all = Hierarchy::of_this_process(self.controller.name_in(false)).into_iter();
        let below = all
            .find(|one| one.is_v2 == self.is_v2)
            .and_then(|one| Some(one.own_path().strip_prefix(&self.parent).ok()?.components().count()));
        bench.count("cgroup.levels", below.unwrap_or(0) as f64, 1.0);
        let controllers = match self.is_v2 {
            true => controllers_in(self.innermost(), "cgroup.controllers"),
            // A hierarchy of version 1 has its own.
            false => vec![self.controller.name().to_owned()],
        };
        let is_named = self.controller == Controller::None
            || controllers.iter().any(|name| name == self.controller.name());
        bench.count("cgroup.controllers", if is_named { controllers.len() as f64 } else { 0.0 }, 1.0);
        if let Some(charged) = self.charged() {
            bench.count("cgroup.charged", charged, 1.0);
        }
    }

    /// What was charged to the innermost; `None` for what controls shares only.
    fn charged(&self) -> Option<f64> {
        let mut files = self.controller.charges().iter().peekable();
        files.peek()?;
        let read = |file: &&str| fs::read_to_string(self.innermost().join(file)).ok()?.trim().parse().ok();
        Some(files.find_map(read).unwrap_or(0.0))
    }
}

fn move_to(group: &Path) -> std::io::Result<()> {
    fs::write(group.join("cgroup.procs"), std::process::id().to_string())
}

impl Drop for Groups {
    fn drop(&mut self) {
        // Where it fails, the groups are removed after the end of this process.
        let _ = move_to(&self.own);
        self.nested.iter().rev().for_each(|group| remove(group));
    }
}
