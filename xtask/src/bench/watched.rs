//! A watch in control groups and a network namespace of its own, so that quotas and delays reach nothing else.

use super::groups::Groups;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A watch.
pub(super) struct Watched {
    child: Child,
    lines: Receiver<Value>,
    pub(super) groups: Groups,
    /// Numbers of events that go on.
    open: Vec<u64>,
}

/// The seconds since 1970.
pub(super) fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl Watched {
    /// A watch of the default channels with the default budget, whose files are in this directory.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let groups = Groups::make()?;
        let mut watch = Command::new("unshare");
        watch
            .args(["--net", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""])
            .arg(program)
            .args(["watch", "--format", "jsonl", "--interval", "1s", "--dir"])
            .arg(folder);
        let mut command = groups.holding(&watch);
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

    /// Runs `tc` on the loopback interface of the watch.
    pub(super) fn tc(&self, words: &[&str]) -> Result<()> {
        let pid = self.child.id().to_string();
        let mut command = Command::new("nsenter");
        command.args(["-t", &pid, "-n", "tc", "qdisc"]).args(words).stderr(Stdio::null());
        ensure!(command.status().context("nsenter")?.success(), "tc qdisc {}", words.join(" "));
        Ok(())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
