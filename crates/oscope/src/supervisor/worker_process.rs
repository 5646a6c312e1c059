//! A worker process and its pipes: a request in, one line out, its standard error drained; all within bounds.

use super::affinity;
use super::interrupt::Interrupt;
use record::Request;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use sys::out_of_memory::Killed;
use sys::supervision::{self, Waited};

/// Most that a worker may answer, in bytes.
pub(super) const MOST_ANSWER: usize = 8 << 20;

/// Most that is kept of a worker's standard error, in bytes.
const MAX_STDERR: usize = 4 << 10;

/// Most that is read at once, in bytes.
const MOST_READ: usize = 64 << 10;

/// Time that a worker has for its answer once the user wants to stop: most trials are over sooner.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Time that what started a worker in an environment has to end and to remove what it made.
const ENDING: Duration = Duration::from_secs(5);

/// Pause between two looks at a process that is ending, in milliseconds.
const ENDING_PAUSE_MS: i32 = 1;

/// Longest wait at once. One that takes much longer was no wait: the supervisor was stopped, frozen, or its machine paused.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// Waits are late by less than this on a loaded machine.
const LEAST_HALT: Duration = Duration::from_millis(300);

/// A worker, or what started one in an environment.
pub(super) struct WorkerProcess {
    child: Child,
    /// How long its requests took.
    asked: Duration,
    /// Time in which the supervisor waited for it and did not get to run itself.
    pub(super) halted: Duration,
    /// What the kernel had killed for lack of memory before it was started.
    killed: Killed,
    /// The first bytes of its standard error.
    stderr: Vec<u8>,
}

/// What a worker answered.
pub(super) enum Answer {
    Line(Vec<u8>),
    Silence,
    TooMuch,
    TooLate,
}

impl WorkerProcess {
    /// Starts it in a group of its own, so that an interrupt from the terminal reaches the supervisor only.
    pub(super) fn start(command: &mut Command) -> std::io::Result<Self> {
        let killed = Killed::now();
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        Ok(Self { child, asked: Duration::ZERO, halted: Duration::ZERO, killed, stderr: Vec::new() })
    }

    /// Whether it was seen from outside to be bound to the CPU that was asked for.
    pub(super) fn is_bound(&mut self, request: &Request, took: Duration) -> Option<bool> {
        self.asked += took;
        affinity::is_bound(self.child.id(), self.asked, request)
    }

    /// What the kernel had killed for lack of memory before it was started.
    pub(super) fn killed_before(&self) -> Killed {
        self.killed
    }

    /// Sends a request.
    pub(super) fn ask(&mut self, request: &Request) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(request)?;
        text.push(b'\n');
        // The pipe stays open: when it closes, the worker knows that its supervisor is gone.
        let input = self.child.stdin.as_mut();
        input.map_or(Ok(()), |input| match input.write_all(&text) {
            // A worker that ended before it read says why by its status.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        })
    }

    /// Reads one line, within bounds of time and length; the time is short once the user wants to stop.
    pub(super) fn listen(&mut self, limit: Duration, interrupt: &Interrupt) -> std::io::Result<Answer> {
        let mut deadline = Instant::now() + limit;
        let mut self_pipe = interrupt.descriptor();
        let Some(mut output) = self.child.stdout.take() else {
            return Ok(Answer::Silence);
        };
        let descriptor = output.as_raw_fd();
        let (mut text, mut buffer) = (Vec::new(), vec![0; MOST_READ]);
        let answer = loop {
            if self_pipe >= 0 && interrupt.is_set() {
                deadline = deadline.min(Instant::now() + SHUTDOWN_GRACE);
                self_pipe = -1;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Answer::TooLate;
            }
            let wait = left.min(LONGEST_WAIT);
            let milliseconds = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX).max(1);
            let began = Instant::now();
            let watched = [descriptor, self_pipe, self.stderr_descriptor()];
            let waited = supervision::wait_readable(watched, milliseconds);
            self.halted += Some(began.elapsed().saturating_sub(wait))
                .filter(|late| *late >= LEAST_HALT)
                .unwrap_or_default();
            let Waited::Ready([has_answered, _, has_complained]) = waited else {
                continue;
            };
            if has_complained {
                self.drain_stderr();
            }
            if !has_answered {
                continue;
            }
            let length = output.read(&mut buffer)?;
            let fresh = buffer.get(..length).unwrap_or_default();
            let end = fresh.iter().position(|&byte| byte == b'\n');
            text.extend_from_slice(fresh.get(..end.unwrap_or(length)).unwrap_or_default());
            if end.is_some() {
                break Answer::Line(text);
            }
            if length == 0 {
                break Answer::Silence;
            }
            if text.len() > MOST_ANSWER {
                break Answer::TooMuch;
            }
        };
        self.child.stdout = Some(output);
        Ok(answer)
    }

    /// The pipe of its standard error; negative once it is closed.
    fn stderr_descriptor(&self) -> i32 {
        self.child.stderr.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Reads what is in the pipe of standard error and keeps the beginning: a program that complains more than the pipe holds
    /// (a tracer, at every stop) would wait for a reader for ever.
    fn drain_stderr(&mut self) {
        let mut buffer = vec![0; MOST_READ];
        let length = self.child.stderr.as_mut().map_or(0, |stderr| stderr.read(&mut buffer).unwrap_or(0));
        if length == 0 {
            self.child.stderr = None;
        }
        let room = MAX_STDERR.saturating_sub(self.stderr.len());
        self.stderr.extend_from_slice(buffer.get(..length.min(room)).unwrap_or_default());
    }

    /// Ends it, by itself where it is in an environment; how it ended, and the first line of its standard error.
    pub(super) fn end(mut self, by_itself: bool) -> (Option<ExitStatus>, String) {
        if by_itself {
            self.end_by_itself();
        }
        // The group takes with it whatever the worker has started and not ended.
        supervision::kill_group(self.child.id());
        let status = self.child.wait().ok();
        (status, self.first_stderr_line())
    }

    /// Lets what started a worker end in its own way, within bounds: a container's runtime that is killed leaves its state.
    fn end_by_itself(&mut self) {
        drop(self.child.stdin.take());
        // What it still wants to write must not hold it up.
        drop(self.child.stdout.take());
        let deadline = Instant::now() + ENDING;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            // Without the pipe this is a pause.
            let waited = supervision::wait_readable([self.stderr_descriptor()], ENDING_PAUSE_MS);
            if waited == Waited::Ready([true]) {
                self.drain_stderr();
            }
        }
    }

    /// The first line of standard error, after the end of its group. A process outside the group may hold the pipe open:
    /// only what is there already is read, and no more than is kept.
    fn first_stderr_line(&mut self) -> String {
        while self.stderr.len() < MAX_STDERR
            && supervision::wait_readable([self.stderr_descriptor()], 0) == Waited::Ready([true])
        {
            self.drain_stderr();
        }
        let text = String::from_utf8_lossy(&self.stderr);
        text.lines().next().unwrap_or_default().trim().to_owned()
    }
}
