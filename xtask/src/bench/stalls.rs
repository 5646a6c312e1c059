//! `cargo xtask bench stalls`: stalls that are planted while every iteration is timed, and how many of them get the right cause.

use crate::command::program;
use crate::markdown;
use crate::oscope_run::{OscopeRun, Recorded, Worst};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What is measured.
#[derive(clap::Args)]
pub struct Stalls {
    /// Runs beside each kind of stall
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=100))]
    runs: u16,
    /// Time of a run, for its 20 trials
    #[arg(long, value_name = "TIME", default_value = "8s")]
    duration: String,
}

/// A kind of stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stall {
    /// Nothing is planted.
    None,
    /// SIGSTOP, and SIGCONT after 6 ms.
    Stop,
    /// A real-time process that computes for 5 ms.
    Hog,
    /// A quota of a control group: nobody in it runs for 10 ms.
    Quota,
    /// Timers of the CPU that expire at one moment.
    Storm,
}

const KINDS: [Stall; 5] = [Stall::None, Stall::Stop, Stall::Hog, Stall::Quota, Stall::Storm];

/// Where control groups of CPU time are mounted: version 2, or version 1.
const GROUPS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/cpu"];

/// Between two stops of a worker.
const BETWEEN: Duration = Duration::from_millis(60);

/// Timers that expire together: some 0.3 ms.
const TIMERS: &str = "4000";

impl Stall {
    fn words(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Stop => "SIGSTOP for 6 ms",
            Self::Hog => "a real-time process for 5 ms of 100 ms",
            Self::Quota => "a quota of 90 of 100 ms beside a process that computes",
            Self::Storm => "4 000 timers that expire at one moment, every 100 ms",
        }
    }

    /// The point that is measured. Where the stall is short it is no sleep, which every timer interrupts.
    fn point(self) -> &'static str {
        match self {
            Self::Quota => "wakeup.latency load=busy",
            Self::Storm => "process.create.fork_wait resident=0B",
            _ => "wakeup.latency load=idle",
        }
    }

    /// How long an iteration takes that the stall delayed, in nanoseconds: others were delayed by something else.
    fn lengths_ns(self) -> std::ops::Range<u64> {
        match self {
            Self::None | Self::Stop => 4_000_000..10_000_000,
            Self::Hog => 3_000_000..8_000_000,
            Self::Quota => 6_000_000..16_000_000,
            Self::Storm => 200_000..900_000,
        }
    }

    /// Whether a cause is the planted one.
    fn is_right(self, cause: &str) -> bool {
        match self {
            Self::None => false,
            Self::Stop => cause == "stopped by a signal",
            Self::Hog => cause.starts_with("another task"),
            Self::Quota => cause == "CPU quota used up",
            Self::Storm => cause == "tick" || cause.starts_with("irq "),
        }
    }

    /// Runs oscope beside it.
    fn run(self, oscope: &OscopeRun<'_>, duration: &str, cpu: &str, storm: &Path) -> Result<Vec<Worst>> {
        let record = Recorded::new()?;
        let arguments = ["--tail", self.point(), "--duration", duration, "--cpu", cpu, "--quiet"];
        let mut command = oscope.command(&arguments, &record.path());
        let (mut planted, mut group) = (Vec::new(), None);
        match self {
            Self::None | Self::Stop => {}
            Self::Hog => planted.push(Beside::hog(cpu)?),
            Self::Quota => {
                let made = group.insert(Group::of_quota(90_000)?);
                command = made.holding(&command);
            }
            Self::Storm => planted.push(Beside::start(Command::new(storm).args([cpu, TIMERS]))?),
        }
        let mut running = command.stdin(Stdio::null()).spawn()?;
        let status = loop {
            if let Some(status) = running.try_wait()? {
                break status;
            }
            if self == Self::Stop {
                workers(running.id()).into_iter().for_each(stop);
            }
            std::thread::sleep(BETWEEN);
        };
        drop((planted, group));
        ensure!(status.success(), "oscope run beside {}: {status}", self.words());
        let document = oscope.document(&record)?;
        Ok(document
            .tails
            .into_iter()
            .filter_map(|tail| tail.causes)
            .flat_map(|causes| causes.worst)
            .collect())
    }
}

/// A process beside the run, which ends with its owner.
struct Beside(Child);

impl Beside {
    fn start(command: &mut Command) -> Result<Self> {
        Ok(Self(command.stdin(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?))
    }

    /// A real-time process that computes for 5 ms of 100 ms.
    fn hog(cpu: &str) -> Result<Self> {
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

/// A control group with a quota.
struct Group(PathBuf);

impl Group {
    /// A group whose processes have a CPU for this time of 100 ms.
    fn of_quota(us: u32) -> Result<Self> {
        let is_unified = Path::new(GROUPS[0]).join("cgroup.controllers").exists();
        let (root, file, text) = match is_unified {
            true => (GROUPS[0], "cpu.max", format!("{us} 100000")),
            false => (GROUPS[1], "cpu.cfs_quota_us", us.to_string()),
        };
        let group = Self(Path::new(root).join(format!("oscope-stalls-{}", std::process::id())));
        fs::create_dir_all(&group.0).with_context(|| format!("{}: run as root", group.0.display()))?;
        let file = group.0.join(file);
        fs::write(&file, text).with_context(|| file.display().to_string())?;
        Ok(group)
    }

    /// A command in this group.
    fn holding(&self, inner: &Command) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\""]).arg(&self.0);
        command.arg(inner.get_program()).args(inner.get_args()).stdout(Stdio::null());
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its last process was reaped a moment ago.
        for _ in 0..20 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(BETWEEN);
        }
    }
}

/// The children of a process, by its threads.
fn workers(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Stops a worker for 6 ms; it may be over by now.
fn stop(pid: u32) {
    for (signal, wait_ms) in [("-STOP", 6), ("-CONT", 0)] {
        let _ = Command::new("kill").args([signal, &pid.to_string()]).stderr(Stdio::null()).status();
        std::thread::sleep(Duration::from_millis(wait_ms));
    }
}

/// How many stalls of a kind were seen, and which causes they got.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Found {
    right: usize,
    unknown: usize,
    /// Each with its length.
    wrong: Vec<(String, u64)>,
}

impl Found {
    fn of_worst(kind: Stall, worst: &[Worst]) -> Self {
        let mut found = Self::default();
        for one in worst.iter().filter(|one| kind.lengths_ns().contains(&one.ns)) {
            match one.cause.as_str() {
                cause if kind.is_right(cause) => found.right += 1,
                "unknown" => found.unknown += 1,
                cause => found.wrong.push((cause.to_owned(), one.ns)),
            }
        }
        found
    }

    fn row(&self, kind: Stall) -> Vec<String> {
        let all = self.right + self.unknown + self.wrong.len();
        let wrong = self.wrong.iter().map(|(cause, ns)| format!("{cause} ({:.1} ms)", *ns as f64 * 1e-6));
        let share = if all == 0 {
            "–".to_owned()
        } else {
            format!("{:.0} %", 100.0 * self.right as f64 / all as f64)
        };
        vec![
            kind.words().to_owned(),
            kind.point().to_owned(),
            all.to_string(),
            share,
            self.unknown.to_string(),
            self.wrong.len().to_string(),
            wrong.collect::<Vec<_>>().join(", "),
        ]
    }
}

/// Plants stalls, and prints how many of the ten slowest iterations of each run got the right cause.
pub fn stalls(root: &Path, choice: &Stalls) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let folder = tempfile::tempdir()?;
    let storm = folder.path().join("storm");
    let compiled = Command::new("cc")
        .args(["-O2", "-o"])
        .arg(&storm)
        .arg(root.join("xtask/src/bench/storm.c"))
        .status()?;
    ensure!(compiled.success(), "storm.c cannot be compiled");
    let cpu = sys::cpu::allowed()?.last().context("the allowed CPUs are unknown")?.to_string();
    let mut rows = Vec::new();
    for kind in KINDS {
        let mut worst = Vec::new();
        for run in 1..=choice.runs {
            eprintln!("{kind:?}, run {run} of {}", choice.runs);
            worst.extend(kind.run(&oscope, &choice.duration, &cpu, &storm)?);
        }
        rows.push(Found::of_worst(kind, &worst).row(kind));
    }
    let titles = ["planted", "point", "iterations as long", "right", "unknown", "wrong", "wrong causes"];
    print!("{}", markdown::table(&titles, rows));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_right_unknown_or_wrong_where_iterations_are_as_long_as_the_stall() {
        let worst = |cause: &str, ns| Worst { cause: cause.to_owned(), ns };
        let all = [
            worst("stopped by a signal", 6_500_000),
            worst("unknown", 6_200_000),
            worst("hypervisor (steal time)", 5_000_000),
            worst("tick", 90_000),
        ];
        let found = Found::of_worst(Stall::Stop, &all);
        assert_eq!((found.right, found.unknown), (1, 1));
        assert_eq!(found.wrong, [("hypervisor (steal time)".to_owned(), 5_000_000)]);
        assert_eq!(Found::of_worst(Stall::None, &all).right, 0);
        assert_eq!(Found::of_worst(Stall::Hog, &[worst("another task (xtask)", 5_000_000)]).right, 1);
    }
}
