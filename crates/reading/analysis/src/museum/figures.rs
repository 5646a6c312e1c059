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
/// Something that waits for a device, of which some requests take far longer than others.
const DURABLE: &[ExhibitPoint] = &[spot("file.write.fsync", "")];
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
        demonstration: read(SINGLE, wrong_statistics::mean_of_all),
        procedure: "All samples are averaged, including those that were interrupted.",
        flaw: "One sample that was interrupted weighs as much as a thousand that were not.",
        remedy: "The median, and batches set aside for a named cause only.",
        expected: High,
        not_visible_where: "on a quiet machine: the mean of samples without outliers is as good as their median",
        published: &[
            ("R0", "3.6.2", "switch.thread.mutex", "statistic=mean"),
            ("R1", "3 Fig 3", "syscall.write", "statistic=mean"),
        ],
    },
    Exhibit {
        name: "two-states",
        title: "a mean over two states",
        codes: &["E26"],
        demonstration: read(PLACES, wrong_statistics::mean_of_two_states),
        procedure: "Half of the switches stay on one CPU and half wake another, and one mean is given for all.",
        flaw: "The mean lies where no sample is, and moves with the share of each state.",
        remedy: "Each state by itself, with its share; better still, its cause as a parameter.",
        expected: Either,
        not_visible_where: "where both placements cost the same",
        published: &[("R0", "4.4.3", "fault.file.major", "stride=4KB")],
    },
    Exhibit {
        name: "shortest-of-many",
        title: "the minimum of many samples",
        codes: &["E31"],
        demonstration: read(SINGLE, wrong_statistics::shortest),
        procedure: "The shortest of all samples is reported as the cost.",
        flaw: "It falls with the number of samples, and almost no operation is that fast.",
        remedy: "A quantile that does not depend on the number of samples; the median for what a user sees.",
        expected: Low,
        not_visible_where: "where all samples are alike",
        published: &[("R0", "7", "round_trip.tcp", "peer=loopback statistic=minimum")],
    },
    Exhibit {
        name: "best-run",
        title: "the best of several runs",
        codes: &["E31", "E28"],
        demonstration: read(CALL, wrong_statistics::best_run),
        procedure: "The program is run five times, and the lowest result is kept.",
        flaw: "Runs differ by what the start of a process makes of its memory and code; the lowest is one of them.",
        remedy: "All runs, their median, and the interval over them.",
        expected: Low,
        not_visible_where: "where processes differ by less than 2 %",
        published: &[],
    },
    Exhibit {
        name: "first-sample",
        title: "the first sample called the cost",
        codes: &["E24", "E29"],
        demonstration: read(SINGLE, wrong_statistics::first),
        procedure: "A program runs the operation once, and prints how long it took.",
        flaw: "Caches, tables and the allocator are cold the first time, and one sample has no spread.",
        remedy: "Many samples, the first ones looked at by themselves: is there a steady state, and from when on?",
        expected: High,
        not_visible_where: "where calibration has warmed everything up before the first sample, as it does for this record",
        published: &[],
    },
    Exhibit {
        name: "four-samples",
        title: "a result from four samples",
        codes: &["E29"],
        demonstration: read(SINGLE, wrong_statistics::four_samples),
        procedure: "Four samples are averaged, as where a curve has only four points left.",
        flaw: "The next four would give another answer; shown is how much the answer moves from run to run.",
        remedy: "Samples until the interval is narrow, and no number without an interval.",
        expected: High,
        not_visible_where: "where all samples are alike",
        published: &[("R0", "4.4.3", "fault.file.major", "stride=256MB")],
    },
    Exhibit {
        name: "one-process",
        title: "an interval from one process",
        codes: &["E56", "E28"],
        demonstration: read(CALL, wrong_statistics::one_process),
        procedure: "One process takes many samples; 1.96 deviations over the root of their number is called the error.",
        flaw: "It says how well this one process is known; the next process has another layout and another cost.",
        remedy: "An interval over fresh processes.",
        expected: Low,
        not_visible_where: "where processes differ no more than their samples make them",
        published: &[],
    },
    Exhibit {
        name: "deviation-of-means",
        title: "a deviation of means called that of the operation",
        codes: &["E27"],
        demonstration: read(SINGLE, wrong_statistics::deviation_of_means),
        procedure: "Each run gives a mean; the deviation of those means is printed beside the cost of one operation.",
        flaw: "A reader takes it for how much one operation differs from the next, which is far more.",
        remedy: "Say of what it is the deviation, over how many, and with n or n − 1.",
        expected: Low,
        not_visible_where: "where runs differ as much as the samples within them",
        published: &[
            ("R0", "3.2.1", "clock.read.rdtsc_rdtscp", "statistic=mean"),
            ("R2", "3.4 results text", "syscall.getpid.libc", "statistic=mean"),
        ],
    },
    Exhibit {
        name: "deviation-below-the-step",
        title: "a deviation that is that of the clock",
        codes: &["E08"],
        demonstration: read(CALL, wrong_statistics::coarse_deviation),
        procedure: "Each call is timed alone by a clock with steps of 41.67 ns (24 MHz), and the deviation is printed.",
        flaw: "A call of a constant cost reads as one step more or less: the deviation is that of the steps.",
        remedy: "Batches a thousand steps long, or a statement that the clock resolves no more.",
        expected: High,
        not_visible_where: "where the operation itself varies by more than the step",
        published: &[],
    },
    Exhibit {
        name: "cut-tail",
        title: "a truncated tail",
        codes: &["E30"],
        demonstration: read(LATE, wrong_statistics::cut),
        procedure: "Samples above twice the median are dropped as disturbed, and the rest is averaged.",
        flaw: "Long samples are part of the distribution: whoever waits also waits for those.",
        remedy: "Keep all, drop for a named cause only, count what is dropped, and report the tail by quantiles.",
        expected: Low,
        not_visible_where: "where nothing lies beyond the cut",
        published: &[],
    },
    Exhibit {
        name: "closed-loop",
        title: "coordinated omission",
        codes: &["E63"],
        demonstration: read(DURABLE, wrong_statistics::closed_loop),
        procedure: "Each request is sent when the one before is answered, and 90 % of the times are below the result.",
        flaw: "Users do not wait for each other to ask: while one request is slow, others queue behind it, and a closed \
            loop sends none. Right is what these samples come to if requests arrive at 70 % of the rate that can be served.",
        remedy: "Send by a schedule that is fixed beforehand, and time from when a request is due: `oscope run --tail --rate N`.",
        expected: Low,
        not_visible_where: "where all requests take the same time",
        published: &[],
    },
    Exhibit {
        name: "binary-gigabytes",
        title: "2³⁰ bytes called a gigabyte",
        codes: &["E37"],
        demonstration: read(RATE, wrong_statistics::binary_units),
        procedure: "A rate is divided by 2³⁰ and printed as GB/s, or a size in the same way as GB.",
        flaw: "GB is 10⁹ bytes; 2³⁰ are a GiB. Each prefix adds an error of 2.4 %, and readers multiply it.",
        remedy: "One kind of prefix, named by its own name.",
        expected: Low,
        not_visible_where: "nowhere: it is arithmetic",
        published: &[("R3", "6.1.2", "file.cache_size", "statistic=rounded")],
    },
];
