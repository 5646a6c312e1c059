//! A watch in control groups and a network namespace of its own, so that quotas and delays reach nothing else.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// A watch.
pub(super) struct Watched {
    child: Child,
    lines: Receiver<Value>,
    groups: Groups,
    /// Numbers of events that go on.
    open: Vec<u64>,
}

/// The groups of a watch: of version 2, or one for each controller of version 1.
struct Groups {
    cpu: PathBuf,
    disk: PathBuf,
    is_unified: bool,
}

/// The seconds since 1970.
pub(super) fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl Groups {
    fn make() -> Result<Self> {
        let name = format!("oscope-bench-{}", std::process::id());
        let is_unified = Path::new(GROUPS).join("cgroup.controllers").exists();
        let groups = if is_unified {
            let group = Path::new(GROUPS).join(name);
            Self { cpu: group.clone(), disk: group, is_unified }
        } else {
            let [cpu, disk] =
                ["cpu", "blkio"].map(|controller| Path::new(GROUPS).join(controller).join(&name));
            Self { cpu, disk, is_unified }
        };
        for group in [&groups.cpu, &groups.disk] {
            fs::create_dir_all(group).with_context(|| format!("{}: run as root", group.display()))?;
        }
        Ok(groups)
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        // They can be removed when their last process is reaped.
        let _ = [&self.cpu, &self.disk].map(fs::remove_dir);
    }
}

impl Watched {
    /// A watch of the default channels with the default budget, whose files are in this directory.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let groups = Groups::make()?;
        let script = "ip link set lo up && for group in \"$1\" \"$2\"; do echo $$ > \"$group/cgroup.procs\" || exit 1; done \
            && exec \"$0\" watch --format jsonl --interval 1s --dir \"$3\"";
        let mut command = Command::new("unshare");
        command
            .args(["--net", "sh", "-c", script])
            .arg(program)
            .args([&groups.cpu, &groups.disk])
            .arg(folder);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("unshare")?;
        let out = child.stdout.take().context("no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(std::result::Result::ok);
            for line in lines.filter_map(|line| serde_json::from_str(&line).ok()) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, lines, groups, open: Vec::new() })
    }

    /// The next line, if one comes before this moment.
    pub(super) fn line(&mut self, until: Instant) -> Result<Option<Value>> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(number) = line["event"].as_u64() {
                    self.open.retain(|open| *open != number);
                    self.open.extend(line["ended_unix_s"].is_null().then_some(number));
                }
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the watch has ended"),
        }
    }

    /// Waits until every channel has its level, or for so long; which channels have none.
    pub(super) fn settle(&mut self, most: Duration) -> Result<Vec<String>> {
        let until = Instant::now() + most;
        let mut without = Vec::new();
        while let Some(line) = self.line(until)? {
            let Some(channels) = line["channels"].as_array() else { continue };
            without = channels
                .iter()
                .filter(|channel| channel["level"].is_null())
                .map(|channel| channel["operation"].as_str().unwrap_or_default().to_owned())
                .collect();
            if without.is_empty() {
                break;
            }
        }
        Ok(without)
    }

    /// Waits until no event goes on, or for so long.
    pub(super) fn calm(&mut self, least: Duration, most: Duration) -> Result<()> {
        let (least, until) = (Instant::now() + least, Instant::now() + most);
        while Instant::now() < least || !self.open.is_empty() && Instant::now() < until {
            self.line(until.min(Instant::now() + Duration::from_secs(1)))?;
        }
        Ok(())
    }

    /// Sets the share of one CPU that the watch may use, in percent; `None` for no limit.
    pub(super) fn set_quota(&self, percent: Option<u32>) -> Result<()> {
        let us = percent.map(|percent| 1_000 * percent);
        let (file, text) = match (self.groups.is_unified, us) {
            (true, us) => ("cpu.max", us.map_or("max 100000".to_owned(), |us| format!("{us} 100000"))),
            (false, us) => ("cpu.cfs_quota_us", us.map_or("-1".to_owned(), |us| us.to_string())),
        };
        write(&self.groups.cpu.join(file), &text)
    }

    /// Sets the writes and reads per second that the disk of this number makes for the watch; `None` for no limit.
    pub(super) fn set_requests(&self, device: &str, per_s: Option<u32>) -> Result<()> {
        if self.groups.is_unified {
            let most = per_s.map_or("max".to_owned(), |per_s| per_s.to_string());
            return write(&self.groups.disk.join("io.max"), &format!("{device} riops={most} wiops={most}"));
        }
        let text = format!("{device} {}", per_s.unwrap_or(0));
        ["read", "write"].iter().try_for_each(|direction| {
            write(&self.groups.disk.join(format!("blkio.throttle.{direction}_iops_device")), &text)
        })
    }

    /// Runs `tc` on the loopback interface of the watch.
    pub(super) fn tc(&self, words: &[&str]) -> Result<()> {
        let pid = self.child.id().to_string();
        let mut command = Command::new("nsenter");
        command.args(["-t", &pid, "-n", "tc", "qdisc"]).args(words).stderr(Stdio::null());
        ensure!(command.status().context("nsenter")?.success(), "tc qdisc {}", words.join(" "));
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{}: {text}", path.display()))
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A worker ends with its supervisor, a moment later.
        std::thread::sleep(Duration::from_millis(500));
    }
}
