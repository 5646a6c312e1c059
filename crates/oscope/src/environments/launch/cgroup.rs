//! A control group with a limit of CPU time for one worker.

use super::attended;
use anyhow::Context;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// What the group limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// Percent of one CPU, in each period of 100 ms.
    Quota(u32),
    /// The weight beside other groups, on the scale of version 1: 1024 is that of a group without a choice.
    Shares(u64),
}

/// The kernel's own period, which container runtimes keep, in microseconds.
const PERIOD: u64 = 100_000;

/// Longest wait for processes of the group that are ending, and the pause between two attempts.
const TIMEOUT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

impl Limit {
    /// The file of a group that takes the limit, and what it takes, in version 2 and in version 1.
    fn writings(self) -> [(&'static str, String); 2] {
        match self {
            Self::Quota(percent) => {
                let quota = u64::from(percent) * PERIOD / 100;
                [("cpu.max", format!("{quota} {PERIOD}")), ("cpu.cfs_quota_us", quota.to_string())]
            }
            Self::Shares(shares) => {
                [("cpu.weight", weight(shares).to_string()), ("cpu.shares", shares.to_string())]
            }
        }
    }
}

/// Shares as a weight of version 2, as container runtimes compute it: 2..262144 to 1..10000.
fn weight(shares: u64) -> u64 {
    1 + (shares.clamp(2, 262_144) - 2) * 9_999 / 262_142
}

/// A group below that of this process; removed when dropped.
struct Group(PathBuf);

impl Drop for Group {
    fn drop(&mut self) {
        let deadline = Instant::now() + TIMEOUT;
        while fs::remove_dir(&self.0).is_err() && self.0.exists() && Instant::now() < deadline {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Runs the command in a group of its own with the limit, and waits for it.
pub(super) fn run(limit: Limit, command: &[OsString]) -> anyhow::Result<ExitStatus> {
    let group = make(limit)?;
    // The group is entered before the program begins, by the process that becomes it.
    let mut entering = Command::new("sh");
    entering.args(["-c", "echo 0 > \"$0/cgroup.procs\" && exec \"$@\""]).arg(&group.0).args(command);
    attended::run(&mut entering).context("sh")
}

/// A group with the limit, next to this process's own or below it, in the version of groups that has the controller.
fn make(limit: Limit) -> anyhow::Result<Group> {
    let folders = machine::cpu_groups(&machine::Live::machine())
        .map_err(|absent| anyhow::anyhow!("the control groups cannot be found: {absent:?}"))?;
    let name = format!("oscope-{}", std::process::id());
    let mut reason = "no control groups with a CPU controller are mounted".to_owned();
    for folder in folders.iter().map(Path::new) {
        let path = folder.join(&name);
        if let Err(error) = fs::create_dir(&path) {
            reason = format!("{}: {error}", path.display());
            continue;
        }
        let group = Group(path);
        let taken = limit.writings().into_iter().find(|(file, _)| group.0.join(file).exists());
        let Some((file, text)) = taken else { continue };
        match fs::write(group.0.join(file), text) {
            Ok(()) => return Ok(group),
            Err(error) => reason = format!("{}/{file}: {error}", group.0.display()),
        }
    }
    anyhow::bail!("no control group with a limit can be made ({reason}); run as root")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_the_same_in_both_versions_of_groups() {
        let [two, one] = Limit::Quota(50).writings();
        assert_eq!(two, ("cpu.max", "50000 100000".to_owned()));
        assert_eq!(one, ("cpu.cfs_quota_us", "50000".to_owned()));
        // What runc makes of them (crun's and systemd's tables have the same ends).
        assert_eq!([2, 1024, 262_144].map(weight), [1, 39, 10_000]);
    }
}
