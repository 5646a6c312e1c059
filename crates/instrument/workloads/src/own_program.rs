//! A program that the user brings: started afresh for each trial, asked line by line for iterations, all within bounds
//! (docs/OPERATION.md).

use measure::{Bench, Failure, Result, Work};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use sys::kernel_time::raw_nanos;
use sys::supervision::{self, Waited};
use sys::usage::CpuClock;

/// Longest wait for a line: an iteration that takes longer is no operation to be repeated.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Longest line in bytes, and most lines before `ready`.
const MAX_LINE: usize = 4 << 10;
const MAX_LINES: usize = 1_000;

/// Shortest batch in nanoseconds, without the exchange of lines, which takes a few microseconds. The longest is up to eight
/// times as long and still ends within the time slice of a task, so that others on the CPU leave some batches whole.
const MIN_BATCH_NS: i64 = 100_000;

/// Iterations of a rehearsal. The program begins to read the next line in one phase or in the next: among this number of
/// iterations two calls are less than 1 %.
const REHEARSED: u64 = 256;

/// Longest iteration of which that number is rehearsed, in nanoseconds: the longer phase ends in time.
const MAX_REHEARSED_NS: i64 = 5_000_000;

/// Most iterations of a batch: work that still takes no time is not done.
const MAX_ITERATIONS: u64 = 1 << 30;

/// Attempts at a batch in which the program has a CPU most of the time: others may use it, too.
const MAX_ATTEMPTS: usize = 8;

/// The program and its arguments.
static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// Says which program [`run`] starts, once in a process.
pub fn choose_program(words: Vec<String>) {
    let _ = WORDS.set(words);
}

/// What a program says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// Its name: the operation is `own.NAME`.
    pub name: String,
    /// What one iteration is.
    pub iteration: String,
    /// The system calls of an iteration, as a card has them: `getppid 1, read 2`. Empty where it declares none.
    pub calls: String,
    /// Its points.
    pub points: Vec<String>,
}

/// The program while it runs; killed when dropped.
struct OwnProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    pending: Vec<u8>,
}

/// Starts a program and reads what it says of itself.
///
/// # Errors
/// When it cannot be started, or does not keep to the protocol.
pub fn declaration(words: &[String]) -> Result<Declaration> {
    OwnProgram::start(words)?.declaration()
}

/// Batches of the program's iterations.
///
/// # Errors
/// When it does not keep to the protocol, ends, does not answer in time, or does no work.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let words = WORDS.get().ok_or_else(|| Failure::failed("no program was named by --operation"))?;
    let mut program = OwnProgram::start(words)?;
    program.declaration()?;
    let point = bench.point().text();
    program.say(&format!("point {point}"))?;
    let answer = program.line(&format!("point {point}"))?;
    Failure::unless(
        answer == "ok",
        &format!("the program answered {answer:?} to 'point {point}', not 'ok'"),
    )?;
    let multiple_of = if bench.is_rehearsal() { program.rehearsed()? } else { program.calibrate()? };
    let cpu = vec![CpuClock::THREAD, program.cpu_clock()];
    bench.batches(Work { multiple_of, cpu, ..Work::new(&mut |n| program.iterate(n)) })
}

impl OwnProgram {
    fn start(words: &[String]) -> Result<Self> {
        let (program, arguments) =
            words.split_first().ok_or_else(|| Failure::failed("no program was named by --operation"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        supervision::bind_to_this_thread(&mut command);
        let mut child = command
            .spawn()
            .map_err(|error| Failure::failed(format!("{program} cannot be started: {error}")))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.ok_or_else(|| Failure::failed(format!("{program} has no output")))?;
        Ok(Self { child, input, output, pending: Vec::new() })
    }

    fn cpu_clock(&self) -> CpuClock {
        CpuClock::of_process(i32::try_from(self.child.id()).unwrap_or(i32::MAX))
    }

    fn declaration(&mut self) -> Result<Declaration> {
        const FIRST: &str = "oscope-operation 1";
        let first = self.line("its start")?;
        Failure::unless(
            first == FIRST,
            &format!("the first line of the program is {first:?}, not '{FIRST}' (docs/OPERATION.md)"),
        )?;
        let mut declared = Declaration::default();
        for _ in 0..MAX_LINES {
            let line = self.line("its start")?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "name" => declared.name = rest.trim().to_owned(),
                "iteration" => declared.iteration = rest.trim().to_owned(),
                "calls" => declared.calls = rest.trim().to_owned(),
                "point" => declared.points.push(rest.trim().to_owned()),
                "ready" => return Ok(declared),
                _ => {
                    let known = "name, iteration, calls, point or ready";
                    return Err(Failure::failed(format!("the program declares {line:?}; expected {known}")));
                }
            }
        }
        Err(Failure::failed(format!("the program is not ready after {MAX_LINES} lines")))
    }

    /// Has it do iterations; gives how many were right.
    fn iterate(&mut self, n: u64) -> Result<u64> {
        self.say(&format!("run {n}"))?;
        let answer = self.line(&format!("run {n}"))?;
        let numbers = answer.strip_prefix("done ").and_then(|numbers| numbers.split_once(' '));
        let numbers =
            numbers.and_then(|(done, right)| Some((done.parse().ok()?, right.trim().parse().ok()?)));
        let Some((done, right)): Option<(u64, u64)> = numbers else {
            return Err(Failure::failed(format!(
                "the program answered {answer:?} to 'run {n}'; expected 'done {n} RIGHT' (docs/OPERATION.md)"
            )));
        };
        match done == n && right <= n {
            true => Ok(right),
            false => Err(Failure::failed(format!(
                "the program was asked for {n} iterations and did {done}, of which {right} were right"
            ))),
        }
    }

    /// The number of iterations of the shorter phase of a rehearsal.
    fn rehearsed(&mut self) -> Result<u64> {
        Ok(if self.least_ns(1)? < MAX_REHEARSED_NS { REHEARSED } else { 1 })
    }

    /// The number of iterations of the shortest batch.
    fn calibrate(&mut self) -> Result<u64> {
        let empty_ns = self.least_ns(0)?;
        let mut n = 1;
        while self.least_ns(n)? - empty_ns < MIN_BATCH_NS {
            n *= 2;
            if n > MAX_ITERATIONS {
                return Err(Failure::failed(format!(
                    "{MAX_ITERATIONS} iterations of the program take less than 0.1 ms: the work was not done \
                     (deleted, cached or skipped)"
                )));
            }
        }
        self.check_cpu_share(n)?;
        self.check_linearity(n)?;
        Ok(n)
    }

    fn check_cpu_share(&mut self, n: u64) -> Result<()> {
        let mut most = 0.0_f64;
        for _ in 0..MAX_ATTEMPTS {
            let began = raw_nanos();
            let cpu_ns = self.cpu_ns(n)?;
            most = most.max(cpu_ns as f64 / (raw_nanos() - began).max(1) as f64);
        }
        match most < LEAST_CPU_SHARE {
            true => Err(Failure::failed(format!(
                "the program used its CPU for at most {:.0} % of a batch: it sleeps or waits, or works in other \
                 processes, which batches cannot tell from other programs; 'oscope gate' measures its wall time",
                100.0 * most
            ))),
            false => Ok(()),
        }
    }

    /// Compares n iterations with 4n by their CPU time, which other tasks on the CPU do not change.
    fn check_linearity(&mut self, n: u64) -> Result<()> {
        let mut growth = 0.0;
        for _ in 0..MAX_ATTEMPTS {
            let [none, once, four_times] = [0, n, 4 * n].map(|n| self.least_cpu_ns(n));
            let none = none?;
            growth = (four_times? - none) as f64 / (4 * (once? - none).max(1)) as f64;
            // A neighbour on the core that comes or goes changes one attempt.
            if LINEAR.contains(&growth) {
                return Ok(());
            }
        }
        Err(Failure::failed(format!(
            "cost per iteration is not constant ({growth:.2}× from {n} to {} iterations): iterations may have been skipped",
            4 * n
        )))
    }

    /// The lesser time of two batches.
    fn least_ns(&mut self, n: u64) -> Result<i64> {
        let mut least = i64::MAX;
        for _ in 0..2 {
            let began = raw_nanos();
            self.iterate(n)?;
            least = least.min(raw_nanos() - began);
        }
        Ok(least)
    }

    /// CPU time of a batch, of the program and of this thread.
    fn cpu_ns(&mut self, n: u64) -> Result<i64> {
        let clocks = [CpuClock::THREAD, self.cpu_clock()];
        let read = || clocks.iter().filter_map(|clock| clock.nanos()).sum::<i64>();
        let before = read();
        self.iterate(n)?;
        Ok(read() - before)
    }

    /// The least of two.
    fn least_cpu_ns(&mut self, n: u64) -> Result<i64> {
        Ok(self.cpu_ns(n)?.min(self.cpu_ns(n)?))
    }

    fn say(&mut self, line: &str) -> Result<()> {
        let Some(input) = &mut self.input else { return Err(Failure::failed("the program has no input")) };
        // One that has ended says why by its status.
        match input.write_all(format!("{line}\n").as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::failed(format!("'{line}' cannot be written to the program: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Reads a line that answers this.
    fn line(&mut self, asked: &str) -> Result<String> {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.pending.len() > MAX_LINE {
                return Err(Failure::failed(format!(
                    "the program wrote more than {MAX_LINE} bytes without an end of line (docs/OPERATION.md)"
                )));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let waited = MAX_WAIT.as_secs();
                return Err(Failure::failed(format!("the program did not answer {asked} within {waited} s")));
            }
            let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1);
            if let Waited::Ready([true]) = supervision::wait_readable([self.output.as_raw_fd()], milliseconds)
            {
                let mut bytes = [0; MAX_LINE];
                match self.output.read(&mut bytes) {
                    Ok(0) => return Err(self.end(asked)),
                    Ok(length) => self.pending.extend_from_slice(bytes.get(..length).unwrap_or_default()),
                    Err(error) => {
                        return Err(Failure::failed(format!("the program's output cannot be read: {error}")));
                    }
                }
            }
        }
    }

    /// Why it does not answer any more.
    fn end(&mut self, asked: &str) -> Failure {
        // It has closed its output, and may go on for ever without it.
        let _ = self.child.try_wait().map(|ended| ended.is_none().then(|| std::thread::sleep(GRACE)));
        let status = match self.child.try_wait() {
            Ok(Some(status)) => format!("it ended ({status})"),
            _ => "it closed its output".to_owned(),
        };
        Failure::failed(format!("the program did not answer {asked}: {status}"))
    }
}

/// A program that closes its output is about to end.
const GRACE: Duration = Duration::from_millis(100);

/// Least share of a batch in which the program has a CPU: the gate excludes batches below 97 %, and half is no accident.
const LEAST_CPU_SHARE: f64 = 0.5;

/// How the cost of an iteration may change from n to 4n: the limits of the evidence `linear`.
const LINEAR: std::ops::RangeInclusive<f64> = 0.75..=1.33;

impl Drop for OwnProgram {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
