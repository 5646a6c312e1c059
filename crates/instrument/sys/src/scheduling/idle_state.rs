//! What a CPU does while it has nothing to do, under control: it runs a task of the lowest priority, or polls.
//!
//! An idle CPU that halts must be woken by an interrupt, in a virtual machine by the hypervisor, and how deep it slept
//! decides what that costs. With a spinning task it never halts; with a latency limit of zero its idle loop polls a flag, and
//! no interrupt is needed.

use crate::process::{Actor, leave_out_of_actors, left_out_of_actors};
use crate::settings::{Policy, set_policy};
use crate::usage::CpuClock;
use crate::{Error, Result, kernel_time, pipe};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

/// Longest life of a spinner, in seconds, should its worker hang.
const LONGEST_LIFE: u32 = 300;

/// Where a process asks for the longest latency of idle states that it bears (PM QoS).
const LATENCY_LIMIT: &str = "/dev/cpu_dma_latency";

/// Tasks of policy SCHED_IDLE that spin, one on each of some CPUs, so that these are never idle. They end with this process,
/// and when dropped.
#[derive(Debug)]
pub struct Spinners(Vec<Actor>);

impl Spinners {
    /// Starts them, and waits until each has run on its CPU. Only for processes with one thread.
    ///
    /// # Errors
    /// When no process can be made, or may not have its CPU or policy.
    pub fn start(cpus: &[u32]) -> Result<Self> {
        let spinners = cpus.iter().map(|&cpu| spinner(cpu)).collect::<Result<Vec<Actor>>>()?;
        leave_out_of_actors(spinners.iter().map(Actor::pid));
        Ok(Self(spinners))
    }

    /// The CPU time that each has had, in nanoseconds.
    pub fn cpu_ns(&self) -> Vec<Option<i64>> {
        self.0.iter().map(|spinner| CpuClock::of_process(spinner.pid()).nanos()).collect()
    }
}

/// The process numbers of the spinners that this process has started.
pub fn spinners() -> Vec<i32> {
    left_out_of_actors()
}

/// Stops a spinner: it has no CPU until it is continued.
///
/// # Errors
/// When it is gone or the call is denied.
pub fn stop(spinner: i32) -> Result<()> {
    let none = Error { call: "kill", errno: libc::ESRCH };
    kill_process(Pid::from_raw(spinner).ok_or(none)?, Signal::STOP).map_err(Error::in_call("kill"))
}

fn spinner(cpu: u32) -> Result<Actor> {
    let (ready, tell) = pipe::pipe()?;
    let spinner = Actor::serve(Some(cpu), || {
        set_policy(Policy::Idle)?;
        rustix::thread::set_name(c"oscope-spinner").map_err(Error::in_call("prctl"))?;
        // SAFETY: the call takes an integer, and the signal ends this process.
        unsafe { libc::alarm(LONGEST_LIFE) };
        tell.write_byte(1)?;
        loop {
            std::hint::spin_loop();
        }
    })?;
    drop(tell);
    match ready.read_byte() {
        Ok(_) => Ok(spinner),
        Err(closed) => Err(crate::process::child_error().unwrap_or(closed)),
    }
}

/// The latency limit of this process; the kernel takes it back when it is closed.
static LIMIT: Mutex<Option<File>> = Mutex::new(None);

/// A latency limit of zero for all CPUs, for as long as it is held: their idle loops poll.
#[derive(Debug)]
pub struct PollingIdle(());

/// Takes the latency limit back, if there is one.
pub fn take_limit_back() {
    if let Ok(mut limit) = LIMIT.lock() {
        *limit = None;
    }
}

impl Drop for PollingIdle {
    fn drop(&mut self) {
        take_limit_back();
    }
}

impl PollingIdle {
    /// Sets the limit.
    ///
    /// # Errors
    /// When the device is not there or may not be opened.
    pub fn start() -> Result<Self> {
        let opened = File::options().write(true).open(LATENCY_LIMIT);
        let mut limit = opened.map_err(Error::in_call("open /dev/cpu_dma_latency"))?;
        limit.write_all(&0_i32.to_ne_bytes()).map_err(Error::in_call("write /dev/cpu_dma_latency"))?;
        *LIMIT.lock().map_err(|_| Error { call: "lock the latency limit", errno: libc::EDEADLK })? =
            Some(limit);
        Ok(Self(()))
    }
}

/// How long some CPUs together were idle until a moment, as the kernel counts it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IdleTime {
    /// When, in nanoseconds.
    pub at_ns: i64,
    /// Polling in the idle loop; `None` where the kernel does not show idle states.
    pub polling_ns: Option<i64>,
    /// In any other idle state; `None` where it shows neither states nor idle time.
    pub halted_ns: Option<i64>,
}

impl IdleTime {
    /// That of these CPUs.
    pub fn read(cpus: &[u32]) -> Self {
        let at_ns = kernel_time::raw_nanos();
        let states: Option<Vec<[i64; 2]>> = cpus.iter().map(|&cpu| in_states(cpu)).collect();
        match states {
            Some(states) => Self {
                at_ns,
                polling_ns: Some(states.iter().map(|[polling, _]| polling).sum()),
                halted_ns: Some(states.iter().map(|[_, halted]| halted).sum()),
            },
            None => Self { at_ns, polling_ns: None, halted_ns: in_ticks(cpus) },
        }
    }
}

/// Whether the kernel shows the idle states of a CPU; without a driver for them it has none to choose from.
pub fn has_states(cpu: u32) -> bool {
    in_states(cpu).is_some()
}

/// Nanoseconds that a CPU has spent polling, and in all other idle states.
fn in_states(cpu: u32) -> Option<[i64; 2]> {
    let folder = PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle"));
    let mut times = [0, 0];
    for state in fs::read_dir(folder).ok()? {
        let state = state.ok()?.path();
        let name = fs::read_to_string(state.join("name")).ok()?;
        let micros: i64 = fs::read_to_string(state.join("time")).ok()?.trim().parse().ok()?;
        let [polling, halted] = &mut times;
        *(if name.trim() == "POLL" { polling } else { halted }) += micros * 1_000;
    }
    Some(times)
}

/// Nanoseconds that some CPUs were idle by /proc/stat, which counts hundredths of a second.
fn in_ticks(cpus: &[u32]) -> Option<i64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    cpus.iter().map(|cpu| idle_ticks(&text, *cpu)).sum::<Option<i64>>().map(|ticks| ticks * 10_000_000)
}

/// Idle time and time idle while waiting for a device, fields 4 and 5 of a CPU's line.
fn idle_ticks(stat: &str, cpu: u32) -> Option<i64> {
    let line = stat.lines().find_map(|line| line.strip_prefix(&format!("cpu{cpu} ")))?;
    let mut fields = line.split_whitespace().skip(3);
    Some(fields.next()?.parse::<i64>().ok()? + fields.next()?.parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::acting_children;

    #[test]
    fn idle_ticks_are_those_of_the_cpu() {
        let stat = "cpu  9 9 9 900 90\ncpu1 1 2 3 40 5 6\ncpu10 1 2 3 70 8 6\nintr 1\n";
        assert_eq!((idle_ticks(stat, 1), idle_ticks(stat, 10)), (Some(45), Some(78)));
        assert_eq!((idle_ticks(stat, 2), idle_ticks("", 0)), (None, None));
    }

    #[test]
    fn spinners_run_when_nothing_else_does_and_are_no_actors() {
        let cpus = crate::cpu::allowed().unwrap();
        let spinners = Spinners::start(&cpus).unwrap();
        let pids: Vec<i32> = spinners.0.iter().map(Actor::pid).collect();
        assert_eq!(pids.len(), cpus.len());
        for thread in fs::read_dir("/proc/self/task").unwrap() {
            let actors = acting_children(&thread.unwrap().path()).unwrap_or_default();
            assert!(pids.iter().all(|pid| !actors.contains(pid)));
        }
        assert!(spinners.cpu_ns().iter().all(Option::is_some));
        drop(spinners);
        for pid in pids {
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
        }
    }
}
