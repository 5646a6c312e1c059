//! Messages among groups beside a plain C program, `hackbench` and `perf bench sched messaging`: a group of 20 senders and 20 receivers.

use super::comparison::{Comparison, LIBRARY, PLAIN, Same, Tool, compare};
use super::reading::Reads;
use super::tail::RT_TESTS;
use programs::package;

/// `xtask/src/agree/messages.c`: oscope's messages, with their instructions in the loops or by the C library.
static MESSAGES: Tool = Tool { command: "{messages}", ..PLAIN };

/// 20 × 20 × 100 messages, as without options, all of one CPU.
static HACKBENCH: Tool = Tool {
    name: "hackbench",
    package: Some(RT_TESTS),
    command: "taskset -c {own} hackbench -g 1 -f 20 -l 100 -s 100",
    reads: Reads::Behind("Time:", 1e9),
    holds: 40_000.0,
    same: Same::No(ENDS_IN_TIME),
};

const ENDS_IN_TIME: &str =
    "calls of the C library, as in the plain C program, and the ends of its 40 tasks are timed";

/// The same where the scheduler puts them.
static HACKBENCH_ON_BOTH: Tool =
    Tool { command: "taskset -c {both} hackbench -g 1 -f 20 -l 100 -s 100", ..HACKBENCH };

static PERF: Tool = Tool {
    name: "perf bench",
    package: Some(package("linux-perf", "perf", "comparison with perf bench")),
    command: "taskset -c {own} perf bench sched messaging -g 1 -l 100",
    reads: Reads::Behind("Total time:", 1e9),
    ..HACKBENCH
};

const PIPE: &str = "ipc.messaging channel=pipe tasks=processes groups=1 descriptors=20 cpus=1";
const UNIX: &str = "ipc.messaging channel=unix tasks=processes groups=1 descriptors=20 cpus=1";
const PIPE_THREADS: &str = "ipc.messaging channel=pipe tasks=threads groups=1 descriptors=20 cpus=1";
const UNIX_THREADS: &str = "ipc.messaging channel=unix tasks=threads groups=1 descriptors=20 cpus=1";
const PIPE_ALL: &str = "ipc.messaging channel=pipe tasks=processes groups=1 descriptors=20 cpus=all";
const UNIX_ALL: &str = "ipc.messaging channel=unix tasks=processes groups=1 descriptors=20 cpus=all";

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(&MESSAGES, "pipes, processes, one CPU", PIPE, "{own} pipe raw"),
    compare(&MESSAGES, "the same by the C library", PIPE, "{own} pipe library").differs(LIBRARY),
    compare(&HACKBENCH, "pipes, processes, one CPU", PIPE, "-p -P"),
    compare(&PERF, "pipes, processes, one CPU", PIPE, "-p"),
    compare(&MESSAGES, "Unix sockets, processes, one CPU", UNIX, "{own} unix raw"),
    compare(&MESSAGES, "the same by the C library", UNIX, "{own} unix library").differs(LIBRARY),
    compare(&HACKBENCH, "Unix sockets, processes, one CPU", UNIX, "-P"),
    compare(&PERF, "Unix sockets, processes, one CPU", UNIX, ""),
    compare(&HACKBENCH, "pipes, threads, one CPU", PIPE_THREADS, "-p -T"),
    compare(&HACKBENCH, "Unix sockets, threads, one CPU", UNIX_THREADS, "-T"),
    compare(&MESSAGES, "pipes, processes, all CPUs", PIPE_ALL, "{both} pipe raw"),
    compare(&HACKBENCH_ON_BOTH, "pipes, processes, all CPUs", PIPE_ALL, "-p -P"),
    compare(&MESSAGES, "Unix sockets, processes, all CPUs", UNIX_ALL, "{both} unix raw"),
    compare(&HACKBENCH_ON_BOTH, "Unix sockets, processes, all CPUs", UNIX_ALL, "-P"),
];
