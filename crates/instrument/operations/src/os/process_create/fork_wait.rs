//! fork, exit of the child and wait, by resident memory of the parent.

use super::CREATE;
use crate::fit::line;
use measure::Operation;
use quantity::Quantity;
use record::{Fit, Plot, Scale};
use sys::process::fork_exit;
use workloads::os::child_lifetimes::create_and_wait;

/// fork, exit of the child, wait.
pub static FORK_WAIT: Operation = Operation {
    id: "process.create.fork_wait",
    title: "fork + exit + wait of one child",
    one_iteration: "one fork, exit of the child, and wait",
    method: "A process with one thread and resident= of touched private memory (base pages) forks, the child exits, and the \
             parent waits, by the system-call instruction. Every child is timed individually; parent and child share one \
             CPU.",
    confounds: "The cost grows with the parent's resident pages (E55). Tools differ by a factor of 18 for this reason, and because \
                some exec or print in the child.",
    sources: &[
        ("R0, 3.5.1", "fork until it returns in the parent; the wait is not timed"),
        ("R1, 3 Fig 4", "create and run a process by fork; where the interval ends is not said"),
        ("R2, 3.5", "fork and exit of the child, probably until wait returns"),
        ("R3, 3.5.1", "fork until the parent returns or the child runs, whichever is first"),
        ("R4, 4.3", "fork; where the interval ends is not said"),
        ("lmbench", "lat_proc fork: fork + exit + wait"),
        ("perf bench", "syscall fork: fork, exit and waitpid"),
        ("UnixBench", "spawn: fork, exit and wait"),
        ("osbench", "create_processes: 100 forks, then 100 waits; the best of five seconds"),
        (
            "libMicro",
            "fork: 10 to 1000 forks, and a barrier that all children reach; the waits are not timed",
        ),
    ],
    points: &["resident=0B|1MiB|16MiB|64MiB", "profile=thorough: resident=128MiB"],
    predict: &[
        "a small process",
        "resident=0B: software t1 fork until the child runs = [process.create.fork.run cpu=same]",
        "resident=0B: software t1 exit until wait returns = [process.end.exit_wait]",
        "resident=1MiB..: software t1 child of a small parent = [process.create.fork_wait resident=0B]",
        "resident=1MiB..: software copy and release of the parent's page tables = copied_entries({resident / 4KiB})",
        "resident=1MiB..: hardware descriptors of its pages beyond L2 = page_descriptors({resident / 4KiB})",
    ],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        "switches 0.9..4 (if consistent): the parent blocked and the child ran",
        "forked child",
    ],
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("resident", "resident memory of the parent", Quantity::Size)
    }),
    fit: Some(|| Fit {
        unit: 1 << 20,
        ..line("resident", "per resident MiB of the parent", "for a small parent")
    }),
    tail: &["resident=0B|64MiB"],
    run: |bench| create_and_wait(bench, fork_exit),
    spend_ns: 20_000_000,
    headline: &[("resident=0B", "fork + exit + wait")],
    ..CREATE
};
