//! `oscope selftest`: whether clocks, counters, tracing, placement and witnesses work here, in a few seconds.

use crate::Operations;
use crate::arguments::Run;
use crate::commands::run;
use crate::exit::{Exit, usage};
use crate::select::{Selected, find};
use crate::{output, records, terminal};
use analysis::{Row, Unread, Verdict, analyse};
use record::{Origin, PointId, Profile, Record};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::Duration;
use sys::clock::Clock;
use sys::perf::{Counter, Event, Unusable};

/// Points that stand for the rest: a clock, a call, a fault, and two processes on one CPU.
const POINTS: [(&str, &str); 4] = [
    ("clock.read.monotonic", ""),
    ("syscall.getppid", "method=libc"),
    ("fault.anonymous.write", ""),
    ("switch.process.pipe", "cpu=same"),
];

/// Most time for the rounds.
const BUDGET: Duration = Duration::from_secs(6);

/// Columns of the names.
const NAME: usize = 22;

/// Bytes of stack of the thread that is pinned.
const THREAD_STACK: usize = 256 << 10;

/// How often the clock is read.
const CLOCK_READS: usize = 10_000;

/// One thing that works, and how, or does not, and why.
struct Check {
    name: &'static str,
    found: Result<String, String>,
    /// Whether a run is worse without it; others only add evidence.
    is_needed: bool,
}

/// Measures a few points once, and says what of the instrument works.
pub fn run(operations: Operations) -> anyhow::Result<Exit> {
    let output = Temporary::new()?;
    let selected: Vec<Selected> = POINTS
        .into_iter()
        .filter_map(|(operation, point)| find(operations, &PointId::new(operation, point), Profile::Standard))
        .collect();
    let recorded = run::record(operations, &settings(&output.0), &selected, &|_| {})?;
    let record = records::read(&recorded.path)?;
    let mut checks = vec![clock(), cpu(), second_cpu(&record)];
    checks.extend(kernel_counts());
    checks.extend(hardware_counters(&record));
    checks.extend(evidence(&record));
    show(&checks, &mut output::standard())?;
    let is_well = checks.iter().all(|check| check.found.is_ok() || !check.is_needed);
    Ok(if is_well { Exit::Success } else { Exit::Findings })
}

/// The record of the points, which goes with the program.
struct Temporary(PathBuf);

impl Temporary {
    /// A name in the first directory that can be written.
    fn new() -> anyhow::Result<Self> {
        let name = format!(".oscope-selftest-{}", std::process::id());
        let places = [std::env::temp_dir(), PathBuf::from("/dev/shm"), PathBuf::from(".")];
        let paths = places.into_iter().map(|place| place.join(&name));
        let mut writable = paths.filter(|path| std::fs::File::create_new(path).is_ok());
        let why = "no directory for a record can be written: /tmp, /dev/shm, and here; name one by TMPDIR";
        writable.next().map(Self).ok_or_else(|| usage(why))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn settings(output: &std::path::Path) -> Run {
    Run {
        budget: Some(BUDGET),
        rounds: Some(1),
        output: Some(output.to_owned()),
        quiet: true,
        profile: Profile::Quick,
        ..Run::default()
    }
}

fn clock() -> Check {
    let clock = Clock::select();
    let (mut last, mut steps, mut is_back) = (clock.start(), Vec::new(), false);
    for _ in 0..CLOCK_READS {
        let now = clock.stop();
        is_back |= now < last;
        steps.extend((now > last).then(|| now - last));
        last = now;
    }
    let found = match steps.iter().min() {
        _ if is_back => Err(format!("{} went backwards", clock.name())),
        None => Err(format!("{} did not advance", clock.name())),
        Some(least) => Ok(format!("{}, least step {least} ticks", clock.name())),
    };
    Check { name: "clock", found, is_needed: true }
}

/// Whether a thread stays where it is put.
fn cpu() -> Check {
    // The environment may name a size of stacks (RUST_MIN_STACK) that no thread can have.
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK).spawn(pin_to_last_cpu);
    let found = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(found)) => found,
        Ok(Err(_)) => Err("the thread ended early".to_owned()),
        Err(error) => Err(format!("no thread can be started: {error}")),
    };
    Check { name: "placement", found, is_needed: true }
}

fn pin_to_last_cpu() -> Result<String, String> {
    let allowed = sys::cpu::allowed().map_err(|error| error.to_string())?;
    let last = *allowed.last().ok_or("the process may use no CPU")?;
    sys::cpu::pin(last).map_err(|error| error.to_string())?;
    match sys::cpu::current() {
        Some(now) if now != last => Err(format!("pinned to CPU {last}, and is on CPU {now}")),
        _ => Ok(format!("pinned to CPU {last}, of {} that may be used", allowed.len())),
    }
}

/// Whether a second actor has a CPU of its own: the one that the run of these points chose, as every run does.
fn second_cpu(record: &Record) -> Check {
    let chosen = record.plan.as_ref().map(|plan| (plan.settings.cpu, plan.settings.peer_cpu));
    let skipped = "points with cpu=other are skipped";
    let found = match chosen {
        Some((Some(_), Some(cpu))) => Ok(format!("CPU {cpu}: points with cpu=other can be measured")),
        Some((Some(_), None)) => Err(format!("only one CPU may be used: {skipped}")),
        _ => Err(format!("it is unknown which CPUs may be used: {skipped}")),
    };
    Check { name: "second CPU", found, is_needed: false }
}

/// The counts of the kernel that witnesses use: tried on a sleep and on a first write to a page.
fn kernel_counts() -> [Check; 2] {
    let counts = sys::usage::reliable_counts();
    [
        ("faults counted", counts.faults, "a first write to a page"),
        ("switches counted", counts.switches, "a sleep"),
    ]
    .map(|(name, is_kept, tried)| Check {
        name,
        found: match is_kept {
            true => Ok(format!("by getrusage, tried on {tried}")),
            false => Err(format!("getrusage did not count {tried}")),
        },
        is_needed: false,
    })
}

fn hardware_counters(record: &Record) -> [Check; 2] {
    let paranoid = record.machine.number("kernel.perf_event_paranoid");
    let all = [("instructions counted", Event::Instructions), ("cycles counted", Event::Cycles)];
    all.map(|(name, event)| {
        let found = Counter::open(event).map(|_| "by perf_event_open".to_owned());
        Check { name, found: found.map_err(|why| unusable(why, paranoid)), is_needed: false }
    })
}

/// Why a counter cannot be used, and what would change that.
fn unusable(why: Unusable, paranoid: Option<f64>) -> String {
    let kind = match why {
        Unusable::Refused(error) => std::io::Error::from_raw_os_error(error.errno).kind(),
        Unusable::Dead => ErrorKind::Other,
    };
    match (kind, paranoid) {
        (ErrorKind::NotFound, _) => {
            format!("{why}: this machine has no such counter, as most virtual machines")
        }
        (ErrorKind::PermissionDenied, Some(level)) if level > 2.0 => format!(
            "{why}: root may, or a user with CAP_PERFMON, or all users with kernel.perf_event_paranoid=2, which is {level}"
        ),
        (ErrorKind::PermissionDenied, _) => format!("{why}: a sandbox or a container may forbid it"),
        _ => why.to_string(),
    }
}

/// What the record proves.
fn evidence(record: &Record) -> [Check; 3] {
    let rows = analyse(record).rows;
    [
        ("tracing", tracing(&rows)),
        ("witnesses hold", hold(&rows)),
        ("mistakes are caught", are_caught(record, &rows)),
    ]
    .map(|(name, found)| Check { name, found, is_needed: true })
}

/// Whether what the tracer of a rehearsal should count was counted.
fn tracing(rows: &[Row]) -> Result<String, String> {
    let judged = rows.iter().flat_map(|row| &row.witnesses);
    let traced: Vec<_> = judged.filter(|judged| judged.witness.origin == Origin::Rehearsal).collect();
    let read = traced.iter().filter(|judged| judged.counted.is_some()).count();
    let why = traced.iter().find_map(|judged| match &judged.unavailable {
        Some(Unread::Reported(reason)) => Some(reason.clone()),
        _ => None,
    });
    match read {
        0 => Err(why.unwrap_or_else(|| "nothing was traced".to_owned())),
        _ => Ok(format!("{read} of {} counts by ptrace were read", traced.len())),
    }
}

/// Whether every point has a number that its evidence does not contradict.
fn hold(rows: &[Row]) -> Result<String, String> {
    let wrong = rows.iter().filter(|row| !row.verdict.has_number());
    let wrong: Vec<String> = wrong.map(|row| format!("{} is {}", row.point.id, row.verdict.word())).collect();
    match (rows.len(), wrong.as_slice()) {
        (0, _) => Err("nothing was measured".to_owned()),
        (points, []) => Ok(format!("{points} points were measured once, with evidence")),
        _ => Err(wrong.join(", ")),
    }
}

/// Judges the same trials by witnesses that expect more than was counted: every point with a count must be contradicted.
fn are_caught(record: &Record, rows: &[Row]) -> Result<String, String> {
    let mut wrong = record.clone();
    let points = wrong.plan.iter_mut().flat_map(|plan| &mut plan.points);
    for witness in points.flat_map(|point| &mut point.witnesses) {
        (witness.low, witness.high) = (witness.high + 1.0, witness.high + 2.0);
    }
    let judged = analyse(&wrong).rows;
    let mut counted = 0;
    for (row, judged) in rows.iter().zip(&judged) {
        let mut positive = row.witnesses.iter().filter(|judged| judged.witness.positive);
        if row.estimate.is_none() || positive.all(|judged| judged.counted.is_none()) {
            continue;
        }
        counted += 1;
        if judged.verdict != Verdict::Contradicted {
            return Err(format!("{} passed witnesses that it breaks", row.point.id));
        }
    }
    match counted {
        0 => Err("no point has a count that a witness could judge".to_owned()),
        _ => Ok(format!("{counted} points are contradicted by witnesses that expect more")),
    }
}

fn show(checks: &[Check], out: &mut dyn Write) -> anyhow::Result<()> {
    let width = terminal::width_of_output().clamp(40, 120);
    for check in checks {
        let (word, text) = match (&check.found, check.is_needed) {
            (Ok(text), _) => ("works", text),
            (Err(text), true) => ("FAILS", text),
            (Err(text), false) => ("lacks", text),
        };
        let lead = format!("{:NAME$} {word:5} ", check.name);
        output::paragraph(&lead, text, lead.len(), width, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_cpu_is_that_of_the_plan() {
        for (cpu, peer_cpu, expected) in
            [(Some(1), Some(0), "CPU 0:"), (Some(1), None, "only one CPU"), (None, None, "unknown")]
        {
            let settings = record::Settings { cpu, peer_cpu, ..record::Settings::default() };
            let plan = Some(record::Plan { settings, ..record::Plan::default() });
            // Nothing is known of the machine, as without /proc.
            let found = second_cpu(&Record { plan, ..Record::default() }).found;
            assert_eq!(found.is_ok(), peer_cpu.is_some());
            let text = found.unwrap_or_else(|error| error);
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn reason_of_an_unusable_counter_says_what_would_change_it() {
        for (errno, paranoid, part) in [
            (2, Some(2.0), "no such counter"),
            (13, Some(3.0), "kernel.perf_event_paranoid=2, which is 3"),
            (1, Some(2.0), "container"),
            (13, None, "container"),
            (22, None, "errno 22"),
        ] {
            let said = unusable(Unusable::Refused(sys::Error { call: "perf_event_open", errno }), paranoid);
            assert!(said.contains(part), "{errno}: {said}");
        }
        assert_eq!(unusable(Unusable::Dead, Some(3.0)), Unusable::Dead.to_string());
    }
}
