//! Rehearsal under ptrace: which system calls an iteration makes, and how many instructions it executes.
//!
//! The traced process and the tracer share a page. The traced process writes into it which phase it is
//! in; the tracer reads it at every stop, and so needs to know no registers and no architecture.

use crate::{Error, Result, calls, memory::Mapping, process};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The shared page by which the traced process reports its phase.
#[derive(Debug)]
pub struct Stage<'a> {
    phase: &'a AtomicU64,
    stepping: &'a AtomicU64,
    /// Whether the known call was made.
    known_made: &'a AtomicU64,
    note: &'a [AtomicU64],
}

/// Bytes of the note that a traced process can leave.
const NOTE_BYTES: usize = 2048;

impl<'a> Stage<'a> {
    fn on(page: &'a Mapping) -> Option<Self> {
        let (head, rest) = page.words().split_at_checked(8)?;
        let [phase, stepping, known_made, ..] = head else {
            return None;
        };
        Some(Self { phase, stepping, known_made, note: rest.get(..NOTE_BYTES / 8)? })
    }

    /// Enters a phase; 0 means that nothing is counted.
    #[inline(always)]
    pub fn enter(&self, phase: u64) {
        self.phase.store(phase, Ordering::SeqCst);
    }

    /// Switches single steps on or off, and gives the tracer a stop to notice it.
    pub fn step(&self, on: bool) {
        self.stepping.store(u64::from(on), Ordering::SeqCst);
        std::thread::yield_now();
    }

    /// Leaves a text for the tracer, cut off where the page ends.
    pub fn leave_note(&self, text: &str) {
        for (word, bytes) in self.note.iter().zip(text.as_bytes().chunks(8)) {
            let mut padded = [0; 8];
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            word.store(u64::from_ne_bytes(padded), Ordering::SeqCst);
        }
    }

    fn read_note(&self) -> String {
        let words = self.note.iter().map(|word| word.load(Ordering::SeqCst).to_ne_bytes());
        let bytes: Vec<u8> = words.flatten().take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// What the tracer counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceCounts {
    /// System calls of all actors by phase and number.
    pub calls: BTreeMap<(u64, u64), u64>,
    /// Tasks made and programs executed by phase, as the kernel reports them when they have happened.
    pub made: BTreeMap<(u64, Made), u64>,
    /// User instructions of the main actor by phase.
    pub instructions: BTreeMap<u64, u64>,
    /// Whether the bound on steps was reached, so that instructions are not complete.
    pub too_long: bool,
    /// The note of the traced process.
    pub note: String,
    /// How the traced process ended.
    pub ended: Option<process::Ended>,
}

/// What a system call made, whichever call it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Made {
    /// A process whose maker goes on at once.
    Fork = libc::PTRACE_EVENT_FORK,
    /// A process for which its maker stands still.
    Vfork = libc::PTRACE_EVENT_VFORK,
    /// A task that tells its end otherwise than a process does: a thread.
    Thread = libc::PTRACE_EVENT_CLONE,
    /// Another program in the place of the old one.
    Program = libc::PTRACE_EVENT_EXEC,
}

impl Made {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fork, Self::Vfork, Self::Thread, Self::Program];

    /// Its name in evidence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Vfork => "vfork",
            Self::Thread => "thread",
            Self::Program => "program",
        }
    }
}

/// Bounds of a rehearsal.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Most stops in all.
    pub stops: u64,
    /// Most single steps.
    pub steps: u64,
}

/// The phase of a call that is known to be made, before all others.
const KNOWN: u64 = u64::MAX;

/// Runs `act` in a traced child and follows it and all that it starts, until it ends.
///
/// # Errors
/// When tracing is denied, shows not even a call that is known to be made, or reaches the bound on stops.
pub fn follow(bounds: Bounds, act: impl FnOnce(&Stage<'_>) -> i32) -> Result<TraceCounts> {
    let page = Mapping::shared(NOTE_BYTES + 64)?;
    let stage = Stage::on(&page).ok_or(Error { call: "mmap", errno: libc::ENOMEM })?;
    let child = process::Actor::spawn(None, || match ask_to_be_traced() {
        Ok(()) => {
            stage.enter(KNOWN);
            process::getppid();
            stage.enter(0);
            stage.known_made.store(1, Ordering::SeqCst);
            act(&stage)
        }
        Err(error) => {
            stage.leave_note(&error.to_string());
            NOT_TRACED
        }
    })?;
    let mut tracer = Tracer {
        main: child.pid(),
        stage: &stage,
        bounds,
        stops: 0,
        steps: 0,
        counts: TraceCounts::default(),
    };
    let result = tracer.run();
    let mut counts = tracer.counts;
    counts.note = stage.read_note();
    if counts.ended.is_some() {
        child.was_reaped();
    }
    result?;
    counts.prove()
}

impl TraceCounts {
    /// The counts, where the known call was counted: kernels that trace and do not show calls (gVisor, proot) would give
    /// 0 calls.
    ///
    /// # Errors
    /// When it was not.
    fn prove(mut self) -> Result<Self> {
        let shows_calls = self.shows_calls();
        self.calls.retain(|(phase, _), _| *phase != KNOWN);
        self.made.retain(|(phase, _), _| *phase != KNOWN);
        self.instructions.remove(&KNOWN);
        let is_traced = self.ended != Some(process::Ended::Exited(NOT_TRACED));
        if is_traced && !shows_calls {
            return Err(NO_CALLS);
        }
        Ok(self)
    }

    /// Whether the known call was counted, once, and no other in its phase.
    fn shows_calls(&self) -> bool {
        let known = self.calls.range((KNOWN, 0)..);
        known.eq([(&(KNOWN, libc::SYS_getppid.cast_unsigned()), &1)])
    }
}

/// What a tracer says that shows no calls.
const NO_CALLS: Error = Error { call: "ptrace(PTRACE_GET_SYSCALL_INFO)", errno: libc::EOPNOTSUPP };

/// Exit status of a child that may not be traced.
const NOT_TRACED: i32 = 96;

pub(super) fn ask_to_be_traced() -> Result<()> {
    // SAFETY: the request takes no addresses.
    Error::check_errno("ptrace", unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) })?;
    // SAFETY: SIGSTOP hands control to the tracer. Not raise: it makes more system calls than needed.
    Error::check_errno("kill", unsafe { libc::kill(process::getpid() as libc::pid_t, libc::SIGSTOP) })
        .map(|_| ())
}

struct Tracer<'a> {
    main: i32,
    stage: &'a Stage<'a>,
    bounds: Bounds,
    stops: u64,
    steps: u64,
    counts: TraceCounts,
}

pub(super) const OPTIONS: libc::c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;

impl Tracer<'_> {
    fn run(&mut self) -> Result<()> {
        let (_, status) = process::wait_for_status(self.main)?;
        if !libc::WIFSTOPPED(status) {
            // It was waited for by this: whoever has its number next must not be killed for it.
            self.counts.ended = Some(process::Ended::from_status(status));
            return Err(Error { call: "ptrace", errno: libc::EPERM });
        }
        request(libc::PTRACE_SETOPTIONS, self.main, OPTIONS as usize)?;
        self.resume(self.main, 0)?;
        while self.stops < self.bounds.stops {
            self.stops += 1;
            let (pid, status) = process::wait_for_status(-1)?;
            if libc::WIFSTOPPED(status) {
                let signal = self.note_stop(pid, status);
                // Thousands of stops more would prove nothing.
                if self.stage.known_made.load(Ordering::SeqCst) == 1 && !self.counts.shows_calls() {
                    return Err(NO_CALLS);
                }
                // A process that was killed meanwhile cannot be resumed; its end is reported next.
                let _ = self.resume(pid, signal);
            } else if pid == self.main {
                self.counts.ended = Some(process::Ended::from_status(status));
                return Ok(());
            }
        }
        Err(Error { call: "ptrace", errno: libc::ETIMEDOUT })
    }

    /// Counts what a stop means; gives the signal to deliver when going on.
    fn note_stop(&mut self, pid: i32, status: i32) -> i32 {
        let phase = self.stage.phase.load(Ordering::SeqCst);
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        if signal == libc::SIGTRAP | 0x80 {
            if let Some(number) = entered_call(pid).filter(|_| phase != 0) {
                *self.counts.calls.entry((phase, number)).or_default() += 1;
            }
        } else if signal == libc::SIGTRAP {
            self.steps += 1;
            if phase == 0 {
                return 0;
            }
            if event == 0 {
                *self.counts.instructions.entry(phase).or_default() += 1;
            } else if let Some(made) = Made::ALL.into_iter().find(|made| *made as i32 == event) {
                *self.counts.made.entry((phase, made)).or_default() += 1;
            }
        } else if signal != libc::SIGSTOP {
            return signal;
        }
        0
    }

    fn resume(&mut self, pid: i32, signal: i32) -> Result<()> {
        let asked = pid == self.main && self.stage.stepping.load(Ordering::SeqCst) == 1;
        self.counts.too_long |= asked && self.steps >= self.bounds.steps;
        let how = if asked && self.steps < self.bounds.steps {
            libc::PTRACE_SINGLESTEP
        } else {
            libc::PTRACE_SYSCALL
        };
        request(how, pid, signal as usize)
    }
}

pub(super) fn request(what: libc::c_uint, pid: i32, argument: usize) -> Result<()> {
    // SAFETY: these requests take an integer where others take an address.
    Error::check_errno("ptrace", unsafe { libc::ptrace(what, pid, 0_usize, argument) }).map(|_| ())
}

/// The bit of `__AUDIT_ARCH_64BIT` in the kernel's names of architectures (linux/audit.h).
const ARCHITECTURE_OF_64_BITS: u32 = 0x8000_0000;

/// The number of the system call that a stopped process is entering; `None` at an exit.
fn entered_call(pid: i32) -> Option<u64> {
    // SAFETY: the structure is integers and a union of integers, for which zero is a value.
    let mut info: libc::ptrace_syscall_info = unsafe { std::mem::zeroed() };
    let size = size_of_val(&info);
    // SAFETY: the structure is valid for writing and of the size given.
    let got = unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, size, &raw mut info) };
    if got <= 0 || info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
        return None;
    }
    // SAFETY: at an entry the kernel has filled this member.
    let number = unsafe { info.u.entry.nr };
    // A call by the entry of 32-bit programs: its numbers mean other calls.
    let is_short = info.arch & ARCHITECTURE_OF_64_BITS == 0;
    Some(if is_short { calls::of_32_bits(number) } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(calls: &[((u64, u64), u64)], ended: i32) -> TraceCounts {
        TraceCounts {
            calls: calls.iter().copied().collect(),
            ended: Some(process::Ended::Exited(ended)),
            ..TraceCounts::default()
        }
    }

    #[test]
    fn a_tracer_that_shows_no_calls_is_unavailable_and_does_not_count_zero() {
        let known = ((KNOWN, libc::SYS_getppid.cast_unsigned()), 1);
        let proven = with(&[known, ((1, 0), 7)], 0).prove();
        assert_eq!(proven, Ok(with(&[((1, 0), 7)], 0)));
        for seen in [&[][..], &[((KNOWN, 0), 1)], &[known, ((KNOWN, 0), 1)]] {
            let refused = with(seen, 0).prove().map_err(|error| error.errno);
            assert_eq!(refused, Err(libc::EOPNOTSUPP), "{seen:?}");
        }
        // Its note says why it was not traced.
        assert!(with(&[], NOT_TRACED).prove().is_ok());
    }
}
