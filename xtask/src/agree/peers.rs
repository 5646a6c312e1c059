//! Who is compared with which point, and what their figure holds.

use super::reading::Reads;
use crate::packages::Package;

/// Whether a tool times the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// It does: the two must agree within 5 %.
    Yes,
    /// It does not, for this reason, which a contrast has shown.
    No(&'static str),
}

/// One comparison.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// What is compared.
    pub what: &'static str,
    /// The point of oscope.
    pub ours: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// Its command, in which `{own}`, `{peer}`, `{both}` are CPUs and `{plain}` is the C program.
    pub command: &'static [&'static str],
    /// Where its figure stands.
    pub reads: Reads,
    /// How many of oscope's iterations its figure holds.
    pub holds: f64,
    /// Whether it is the same thing.
    pub same: Same,
}

/// The Debian packages of the tools.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "linux-perf",
        program: "perf",
        tests: "comparison with perf bench",
    },
    Package {
        name: "stress-ng",
        program: "stress-ng",
        tests: "comparison with stress-ng",
    },
    Package {
        name: "rt-tests",
        program: "cyclictest",
        tests: "comparison with rt-tests",
    },
];

const PLAIN: &str = "plain C";
const PERF: &str = "perf bench";
const STRESS: &str = "stress-ng";

/// One second of a stressor.
macro_rules! stress {
    ($stressor:literal) => {
        &[
            "taskset",
            "-c",
            "{own}",
            "stress-ng",
            concat!("--", $stressor),
            "1",
            "-t",
            "1",
            "--metrics-brief",
        ]
    };
}

/// The plain C program with both actors on one CPU.
const fn plain(what: &'static str, ours: &'static str, command: &'static [&'static str], same: Same) -> Peer {
    Peer {
        what,
        ours,
        tool: PLAIN,
        command,
        reads: Reads::Before(" ns", 1),
        holds: 1.0,
        same,
    }
}

/// All of them.
pub const PEERS: &[Peer] = &[
    plain(
        "getppid through the C library",
        "syscall.getppid",
        &["{plain}", "getppid", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "getppid through the C library",
        ours: "syscall.getppid",
        tool: PERF,
        command: &[
            "taskset", "-c", "{own}", "perf", "bench", "syscall", "basic", "-l", "5000000",
        ],
        reads: Reads::Before(" usecs/op", 1_000),
        holds: 1.0,
        same: Same::Yes,
    },
    plain(
        "pipe round trip, one CPU",
        "ipc.pipe.round_trip cpu=same",
        &["{plain}", "pipe", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "pipe round trip, one CPU",
        ours: "ipc.pipe.round_trip cpu=same",
        tool: PERF,
        command: &[
            "taskset", "-c", "{own}", "perf", "bench", "sched", "pipe", "-l", "300000",
        ],
        reads: Reads::Before(" usecs/op", 1_000),
        holds: 1.0,
        same: Same::Yes,
    },
    plain(
        "pipe round trip, two CPUs",
        "ipc.pipe.round_trip cpu=other",
        &["{plain}", "pipe", "{own}", "{peer}"],
        Same::Yes,
    ),
    plain(
        "fork, exit, wait",
        "process.create.fork_wait resident_mib=0",
        &["{plain}", "fork", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "fork, exit, wait",
        ours: "process.create.fork_wait resident_mib=0",
        tool: STRESS,
        command: stress!("fork"),
        reads: Reads::Rate("fork"),
        holds: 1.0,
        same: Same::Yes,
    },
    plain(
        "thread create, join",
        "thread.create.join",
        &["{plain}", "thread", "{own}", "{own}"],
        Same::Yes,
    ),
];
