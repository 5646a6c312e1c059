//! Exhibits of figures: right batches, read in wrong ways.

use super::exhibit::Expected::{Either, High, Low};
use super::exhibit::{Demonstration, Exhibit, ExhibitPoint, spot};
use super::wrong_statistics;

/// A system call: short, cheap to measure, and always there.
const CALL: &[ExhibitPoint] = &[spot("syscall.getppid", "method=raw")];
/// Something that is timed one by one, so that its samples are single events.
const SINGLE: &[ExhibitPoint] = &[spot("thread.create.pthread.parent", "")];
/// Something that waits for a clock, and is late in more than one way.
const LATE: &[ExhibitPoint] = &[spot("wakeup.latency", "load=idle")];
/// The same thing on one CPU and on two.
const PLACES: &[ExhibitPoint] =
    &[spot("switch.process.pipe", "cpu=same"), spot("switch.process.pipe", "cpu=other")];
/// A loop of which every iteration is a cycle.
const LOOP: &[ExhibitPoint] = &[spot("loop.iteration", "counter=register iterations=1024")];
/// A rate of memory.
const RATE: &[ExhibitPoint] = &[spot("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1")];

const fn read(of: &'static [ExhibitPoint], statistic: wrong_statistics::WrongStatistic) -> Demonstration {
    Demonstration::Read { of, statistic }
}

/// Ticks for cycles, which stands among the clocks.
pub(super) const TICKS: Demonstration = read(LOOP, wrong_statistics::ticks_as_cycles);

pub(super) const ALL: &[Exhibit] = &[
    Exhibit {
        name: "mean-of-all",
        title: "a mean that one sample moves",
        codes: &["E25"],
        way: read(SINGLE, wrong_statistics::mean_of_all),
        done: "All samples are averaged, including those during which another task had the CPU.",
        wrong: "One sample that was interrupted weighs as much as a thousand that were not.",
        right: "The median, and batches set aside for a named cause only.",
        expected: High,
        hides: "on a quiet machine: the mean of samples without outliers is as good as their median",
        seen: &[("R0", "switch.thread.mutex", "statistic=mean"), ("R1", "syscall.write", "statistic=mean")],
    },
    Exhibit {
        name: "two-states",
        title: "a mean over two states",
        codes: &["E26"],
        way: read(PLACES, wrong_statistics::mean_of_two_states),
        done: "Half of the switches stay on one CPU and half wake another, and one mean is given for all.",
        wrong: "The mean lies where no sample is, and moves with the share of each state.",
        right: "Each state by itself, with its share; better still, its cause as a parameter.",
        expected: Either,
        hides: "where both placements cost the same",
        seen: &[
            ("R0", "fault.file.major", "stride=4KB"),
            ("R3", "round_trip.tcp.acknowledgement", "peer=loopback"),
        ],
    },
    Exhibit {
        name: "shortest-of-many",
        title: "the minimum of many samples",
        codes: &["E31"],
        way: read(SINGLE, wrong_statistics::shortest),
        done: "The shortest of all samples is reported as the cost.",
        wrong: "It falls with the number of samples, and almost no operation is that fast.",
        right: "A quantile that does not depend on the number of samples; the median for what a user sees.",
        expected: Low,
        hides: "where all samples are alike",
        seen: &[("R0", "round_trip.tcp", "peer=loopback statistic=minimum")],
    },
    Exhibit {
        name: "best-run",
        title: "the best of five runs",
        codes: &["E31", "E28"],
        way: read(CALL, wrong_statistics::best_run),
        done: "The program is run five times, and the lowest result is kept.",
        wrong: "Runs differ by what the start of a process makes of its memory and code; the lowest is one of them.",
        right: "All runs, their median, and the interval over them.",
        expected: Low,
        hides: "where processes differ by less than 2 %",
        seen: &[],
    },
    Exhibit {
        name: "first-sample",
        title: "the first sample called the cost",
        codes: &["E24", "E29"],
        way: read(SINGLE, wrong_statistics::first),
        done: "A program runs the operation once, and prints how long it took.",
        wrong: "Caches, tables and the allocator are cold the first time, and one sample has no spread.",
        right: "Many samples, the first ones looked at by themselves: is there a steady state, and from when on?",
        expected: High,
        hides: "where calibration has warmed everything up before the first sample, as it does for this record",
        seen: &[],
    },
    Exhibit {
        name: "four-samples",
        title: "a result from four samples",
        codes: &["E29"],
        way: read(SINGLE, wrong_statistics::four_samples),
        done: "Four samples are averaged, as where a curve has only four points left.",
        wrong: "The next four would give another answer; shown is how much the answer moves from run to run.",
        right: "Samples until the interval is narrow, and no number without an interval.",
        expected: High,
        hides: "where all samples are alike",
        seen: &[("R0", "fault.file.major", "stride=256MB")],
    },
    Exhibit {
        name: "one-process",
        title: "an interval from one process",
        codes: &["E56", "E28"],
        way: read(CALL, wrong_statistics::one_process),
        done: "One process takes many samples; 1.96 deviations over the root of their number is called the error.",
        wrong: "It says how well this one process is known; the next process has another layout and another cost.",
        right: "An interval over fresh processes.",
        expected: Low,
        hides: "where processes differ no more than their samples make them",
        seen: &[],
    },
    Exhibit {
        name: "deviation-of-means",
        title: "a deviation of means called that of the operation",
        codes: &["E27"],
        way: read(SINGLE, wrong_statistics::deviation_of_means),
        done: "Each run gives a mean; the deviation of those means is printed beside the cost of one operation.",
        wrong: "A reader takes it for how much one operation differs from the next, which is far more.",
        right: "Say of what it is the deviation, over how many, and with n or n − 1.",
        expected: Low,
        hides: "where runs differ as much as the samples within them",
        seen: &[
            ("R0", "clock.read.rdtsc_rdtscp", "statistic=mean"),
            ("R2", "syscall.getpid.libc", "statistic=mean"),
        ],
    },
    Exhibit {
        name: "deviation-below-the-step",
        title: "a deviation that is that of the clock",
        codes: &["E08"],
        way: read(CALL, wrong_statistics::coarse_deviation),
        done: "Each call is timed alone by a clock with steps of 41.67 ns (24 MHz), and the deviation is printed.",
        wrong: "A call of a constant cost reads as one step more or less: the deviation is that of the steps.",
        right: "Batches a thousand steps long, or a statement that the clock resolves no more.",
        expected: High,
        hides: "where the operation itself varies by more than the step",
        seen: &[("R2", "syscall.getpid.libc", "statistic=mean")],
    },
    Exhibit {
        name: "cut-tail",
        title: "a truncated tail",
        codes: &["E30"],
        way: read(LATE, wrong_statistics::cut),
        done: "Samples above twice the median are dropped as disturbed, and the rest is averaged.",
        wrong: "Long samples are part of the distribution: whoever waits also waits for those.",
        right: "Keep all, drop for a named cause only, count what is dropped, and report the tail by quantiles.",
        expected: Low,
        hides: "where nothing lies beyond the cut",
        seen: &[],
    },
    Exhibit {
        name: "binary-gigabytes",
        title: "2³⁰ bytes called a gigabyte",
        codes: &["E37"],
        way: read(RATE, wrong_statistics::binary_units),
        done: "A rate is divided by 2³⁰ and printed as GB/s.",
        wrong: "GB is 10⁹ bytes; 2³⁰ are a GiB. Each prefix adds an error of 2.4 %, and readers multiply it.",
        right: "One kind of prefix, named by its own name.",
        expected: Low,
        hides: "nowhere: it is arithmetic",
        seen: &[("R3", "file.cache_size", ""), ("R0", "memory.bandwidth.read.loop", "array=1GB")],
    },
];
