//! `cargo xtask bench stalls`: stalls that are planted while every iteration is timed, and how many of them get the right cause.

use super::beside::Beside;
use super::groups::Groups;
use crate::command::{program, run};
use crate::lab;
use crate::markdown;
use crate::oscope_run::{OscopeRun, Recorded, Worst};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is measured.
#[derive(clap::Args)]
pub struct Stalls {
    /// Only this kind of stall
    kind: Option<Stall>,
    /// Runs beside each kind of stall
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=100))]
    runs: u16,
}

/// A kind of stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Stall {
    /// Nothing is planted.
    None,
    /// SIGSTOP, and SIGCONT after 6 ms.
    Stop,
    /// The same to the emulator of a virtual machine, after 20 ms.
    Machine,
    /// A real-time process that computes for 5 ms.
    Hog,
    /// A quota of a control group: nobody in it runs for 10 ms.
    Quota,
    /// Timers of the CPU that expire at one moment.
    Storm,
    /// Frames that another CPU hands to this one.
    Flood,
}

/// Share of the planted stalls that must get the right cause, and share that may get a wrong one.
const MUST_BE_RIGHT: f64 = 0.95;
const MAY_BE_WRONG: f64 = 0.01;

/// Between two stops of a worker.
const BETWEEN: Duration = Duration::from_millis(60);

/// How long a worker is stopped, and how long an emulator: for five ticks of its machine.
const STOP: Duration = Duration::from_millis(6);
const STOP_OF_MACHINE: Duration = Duration::from_millis(20);

/// Microseconds that a burst of interrupts takes: its plant finds how many timers or frames that are.
const BURST_US: &str = "400";

impl Stall {
    fn words(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Stop => "SIGSTOP for 6 ms",
            Self::Machine => "SIGSTOP of the emulator of a virtual machine for 20 ms",
            Self::Hog => "a real-time process for 5 ms of 100 ms",
            Self::Quota => "a quota of 90 of 100 ms beside a process that computes",
            Self::Storm => "0.4 ms of timers that expire at one moment, every 100 ms",
            Self::Flood => "0.4 ms of frames over a virtual interface, every 100 ms",
        }
    }

    /// The point that is measured. Where the stall is short it is no sleep, which every timer interrupts; where a CPU is stopped, one whose task
    /// computes.
    fn point(self) -> &'static str {
        match self {
            Self::Quota => "wakeup.latency load=busy",
            Self::Storm | Self::Flood => "process.create.fork_wait resident=0B",
            Self::Machine => "signal.deliver.self",
            _ => "wakeup.latency load=idle",
        }
    }

    /// How long an iteration takes that the stall delayed, in nanoseconds: others were delayed by something else.
    fn lengths_ns(self) -> std::ops::Range<u64> {
        match self {
            Self::None | Self::Stop => 4_000_000..10_000_000,
            Self::Hog => 3_000_000..8_000_000,
            Self::Quota => 6_000_000..16_000_000,
            Self::Storm | Self::Flood => 200_000..900_000,
            Self::Machine => 15_000_000..40_000_000,
        }
    }

    /// Runs for each one that is asked for, and the time of a run: a record lists ten iterations, of which the pauses that a hypervisor makes
    /// must leave some to short plants.
    fn runs(self) -> (u16, &'static str) {
        match self {
            Self::Storm | Self::Flood => (4, "2s"),
            _ => (1, "8s"),
        }
    }

    /// Whether a cause is the planted one.
    fn is_right(self, cause: &str) -> bool {
        match self {
            Self::None => false,
            Self::Stop => cause == "stopped by a signal",
            Self::Machine => cause.starts_with("hypervisor"),
            Self::Hog => cause.starts_with("another task"),
            Self::Quota => cause == "CPU quota used up",
            Self::Storm => cause == "tick" || cause.starts_with("irq "),
            // The other CPU calls this one by an interrupt, which raises the softirq.
            Self::Flood => {
                cause == "softirq NET_RX" || cause.starts_with("irq CAL") || cause.starts_with("irq RES")
            }
        }
    }

    /// Runs oscope beside it.
    fn run(self, oscope: &OscopeRun<'_>, cpu: &str, folder: &Path) -> Result<Vec<Worst>> {
        let record = Recorded::new()?;
        let (_, duration) = self.runs();
        let arguments = ["--tail", self.point(), "--duration", duration, "--cpu", cpu, "--quiet"];
        let mut command = oscope.command(&arguments, &record.path());
        let (mut planted, mut group) = (Vec::new(), None);
        match self {
            Self::None | Self::Stop | Self::Machine => {}
            Self::Hog => planted.push(Beside::real_time_hog(cpu)?),
            Self::Quota => {
                let made = group.insert(Groups::make()?);
                made.set_quota(Some(90))?;
                command = made.holding(&command);
            }
            Self::Storm => planted.push(Beside::bursts(&folder.join("storm"), cpu, BURST_US)?),
            Self::Flood => planted.push(Beside::bursts(&folder.join("flood"), cpu, BURST_US)?),
        }
        let mut running = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let status = loop {
            if let Some(status) = running.try_wait()? {
                break status;
            }
            if self == Self::Stop {
                workers(running.id()).into_iter().for_each(|pid| stop(pid, STOP));
            }
            std::thread::sleep(BETWEEN);
        };
        drop((planted, group));
        ensure!(status.success(), "oscope run beside {}: {status}", self.words());
        worst(oscope, &record.path())
    }
}

/// The slowest iterations of a record.
fn worst(oscope: &OscopeRun<'_>, record: &Path) -> Result<Vec<Worst>> {
    let tails = oscope.document(record)?.tails.into_iter();
    Ok(tails.filter_map(|tail| tail.causes).flat_map(|causes| causes.worst).collect())
}

/// Those of a virtual machine whose emulator is stopped again and again.
fn of_machine(root: &Path, oscope: &OscopeRun<'_>) -> Result<Vec<Worst>> {
    let stop_emulator = |pid| workers(pid).into_iter().for_each(|pid| stop(pid, STOP_OF_MACHINE));
    worst(oscope, &lab::tails(root, stop_emulator)?)
}

/// The children of a process, by its threads.
fn workers(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Stops a process for a time; it may be over by now.
fn stop(pid: u32, time: Duration) {
    for (signal, wait) in [("-STOP", time), ("-CONT", Duration::ZERO)] {
        let _ = Command::new("kill").args([signal, &pid.to_string()]).stderr(Stdio::null()).status();
        std::thread::sleep(wait);
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

    fn all(&self) -> usize {
        self.right + self.unknown + self.wrong.len()
    }

    /// Whether stalls of this kind were seen, and enough of them got the right cause. Beside none, iterations are delayed by what the machine does.
    fn is_enough(&self, kind: Stall) -> bool {
        let all = self.all() as f64;
        let are_right = self.right > 0 && self.right as f64 >= MUST_BE_RIGHT * all;
        kind == Stall::None || are_right && self.wrong.len() as f64 <= MAY_BE_WRONG * all
    }

    fn row(&self, kind: Stall) -> Vec<String> {
        let all = self.all();
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

/// Plants stalls, and prints how many of the ten slowest iterations of each run got the right cause; gives whether these are
/// enough for each kind.
pub fn stalls(root: &Path, choice: &Stalls) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let folder = tempfile::tempdir()?;
    for name in ["storm", "flood"] {
        let source = root.join(format!("xtask/src/bench/{name}.c"));
        run(Command::new("cc").args(["-O2", "-o"]).arg(folder.path().join(name)).arg(source))?;
    }
    let cpu = sys::cpu::allowed()?.last().context("the allowed CPUs are unknown")?.to_string();
    let (mut rows, mut is_enough) = (Vec::new(), true);
    let kinds =
        Stall::value_variants().iter().copied().filter(|kind| choice.kind.is_none_or(|only| only == *kind));
    for kind in kinds {
        let mut worst = Vec::new();
        let runs = kind.runs().0 * choice.runs;
        for number in 1..=runs {
            eprintln!("{kind:?}, run {number} of {runs}");
            worst.extend(match kind {
                Stall::Machine => of_machine(root, &oscope)?,
                _ => kind.run(&oscope, &cpu, folder.path())?,
            });
        }
        let found = Found::of_worst(kind, &worst);
        is_enough &= found.is_enough(kind);
        rows.push(found.row(kind));
    }
    let titles = ["planted", "point", "iterations as long", "right", "unknown", "wrong", "wrong causes"];
    print!("{}", markdown::table(&titles, rows));
    Ok(is_enough)
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
        assert!(!found.is_enough(Stall::Stop), "one of three is wrong");
        assert!(!Found::default().is_enough(Stall::Stop), "none was seen");
        assert!(Found { right: 99, unknown: 1, wrong: Vec::new() }.is_enough(Stall::Stop));
        assert!(!Found { right: 90, unknown: 10, wrong: Vec::new() }.is_enough(Stall::Stop));
        assert_eq!(Found::of_worst(Stall::None, &all).right, 0);
        assert_eq!(Found::of_worst(Stall::Hog, &[worst("another task (xtask)", 5_000_000)]).right, 1);
    }
}
