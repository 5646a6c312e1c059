//! Work within nested control groups of version 2.

use crate::memory_group::{Hierarchy, controllers_below, open_record, remove, unused_name};
use measure::{Bench, Failure, Result, parameters};
use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The remedy where no groups can be nested.
const REMEDY: &str = "run as root where the control groups of version 2 are mounted for writing, or where a group is delegated to \
                      you (systemd-run --user --scope -p Delegate=yes)";

/// Most groups that are nested.
const MAX_LEVELS: u64 = 64;

parameters! {
    /// Nested groups.
    pub struct Nested {
        /// How many.
        levels: u64,
    }
}

/// Does the work of this process and its children in the point's number of nested groups, and counts the levels between.
///
/// # Errors
/// Skipped where groups cannot be nested.
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
    /// Makes those of the point, each with all controllers that the one around it passes on.
    ///
    /// # Errors
    /// Skipped where groups cannot be nested.
    pub fn new(bench: &Bench<'_>) -> Result<Self> {
        let levels = bench.parameters::<Nested>()?.levels.min(MAX_LEVELS);
        let skipped = |reason: String| Failure::skipped(reason, REMEDY);
        let all = Hierarchy::of_this_process().into_iter();
        let hierarchy = { all }.find(|one| one.is_v2).ok_or_else(|| {
            skipped("no control groups of version 2 are mounted, or this process is in none".to_owned())
        })?;
        let mut record = open_record(&bench.directory()?.folder)?;
        let mut parents = hierarchy.parents();
        parents.sort_by_key(|parent| Reverse(controllers_below(parent).len()));
        let mut reason = String::new();
        for parent in parents {
            let name = unused_name();
            let within = |path: &PathBuf| Some(path.join(&name));
            let nested: Vec<PathBuf> =
                std::iter::successors(within(&parent), within).take(levels as usize).collect();
            // The innermost has to be removed first.
            for path in nested.iter().rev() {
                if let Some(record) = &mut record {
                    let _ = writeln!(record, "{}", path.display());
                }
            }
            let mut groups = Self { own: hierarchy.own_path(), parent, nested, _record: None };
            match groups.make() {
                Ok(()) => {
                    groups._record = record.take();
                    return Ok(groups);
                }
                Err(error) => reason = format!("{}: {error}", groups.parent.display()),
            }
        }
        Err(skipped(format!("no control groups can be nested ({reason})")))
    }

    fn make(&self) -> std::io::Result<()> {
        let mut around: Option<&PathBuf> = None;
        for path in &self.nested {
            if let Some(around) = around {
                for controller in controllers_below(&self.parent) {
                    fs::write(around.join("cgroup.subtree_control"), format!("+{controller}"))?;
                }
            }
            fs::create_dir(path)?;
            around = Some(path);
        }
        Ok(())
    }

    /// Moves this process into the innermost.
    ///
    /// # Errors
    /// Skipped when the kernel refuses.
    pub fn enter(&self) -> Result<()> {
        let group = self.nested.last().unwrap_or(&self.own);
        let refused = |error| Failure::skipped(format!("{}: {error}", group.display()), REMEDY);
        move_to(group).map_err(refused)
    }

    /// Counts the levels at which this process is below the group around all.
    pub fn count(&self, bench: &mut Bench<'_>) {
        let hierarchy = Hierarchy::of_this_process().into_iter().find(|one| one.is_v2);
        let below = hierarchy
            .and_then(|one| Some(one.own_path().strip_prefix(&self.parent).ok()?.components().count()));
        bench.count("cgroup.levels", below.unwrap_or(0) as f64, 1.0);
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
