//! What the machine takes from a program that only computes: gaps in a tight loop that reads the clock.

use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse, counted, term};
use quantity::Quantity;
use record::{Bound, Formula, Prediction, Side};
use sys::clock::Clock;

/// Share of time lost in gaps of at least a given length.
pub static OPERATION: Operation = Operation {
    id: "noise.gaps",
    area: Area::Os,
    title: "time that the machine takes away",
    one_iteration: "20 milliseconds of reading the clock as fast as it goes",
    quantity: Quantity::Ratio,
    method: "A loop reads the clock; where two readings lie further apart than a threshold, somebody else had the \
             CPU: the kernel's tick, an interrupt, another program, the hypervisor. The value is the share of time \
             in such gaps. The evidence holds their number by length, the longest, and the interrupts that the \
             kernel counted meanwhile.",
    confounds: "Each trial is short, so what happens once a second is in few of them; the longest gaps are rare and \
                their interval is wide by nature.",
    sources: &[
        (
            "sysjitter",
            "gaps above a threshold in a loop that reads the counter",
        ),
        ("rt-tests", "hwlatdetect, oslat: longest gap"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        THRESHOLDS
            .iter()
            .map(|(name, _)| Point::only().with("gap", name))
            .collect()
    },
    predict: |point| {
        if point.get("gap") != Some("1us") {
            return Prediction::default();
        }
        let tick = Formula::cited(2_500.0, 2.5, "a timer interrupt takes 1 to 5 µs");
        let exits = Formula::fact("hypervisor.exit_ns").times(2.0);
        let each = |formula: Formula| formula.over(Formula::fact("kernel.tick_ns"));
        Prediction {
            from_facts: vec![
                term(Side::Software, "the kernel's tick", each(tick)),
                term(Side::Hardware, "the hypervisor delivers it", each(exits)),
            ],
            from_parts: Vec::new(),
        }
    },
    witnesses: |_| {
        let mut all = counted(
            "clock.reads",
            2_000.0,
            1e9,
            "the loop read the clock all the time",
        );
        all.extend(counted(
            "time.accounted",
            0.9,
            1.001,
            "gaps and readings together are the time that passed",
        ));
        all
    },
    bounds: |_| {
        vec![Bound {
            lower: false,
            formula: Formula::exactly(1.0),
            because: "nobody takes more than all".to_owned(),
        }]
    },
    run,
    ..Operation::NEW
};

/// Thresholds in nanoseconds, by name.
const THRESHOLDS: [(&str, f64); 3] = [("1us", 1_000.0), ("10us", 10_000.0), ("100us", 100_000.0)];

/// Length of one watch in nanoseconds.
const WATCH_NS: i64 = 20_000_000;

/// Most readings of one watch: ten times what the fastest clock allows.
const MOST_READINGS: u64 = 50_000_000;

/// Most gaps that are kept one by one.
const MOST_GAPS: usize = 100_000;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    if bench.is_rehearsal() {
        return Ok(());
    }
    let threshold = THRESHOLDS
        .iter()
        .find(|(name, _)| bench.point().get("gap") == Some(name));
    let &(_, threshold) = threshold.ok_or_else(|| Failure::Failed("the point needs a gap".to_owned()))?;
    let interrupts = Interrupts::read();
    let watch = bench.watched(watch)?;
    let now = Interrupts::read();
    let lost: f64 = watch.gaps.iter().filter(|&&gap| gap >= threshold).sum();
    bench.values(vec![lost / watch.total]);
    bench.count("clock.reads", watch.reads as f64, 1.0);
    bench.count(
        "time.accounted",
        (watch.quiet + watch.gaps.iter().sum::<f64>()) / watch.total,
        1.0,
    );
    bench.count(
        "gap.longest_ns",
        watch.gaps.iter().copied().fold(0.0, f64::max),
        1.0,
    );
    for (name, least) in THRESHOLDS {
        let count = watch.gaps.iter().filter(|&&gap| gap >= least).count();
        bench.count(&format!("gaps.{name}"), count as f64, 1.0);
    }
    for ((name, before), (_, after)) in interrupts.0.into_iter().zip(now.0) {
        match before.zip(after) {
            Some((before, after)) => bench.count(name, after - before, 1.0),
            None => bench.cannot_count(name, "the kernel does not tell it here".to_owned()),
        }
    }
    Ok(())
}

/// One watch, in nanoseconds.
struct Watch {
    total: f64,
    quiet: f64,
    gaps: Vec<f64>,
    reads: u64,
}

fn watch() -> Result<Watch, Failure> {
    let clock = Clock::select();
    let from = clock.moment();
    let mut gaps = Vec::with_capacity(MOST_GAPS);
    // A first estimate of the tick, good to a per cent, is enough to tell a gap.
    while clock.moment().nanos_since(from) < 200_000 {}
    let rough = clock.nanos_per_tick(from, clock.moment());
    let least = (1_000.0 / rough) as i64;
    let (begin, first) = (clock.moment(), clock.start());
    let length = (WATCH_NS as f64 / rough) as i64;
    let (mut last, mut quiet, mut reads) = (first, 0, 0);
    while last - first < length && reads < MOST_READINGS {
        let now = clock.start();
        let step = now - last;
        if step >= least && gaps.len() < MOST_GAPS {
            gaps.push(step);
        } else {
            quiet += step;
        }
        last = now;
        reads += 1;
    }
    let nanos = clock.nanos_per_tick(begin, clock.moment());
    let gaps = gaps.into_iter().map(|gap| gap as f64 * nanos).collect();
    Ok(Watch {
        total: (last - first) as f64 * nanos,
        quiet: quiet as f64 * nanos,
        gaps,
        reads,
    })
}

/// What the kernel counted so far, over all CPUs, by cause.
struct Interrupts([(&'static str, Option<f64>); 3]);

impl Interrupts {
    fn read() -> Self {
        let timer = sum_of_line("/proc/interrupts", "LOC:");
        let total = sum_of_line("/proc/stat", "intr").map(|_| first_of_line("/proc/stat", "intr"));
        let softirqs = first_of_line("/proc/stat", "softirq");
        Self([
            ("interrupts.timer", timer),
            ("interrupts", total.flatten()),
            ("softirqs", softirqs),
        ])
    }
}

fn line_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines()
        .find_map(|line| line.trim_start().strip_prefix(name))
        .map(str::to_owned)
}

fn sum_of_line(path: &str, name: &str) -> Option<f64> {
    let line = line_of(path, name)?;
    Some(
        line.split_whitespace()
            .map_while(|word| word.parse::<f64>().ok())
            .sum(),
    )
}

fn first_of_line(path: &str, name: &str) -> Option<f64> {
    line_of(path, name)?.split_whitespace().next()?.parse().ok()
}
