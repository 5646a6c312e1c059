//! Percentiles of tails beside those of `cyclictest` and `fio`, from as many iterations.

use super::comparison::Same;
use super::distribution::{Source, percentiles};
use super::ratio::{AGREES, NO, Ratio, TURNS};
use super::tool_runner::ToolRunner;
use crate::markdown;
use crate::oscope_run::{Document, OscopeRun};
use anyhow::{Context, Result};
use programs::{Package, package};
use quantity::Quantity;

/// The name of the area.
pub const AREA: &str = "tail";

/// The percentiles that are compared.
const SHARES: [f64; 3] = [0.5, 0.99, 0.999];

/// Time of a run of oscope. Percentiles are those of every second round, half of it: 6 000 wake-ups at a period of 1 ms, twice as
/// many as p99.9 needs.
const DURATION: &str = "12s";

/// One comparison.
#[derive(Debug, Clone, Copy)]
struct TailComparison {
    what: &'static str,
    /// The point of oscope, and options of its run.
    ours: &'static str,
    options: &'static [&'static str],
    tool: &'static str,
    package: Package,
    /// The command of the tool, with the same words as in other comparisons.
    command: &'static str,
    source: Source,
    same: Same,
}

/// The programs of Debian's tests of real-time kernels.
pub const RT_TESTS: Package = package("rt-tests", "cyclictest hackbench", "comparison with rt-tests");
const FIO: Package = package("fio", "fio", "comparison with fio");

/// Wake-ups by a timer, with a histogram up to 0.5 s.
const WAKE_UP: TailComparison = TailComparison {
    what: "",
    ours: "wakeup.latency load=idle",
    options: &[],
    tool: "cyclictest",
    package: RT_TESTS,
    command: "",
    source: Source::Histogram,
    same: Same::Yes,
};

/// Requests to the device, for as long as oscope's.
const REQUEST: TailComparison = TailComparison {
    ours: "file.read.direct access=random file_size=64MiB",
    tool: "fio",
    package: FIO,
    source: Source::Fio("/jobs/0/read/clat_ns/percentile"),
    ..WAKE_UP
};

/// A job of fio: requests of 4 KiB for 6 s, and what else it is asked for.
macro_rules! fio {
    ($more:literal) => {
        concat!(
            "taskset -c {own} fio --name=oscope --filename={file} --bs=4k --time_based --runtime=6 --randrepeat=0 ",
            "--norandommap --unlink=1 --percentile_list=50:99:99.9 --output-format=json ",
            $more
        )
    };
}

static COMPARISONS: &[TailComparison] = &[
    TailComparison {
        what: "wake-up by a timer, SCHED_OTHER, slack of 1 ns",
        command: "{plain} without-slack cyclictest --default-system -q -t1 -a {own} -i1000 -l6000 -h 500000",
        ..WAKE_UP
    },
    TailComparison {
        what: "the same, cyclictest as it is",
        command: "cyclictest -q -t1 -a {own} -i1000 -l6000 -h 500000",
        same: Same::No(
            "cyclictest leaves the slack of timers at 50 µs, by which the kernel delays them, where oscope sets 1 ns; and it \
             holds /dev/cpu_dma_latency at 0, so that an idle CPU polls and does not halt",
        ),
        ..WAKE_UP
    },
    TailComparison {
        what: "wake-up by a timer, SCHED_FIFO",
        options: &["--sched", "fifo:80"],
        command: "cyclictest --default-system -q -t1 -a {own} -i1000 -l6000 -p80 -h 500000",
        ..WAKE_UP
    },
    TailComparison {
        what: "the same, where an idle CPU does not halt",
        options: &["--sched", "fifo:80"],
        command: "cyclictest -q -t1 -a {own} -i1000 -l6000 -p80 -h 500000",
        same: Same::No(
            "cyclictest holds /dev/cpu_dma_latency at 0, so that an idle CPU polls; oscope changes no setting of the machine",
        ),
        ..WAKE_UP
    },
    TailComparison {
        what: "4 KiB O_DIRECT, random, closed loop",
        command: fio!("--invalidate=0 --size=64M --rw=randread --direct=1 --ioengine=psync"),
        ..REQUEST
    },
    TailComparison {
        what: "4 KiB O_DIRECT, random, 1 000 per second",
        options: &["--rate", "1000"],
        command: fio!("--invalidate=0 --size=64M --rw=randread --direct=1 --ioengine=psync --rate_iops=1000"),
        ..REQUEST
    },
    TailComparison {
        what: "4 KiB O_DIRECT by io_uring, random, depth 1",
        ours: "file.read.uring.latency depth=1",
        command: fio!("--invalidate=0 --size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=1"),
        ..REQUEST
    },
    TailComparison {
        what: "4 KiB O_DIRECT by io_uring, random, depth 16",
        ours: "file.read.uring.latency depth=16",
        command: fio!("--invalidate=0 --size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=16"),
        ..REQUEST
    },
    TailComparison {
        what: "4 KiB O_DIRECT overwritten by io_uring, random, depth 16",
        ours: "file.write.uring.latency depth=16",
        command: fio!("--overwrite=1 --size=64M --rw=randwrite --direct=1 --ioengine=io_uring --iodepth=16"),
        source: Source::Fio("/jobs/0/write/clat_ns/percentile"),
        ..REQUEST
    },
    TailComparison {
        what: "4 KiB overwritten + fsync, closed loop",
        ours: "file.write.fsync",
        command: fio!("--overwrite=1 --size=4M --rw=randwrite --fsync=1 --ioengine=psync"),
        source: Source::Fio("/jobs/0/sync/lat_ns/percentile"),
        ..REQUEST
    },
];

/// What was found at one percentile over the turns, in nanoseconds.
#[derive(Debug, Default, Clone)]
struct Found {
    ours: Vec<f64>,
    theirs: Vec<f64>,
    /// Turns in which the tool's percentile was in oscope's interval.
    inside: usize,
}

/// Compares tails, oscope and tools alternating, and prints the table; gives whether every like pair agrees.
pub fn run(oscope: &OscopeRun<'_>, runner: &ToolRunner) -> Result<bool> {
    let mut found: Vec<[Found; SHARES.len()]> = vec![Default::default(); COMPARISONS.len()];
    let mut busy = Busy::default();
    for turn in 1..=TURNS {
        eprintln!("tails, turn {turn} of {TURNS}");
        for (one, found) in COMPARISONS.iter().zip(&mut found) {
            if let Err(error) = one_turn(oscope, runner, one, found, &mut busy) {
                eprintln!("  {} {}: {error:#}", one.tool, one.what);
            }
        }
    }
    let agrees = print(&found);
    println!("\n{busy}");
    Ok(agrees)
}

/// The packages of the tools.
pub fn wanted() -> impl Iterator<Item = Package> {
    COMPARISONS.iter().map(|one| one.package)
}

fn one_turn(
    oscope: &OscopeRun<'_>,
    runner: &ToolRunner,
    one: &TailComparison,
    found: &mut [Found],
    busy: &mut Busy,
) -> Result<()> {
    let cpus = &runner.cpus;
    let run = ["--tail", one.ours, "--duration", DURATION, "--cpu", &cpus.own, "--peer-cpu", &cpus.peer];
    let document = oscope.document(&oscope.recorded(&[&run, one.options].concat())?.path())?;
    busy.add(&document);
    let ours = document.tails.first().context("no tail in the record")?;
    let theirs = percentiles(one.source, &SHARES, &runner.output(one.command, "")?)?;
    for ((share, found), theirs) in SHARES.into_iter().zip(found).zip(theirs) {
        if let (Some(ours), Some(theirs)) = (ours.service.percentile(share), theirs) {
            found.ours.push(ours.value);
            found.theirs.push(theirs);
            let [low, high] = [ours.low, ours.high.or(ours.low.map(|_| f64::INFINITY))];
            let is_inside = low.zip(high).is_some_and(|(low, high)| (low..=high).contains(&theirs));
            found.inside += usize::from(is_inside);
        }
    }
    Ok(())
}

/// Prints the table; gives whether every like pair agrees: within 5 %, or within oscope's interval in most of the turns.
fn print(found: &[[Found; SHARES.len()]]) -> bool {
    let titles = [
        "what",
        "percentile",
        "oscope",
        "tool",
        "ratio (range)",
        "turns within oscope's interval",
        "agrees",
        "",
    ];
    let mut all_agree = true;
    let mut rows = Vec::new();
    for (one, found) in COMPARISONS.iter().zip(found) {
        for (share, found) in SHARES.into_iter().zip(found) {
            let (word, reason) = judge(one.same, found);
            all_agree &= word != NO;
            let [ours, theirs] =
                [&found.ours, &found.theirs].map(|values| match stats::order::median(values) {
                    Some(median) => quantity::show(median, None, Quantity::Latency),
                    None => "–".to_owned(),
                });
            rows.push(vec![
                one.what.to_owned(),
                analysis::percentile_name(share),
                ours,
                format!("{}: {theirs}", one.tool),
                Ratio::between(&found.ours, &found.theirs).map(|ratio| ratio.to_string()).unwrap_or_default(),
                format!("{} of {}", found.inside, found.ours.len()),
                word.to_owned(),
                reason.to_owned(),
            ]);
        }
    }
    print!("{}", markdown::table(&titles, rows));
    all_agree
}

fn judge(same: Same, found: &Found) -> (&'static str, &'static str) {
    let Some(ratio) = Ratio::between(&found.ours, &found.theirs) else {
        return ("not compared", "");
    };
    match same {
        Same::No(reason) => ("another thing", reason),
        _ if (ratio.median - 1.0).abs() <= AGREES => ("yes", ""),
        _ if 2 * found.inside > found.ours.len() => ("within the interval", ""),
        _ => (NO, ""),
    }
}

/// How busy the neighbours were: the least and the most of the shares of looks at a core that found it shared.
#[derive(Debug, Default, Clone, Copy)]
pub struct Busy(Option<(f64, f64)>);

impl Busy {
    /// Adds those of a run.
    pub fn add(&mut self, document: &Document) {
        for quiet in document.cores.cpus.iter().filter_map(|cpu| cpu.quiet_share) {
            let shared = 1.0 - quiet;
            let (least, most) = self.0.unwrap_or((shared, shared));
            self.0 = Some((least.min(shared), most.max(shared)));
        }
    }
}

impl std::fmt::Display for Busy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some((least, most)) => {
                write!(
                    out,
                    "Cores were shared for {:.0} to {:.0} % of the time.",
                    100.0 * least,
                    100.0 * most
                )
            }
            None => write!(out, "The cores were not probed."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_agrees_within_five_percent_or_within_the_interval() {
        let found = |ours: f64, theirs: f64, inside: usize| Found {
            ours: vec![ours; 5],
            theirs: vec![theirs; 5],
            inside,
        };
        for (same, found, expected) in [
            (Same::Yes, found(104.0, 100.0, 0), "yes"),
            (Same::Yes, found(120.0, 100.0, 3), "within the interval"),
            (Same::Yes, found(120.0, 100.0, 2), NO),
            (Same::No("reason"), found(100.0, 100.0, 5), "another thing"),
            (Same::Yes, Found::default(), "not compared"),
        ] {
            assert_eq!(judge(same, &found).0, expected);
        }
    }
}
