//! Processes beside what is measured: they take a CPU, or disturb it.

use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A process that ends with its owner.
pub(super) struct Beside(Child);

impl Beside {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        Ok(Self(command.stdin(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?))
    }

    /// A process that computes for this share of the time on a CPU.
    pub(super) fn hog(cpu: &str, percent: u32) -> Result<Self> {
        let mut command = Command::new("taskset");
        command.args(["-c", cpu]).arg(std::env::current_exe()?);
        Self::start(command.args(["burn", &percent.to_string()]))
    }

    /// A program of bursts of interrupts, each of this many microseconds, which has begun with them.
    pub(super) fn bursts(program: &Path, cpu: &str, us: &str) -> Result<Self> {
        let mut started = Self::start(Command::new(program).args([cpu, us]).stdout(Stdio::piped()))?;
        let said = started.0.stdout.take().context("no standard output")?;
        let line = BufReader::new(said).lines().next().transpose()?;
        ensure!(line.as_deref() == Some("ready"), "{} ended early", program.display());
        Ok(started)
    }

    /// A real-time process that computes for 5 ms of 100 ms.
    pub(super) fn real_time_hog(cpu: &str) -> Result<Self> {
        let mut command = Command::new("chrt");
        command.args(["-f", "10", "taskset", "-c", cpu]).arg(std::env::current_exe()?);
        Self::start(command.args(["burn", "5", "--turn-ms", "100"]))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It ends by itself when this fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
