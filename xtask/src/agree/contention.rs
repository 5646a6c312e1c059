//! Wake-ups of many waiters on a futex beside `perf bench futex` and a plain C program: 16 waiters.

use super::comparison::{Comparison, PLAIN, Tool, compare};
use super::reading::Reads;
use programs::package;

/// `xtask/src/agree/wakes.c`, which gives the time of a waiter.
static WAKES: Tool = Tool { command: "{wakes}", ..PLAIN };

/// The mean of 20 runs, each of which takes a tenth of a second.
static PERF: Tool = Tool {
    name: "perf bench",
    package: Some(package("linux-perf", "perf", "comparison with perf bench")),
    command: "taskset -c {own} perf bench -r 20 futex",
    reads: Reads::LastLine(" threads in ", " ms", 1e6),
    holds: 16.0,
    ..PLAIN
};

/// Why `perf bench` measures something else.
const ON_ALL: &str =
    "half of its waiters sleep on the CPU of the waker, and all of them for 100 ms before they are woken";

const WAKE_ONE: &str = "contention.futex call=wake_one waiters=16 cpus=all";
const WAKE_ALL: &str = "contention.futex call=wake_all waiters=16 cpus=all";
const REQUEUE: &str = "contention.futex call=requeue waiters=16 cpus=all";

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(&WAKES, "wake one of 16 on the other CPU", WAKE_ONE, "one {own} {peer}"),
    compare(&WAKES, "wake one of 16 on both CPUs", WAKE_ONE, "one {own} {own},{peer}")
        .differs("half of its waiters sleep on the CPU of the waker, as those of perf bench do"),
    compare(&PERF, "wake one of 16", WAKE_ONE, "wake -s -t 16").differs(ON_ALL),
    compare(&WAKES, "wake all 16 on the other CPU", WAKE_ALL, "all {own} {peer}"),
    compare(&PERF, "wake all 16", WAKE_ALL, "wake -s -t 16 -w 16").differs(ON_ALL),
    compare(&WAKES, "requeue 16 on the other CPU", REQUEUE, "requeue {own} {peer}"),
    compare(&PERF, "requeue 16", REQUEUE, "requeue -s -t 16 -B").differs(
        "it moves all waiters and wakes none of them: what is left is the system call and the moves",
    ),
    compare(
        &WAKES,
        "wake one of 16 on one CPU",
        "contention.futex call=wake_one waiters=16 cpus=1",
        "one {own} {own}",
    ),
    compare(
        &WAKES,
        "wake all 16 on one CPU",
        "contention.futex call=wake_all waiters=16 cpus=1",
        "all {own} {own}",
    ),
    compare(
        &WAKES,
        "requeue 16 on one CPU",
        "contention.futex call=requeue waiters=16 cpus=1",
        "requeue {own} {own}",
    ),
];
