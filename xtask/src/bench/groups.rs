//! Control groups of a program that is measured, so that quotas reach nothing else.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// The groups of a program: one of version 2, or one for each controller of version 1.
pub(super) struct Groups {
    cpu: PathBuf,
    disk: PathBuf,
    is_unified: bool,
}

impl Groups {
    pub(super) fn make() -> Result<Self> {
        let name = format!("oscope-bench-{}", std::process::id());
        let is_unified = Path::new(GROUPS).join("cgroup.controllers").exists();
        let [cpu, disk] = if is_unified { ["", ""] } else { ["cpu", "blkio"] }
            .map(|controller| Path::new(GROUPS).join(controller).join(&name));
        let groups = Self { cpu, disk, is_unified };
        for group in [&groups.cpu, &groups.disk] {
            fs::create_dir_all(group).with_context(|| format!("{}: run as root", group.display()))?;
        }
        Ok(groups)
    }

    /// A command that runs another one in them.
    pub(super) fn holding(&self, inner: &Command) -> Command {
        let script = "for group in \"$0\" \"$1\"; do echo $$ > \"$group/cgroup.procs\" || exit 1; done; shift; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script]).args([&self.cpu, &self.disk]);
        command.arg(inner.get_program()).args(inner.get_args());
        command
    }

    /// Sets the share of one CPU that the program may use, in percent; `None` for no limit.
    pub(super) fn set_quota(&self, percent: Option<u32>) -> Result<()> {
        let us = percent.map(|percent| 1_000 * percent);
        let (file, text) = match (self.is_unified, us) {
            (true, us) => ("cpu.max", us.map_or("max 100000".to_owned(), |us| format!("{us} 100000"))),
            (false, us) => ("cpu.cfs_quota_us", us.map_or("-1".to_owned(), |us| us.to_string())),
        };
        write(&self.cpu.join(file), &text)
    }

    /// Sets the writes and reads per second that the disk of this number makes for the program; `None` for no limit.
    pub(super) fn set_requests(&self, device: &str, per_s: Option<u32>) -> Result<()> {
        if self.is_unified {
            let most = per_s.map_or("max".to_owned(), |per_s| per_s.to_string());
            return write(&self.disk.join("io.max"), &format!("{device} riops={most} wiops={most}"));
        }
        let text = format!("{device} {}", per_s.unwrap_or(0));
        ["read", "write"].iter().try_for_each(|direction| {
            write(&self.disk.join(format!("blkio.throttle.{direction}_iops_device")), &text)
        })
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{}: {text}", path.display()))
}

impl Drop for Groups {
    fn drop(&mut self) {
        for group in [&self.cpu, &self.disk] {
            // A worker ends with its supervisor, a moment later.
            for _ in 0..20 {
                if fs::remove_dir(group).is_ok() || !group.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(60));
            }
        }
    }
}
