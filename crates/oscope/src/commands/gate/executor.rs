//! One run of the command after the other, with the looks before, during and after it, and what the kernel counted.

use crate::arguments::Gate as Arguments;
use crate::exit::{nothing, usage};
use crate::supervisor::Interrupt;
use machine::{Live, Tree};
use oscope_trigger::{CoreTrigger, Look};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use sys::kernel_time::raw_nanos;
use sys::memory_file::MemoryFile;
use sys::supervision::{self, Attended};
use sys::usage::{self, CpuClock, UsageScope};

/// Looks right before and right after a run: enough for the clock of the core where a run is shorter than the time between
/// two looks.
const EDGE_LOOKS: usize = 16;

/// Bytes of output that a run may have: a bound for memory.
const MOST_OUTPUT: u64 = 16 << 20;

/// The main task of a command that did this share of its work alone says what others had of its CPU.
const SINGLE_TASK: f64 = 0.95;

/// A run of the command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandRun {
    /// Wall time, from before the process is made to its end.
    pub(super) wall_ns: f64,
    /// The value, in the base unit of its quantity.
    pub(super) value: f64,
    /// Ratios of the looks before, during and after it.
    pub(super) before: Vec<f64>,
    pub(super) during: Vec<f64>,
    pub(super) after: Vec<f64>,
    /// The clock of the core, in hertz.
    pub(super) clock_hz: Option<f64>,
    /// Share of the wall time in which it was ready and another task had its CPU; `None` where no count shows it.
    pub(super) others: Option<f64>,
    /// Share of the wall time that the hypervisor gave to others.
    pub(super) stolen: Option<f64>,
}

/// Runs the command on the CPU that the calling thread is pinned to.
pub(super) struct Executor<'a> {
    arguments: &'a Arguments,
    interrupt: &'a Interrupt,
    cpu: u32,
    trigger: CoreTrigger,
    live: Live,
    number: u32,
}

/// What a child came to.
struct Ended {
    status: ExitStatus,
    wall_ns: i64,
    during: Vec<Look>,
    others: Option<f64>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(arguments: &'a Arguments, cpu: u32, interrupt: &'a Interrupt) -> anyhow::Result<Self> {
        Ok(Self { arguments, interrupt, cpu, trigger: CoreTrigger::new(), live: Live::machine(), number: 0 })
    }

    /// Runs the command once; `None` where the user stopped.
    pub(super) fn run(&mut self) -> anyhow::Result<Option<CommandRun>> {
        self.number += 1;
        let (output, errors) = (self.capture("output")?, self.capture("errors")?);
        let mut command = self.command(&output, &errors)?;
        self.trigger.wait_quiet(self.arguments.wait);
        let stolen = self.stolen_ns();
        let before: Vec<Look> = (0..EDGE_LOOKS).map(|_| self.trigger.look()).collect();
        let Some(ended) = self.follow(&mut command, [&output, &errors])? else { return Ok(None) };
        let after: Vec<Look> = (0..EDGE_LOOKS).map(|_| self.trigger.look()).collect();
        let stolen = self.stolen_ns().zip(stolen).map(|(now, then)| now - then);
        if self.interrupt.is_set() {
            return Ok(None);
        }
        if !ended.status.success() {
            let last = last_line(&text(&errors));
            let words = if last.is_empty() { String::new() } else { format!(": {last}") };
            return Err(nothing(format!(
                "the command failed in run {} ({}){words}",
                self.number, ended.status
            )));
        }
        let wall_ns = ended.wall_ns as f64;
        let chains: Vec<i64> =
            [&before, &ended.during, &after].into_iter().flatten().map(|look| look.chain).collect();
        let ratios = |looks: &[Look]| looks.iter().filter_map(Look::ratio).collect();
        Ok(Some(CommandRun {
            wall_ns,
            value: self.value(wall_ns, &output, &errors)?,
            before: ratios(&before),
            during: ratios(&ended.during),
            after: ratios(&after),
            clock_hz: self.trigger.hz_of(&chains),
            others: ended.others.map(|ns| ns / wall_ns),
            stolen: stolen.map(|ns| ns / wall_ns),
        }))
    }

    /// A file in memory for what the command writes: a pipe would need a reader beside it.
    fn capture(&self, name: &str) -> anyhow::Result<MemoryFile> {
        Ok(MemoryFile::new(&format!("oscope-gate-{name}"), b"")?)
    }

    fn command(&self, output: &MemoryFile, errors: &MemoryFile) -> anyhow::Result<Command> {
        let Some((program, words)) = self.arguments.command.split_first() else {
            return Err(usage("name a command: oscope gate -- COMMAND"));
        };
        let open = |file: &MemoryFile| File::options().append(true).open(file.path());
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(open(output)?).stderr(open(errors)?);
        // An interrupt from the terminal reaches this process only, which then ends the group.
        command.process_group(0);
        supervision::bind_to_this_thread(&mut command);
        Ok(command)
    }

    /// Starts the command and looks at its core until it has ended; `None` where the user stopped.
    fn follow(&mut self, command: &mut Command, written: [&MemoryFile; 2]) -> anyhow::Result<Option<Ended>> {
        let counted = usage::read(UsageScope::Children).unwrap_or_default();
        let own = CpuClock::THREAD.nanos();
        let began = raw_nanos();
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let program = command.get_program().to_string_lossy();
                return Err(usage(format!("'{program}' cannot be started: {error}")));
            }
        };
        let mut during = Vec::new();
        let watched = self.watch(&child, began, written, &mut during);
        let wall_ns = raw_nanos() - began;
        let own = CpuClock::THREAD.nanos().zip(own).map_or(0, |(now, then)| now - then);
        let delays = delays(child.id());
        // The group takes with it what the command has started and not ended.
        supervision::kill_group(child.id());
        let status = child.wait()?;
        if !watched? {
            return Ok(None);
        }
        let counted = usage::read(UsageScope::Children).unwrap_or_default().since(&counted);
        let cpu_ns = counted.cpu_us as f64 * 1e3;
        let others = delays
            .filter(|(ran, _)| *ran >= SINGLE_TASK * cpu_ns)
            .map(|(_, waited)| (waited - own as f64).max(0.0));
        Ok(Some(Ended { status, wall_ns, during, others }))
    }

    /// Looks at the core until the command has ended; whether it ended by itself.
    fn watch(
        &mut self,
        child: &Child,
        began: i64,
        written: [&MemoryFile; 2],
        during: &mut Vec<Look>,
    ) -> anyhow::Result<bool> {
        let limit = i64::try_from(self.arguments.budget.as_nanos()).unwrap_or(i64::MAX);
        loop {
            let attended = supervision::attend(child.id(), Some(self.arguments.look_every));
            if self.interrupt.is_set() {
                return Ok(false);
            }
            if attended == Attended::Ended {
                return Ok(true);
            }
            during.push(self.trigger.look());
            if raw_nanos() - began > limit {
                let limit = quantity::duration_words(self.arguments.budget);
                return Err(nothing(format!(
                    "the command had not ended after {limit}: make it shorter, or give it more time (--budget)"
                )));
            }
            if written.iter().any(|file| length(file) > MOST_OUTPUT) {
                return Err(nothing("the command wrote more than 16 MiB: direct its output to /dev/null"));
            }
        }
    }

    /// The value of a run, in the base unit of its quantity.
    fn value(&self, wall_ns: f64, output: &MemoryFile, errors: &MemoryFile) -> anyhow::Result<f64> {
        let Some(regex) = &self.arguments.value else { return Ok(wall_ns) };
        // Some benchmarks print their result as an error.
        let texts = [text(output), text(errors)];
        let matched = texts.iter().find_map(|text| regex.captures_iter(text).last()?.get(1));
        let Some(matched) = matched else {
            let line = last_line(&texts.concat());
            let wrote = match line.is_empty() {
                true => "the command wrote nothing".to_owned(),
                false => format!("its last line is '{line}'"),
            };
            return Err(nothing(format!("no output of run {} matches --value; {wrote}", self.number)));
        };
        let number: Option<f64> = matched.as_str().replace(',', "").parse().ok();
        let scale = self.arguments.unit.as_ref().map_or(1.0, |unit| unit.scale());
        number.filter(|number| number.is_finite()).map(|number| number * scale).ok_or_else(|| {
            nothing(format!(
                "'{}', which --value matches in run {}, is not a number",
                matched.as_str(),
                self.number
            ))
        })
    }

    /// Nanoseconds that the hypervisor has taken from the CPU until now; field 8 of its line in proc_stat(5), in ticks.
    fn stolen_ns(&self) -> Option<f64> {
        let text = self.live.read("/proc/stat").ok()?;
        let name = format!("cpu{}", self.cpu);
        let fields = text
            .lines()
            .map(str::split_whitespace)
            .find_map(|mut fields| (fields.next() == Some(name.as_str())).then_some(fields));
        let ticks: f64 = fields?.nth(7)?.parse().ok()?;
        Some(ticks * TICK_NS)
    }
}

/// Length of a tick of /proc/stat: USER_HZ is 100 on every architecture of Linux in use.
const TICK_NS: f64 = 1e7;

/// Time on a CPU and time waiting for one of a task that has ended and was not waited for, in nanoseconds.
fn delays(pid: u32) -> Option<(f64, f64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let mut fields = text.split_whitespace().map(str::parse);
    Some((fields.next()?.ok()?, fields.next()?.ok()?))
}

fn length(file: &MemoryFile) -> u64 {
    std::fs::metadata(file.path()).map_or(0, |file| file.len())
}

fn text(file: &MemoryFile) -> String {
    String::from_utf8_lossy(&std::fs::read(file.path()).unwrap_or_default()).into_owned()
}

/// The last line that is not empty, as an error quotes it.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    report::cut_end(&report::printable(line), 120).to_string()
}
