//! What the kernel counted for this thread, this process, its children: CPU time, switches, faults.

use crate::kernel_time::read_raw;
use crate::memory::{Mapping, page_size};
use crate::{Error, Result};
use rustix::thread::{ClockId, NanosleepRelativeResult, Timespec, clock_nanosleep_relative, nanosleep};
use std::sync::OnceLock;

/// Usage of what, by getrusage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum UsageScope {
    /// The calling thread.
    Thread = libc::RUSAGE_THREAD,
    /// All threads of this process.
    Process = libc::RUSAGE_SELF,
    /// The children that have been waited for.
    Children = libc::RUSAGE_CHILDREN,
}

/// Counts since the start of the thread, process or children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Times that it gave up the CPU by itself.
    pub voluntary: i64,
    /// Times that the CPU was taken from it.
    pub involuntary: i64,
    /// Faults served without the disk.
    pub minor_faults: i64,
    /// Faults that needed the disk.
    pub major_faults: i64,
    /// CPU time in microseconds, in steps of one.
    pub cpu_us: i64,
    /// Blocks of 512 bytes that it wrote to a file system.
    pub blocks_written: i64,
}

impl Usage {
    /// Both kinds of switches.
    pub fn switches(&self) -> i64 {
        self.voluntary + self.involuntary
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, earlier: &Self) -> Self {
        self.each(earlier, |now, before| now - before)
    }

    /// Both readings added.
    pub fn plus(&self, other: &Self) -> Self {
        self.each(other, |one, more| one + more)
    }

    fn each(&self, other: &Self, of: impl Fn(i64, i64) -> i64) -> Self {
        Self {
            voluntary: of(self.voluntary, other.voluntary),
            involuntary: of(self.involuntary, other.involuntary),
            minor_faults: of(self.minor_faults, other.minor_faults),
            major_faults: of(self.major_faults, other.major_faults),
            cpu_us: of(self.cpu_us, other.cpu_us),
            blocks_written: of(self.blocks_written, other.blocks_written),
        }
    }
}

/// Which counts can be believed, tried on something known: gVisor's kernel says 0 switches, and a process that is stopped by
/// a tracer at every system call is switched there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReliableCounts {
    /// A sleep was counted as a switch, and system calls that do not sleep were not.
    pub switches: bool,
    /// The first write to a page was counted as a fault.
    pub faults: bool,
    /// The same of children: a kernel that does not count a process's own switches does not count its children's faults.
    pub faults_of_children: bool,
}

/// A sleep that is a switch also where timers have no slack, as those of real-time tasks: a timer of a microsecond has expired
/// before such a task is off its CPU.
const KNOWN_SLEEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000 };

/// System calls that need no other task.
const KNOWN_CALLS: i64 = 16;

/// Switches during calls that need none; other programs may cause a few.
fn switches_of_calls() -> i64 {
    let before = read(UsageScope::Process).unwrap_or_default();
    for _ in 0..KNOWN_CALLS {
        super::process::getppid();
    }
    let after = read(UsageScope::Process).unwrap_or_default();
    after.since(&before).switches()
}

/// Tries which counts the kernel keeps, once in a process; it sleeps for a moment.
pub fn reliable_counts() -> ReliableCounts {
    static COUNTS: OnceLock<ReliableCounts> = OnceLock::new();
    *COUNTS.get_or_init(|| {
        let before = read(UsageScope::Process).unwrap_or_default();
        // Either call may be denied. Where both are, no switch is seen, and none is claimed.
        if let NanosleepRelativeResult::Err(_) = nanosleep(&KNOWN_SLEEP) {
            let _ = clock_nanosleep_relative(ClockId::Monotonic, &KNOWN_SLEEP);
        }
        if let Ok(mut page) = Mapping::private(page_size()) {
            page.touch(1);
        }
        let after = read(UsageScope::Process).unwrap_or_default().since(&before);
        let (slept, faults) = (after.switches() > 0, after.minor_faults > 0);
        ReliableCounts {
            switches: slept && switches_of_calls() < KNOWN_CALLS,
            faults,
            faults_of_children: slept && faults,
        }
    })
}

/// Reads the counts.
///
/// # Errors
/// When the call is denied.
pub fn read(whose: UsageScope) -> Result<Usage> {
    // SAFETY: the structure holds integers only, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writing.
    Error::check_errno("getrusage", unsafe { libc::getrusage(whose as libc::c_int as _, &raw mut usage) })?;
    let [user_us, system_us] =
        [usage.ru_utime, usage.ru_stime].map(|time| time.tv_sec * 1_000_000 + time.tv_usec);
    Ok(Usage {
        voluntary: usage.ru_nvcsw,
        involuntary: usage.ru_nivcsw,
        minor_faults: usage.ru_minflt,
        major_faults: usage.ru_majflt,
        cpu_us: user_us + system_us,
        blocks_written: usage.ru_oublock,
    })
}

/// Moves of the calling thread to another CPU since it began, by /proc; `None` where the kernel does not show them.
///
/// The same count as the event of `perf_event_open`, which takes milliseconds to open: the kernel patches its scheduler
/// for the first one and waits until every CPU has seen it.
pub fn migrations() -> Option<u64> {
    migrations_in(&std::fs::read_to_string("/proc/thread-self/sched").ok()?)
}

fn migrations_in(sched: &str) -> Option<u64> {
    let line = sched.lines().find_map(|line| line.strip_prefix("se.nr_migrations"))?;
    line.split_once(':')?.1.trim().parse().ok()
}

/// A clock of CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// CPU time of the calling thread.
    pub const THREAD: Self = Self(libc::CLOCK_THREAD_CPUTIME_ID);
    /// CPU time of all threads of this process.
    pub const PROCESS: Self = Self(libc::CLOCK_PROCESS_CPUTIME_ID);

    /// CPU time of another process of the same user: the kernel codes its number into the clock's.
    pub fn of_process(pid: i32) -> Self {
        Self((!pid << 3) | 2)
    }

    /// CPU time of the calling thread that other threads of this process can read, too: up to this moment, also
    /// while it runs on another CPU, where the clock of the process knows it as of the last tick only.
    pub fn of_calling_thread() -> Self {
        let thread = crate::process::gettid() as i32;
        Self((!thread << 3) | 6)
    }

    /// Nanoseconds of CPU time; `None` when the process is gone or the call is denied.
    #[inline]
    pub fn nanos(self) -> Option<i64> {
        read_raw(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_migration_is_counted_once() {
        let cpus = crate::cpu::allowed().unwrap();
        if !programs::has("second CPU", cpus.len() > 1) {
            return;
        }
        let [first, second] = [0, 1].map(|index| cpus.get(index).copied().unwrap());
        crate::cpu::pin(first).unwrap();
        if let Some(before) = migrations() {
            crate::cpu::pin(second).unwrap();
            assert_eq!(migrations(), Some(before + 1));
        }
    }

    #[test]
    fn the_known_sleep_is_a_switch_where_timers_have_no_slack() {
        std::thread::scope(|scope| {
            let counted = scope.spawn(|| {
                // SAFETY: the call takes an integer, and sets the slack of this thread alone.
                assert_eq!(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) }, 0);
                let before = read(UsageScope::Thread).unwrap();
                (0..8).for_each(|_| assert!(matches!(nanosleep(&KNOWN_SLEEP), NanosleepRelativeResult::Ok)));
                read(UsageScope::Thread).unwrap().since(&before).voluntary
            });
            let switches = counted.join().unwrap();
            assert_eq!(switches, 8);
        });
    }

    #[test]
    fn migrations_are_read_from_the_scheduler_file() {
        let text = "name (7, #threads: 1)\nse.nr_migrations   :   12\nnuma_pages_migrated : 3\n";
        assert_eq!(migrations_in(text), Some(12));
        assert_eq!(migrations_in("nr_switches : 1\n"), None);
    }

    #[test]
    fn a_thread_can_be_watched_by_another_while_it_runs() {
        let (quit, (sender, receiver)) = (AtomicBool::new(false), std::sync::mpsc::channel());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sender.send(CpuClock::of_calling_thread()).unwrap();
                while !quit.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
            });
            let clock: CpuClock = receiver.recv().unwrap();
            let before = clock.nanos().unwrap();
            // Bounded: it runs sooner or later, and its clock moves then.
            let moved = (0..10_000_000_u64).any(|_| clock.nanos().unwrap() > before);
            quit.store(true, Ordering::Release);
            assert!(moved);
        });
    }
}
