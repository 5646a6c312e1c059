//! The kernel's services beside `perf bench`, `stress-ng`, `cyclictest` and the plain C program.

use super::peers::{Peer, Same, Table, plain};
use super::reading::Reads;
use programs::Package;

/// All of them.
pub static TABLE: Table = Table { area: "os", packages: PACKAGES, peers: PEERS };

const PACKAGES: &[Package] = &[
    Package {
        name: "linux-perf",
        programs: &["perf"],
        tests: "comparison with perf bench",
        is_server: false,
    },
    Package {
        name: "stress-ng",
        programs: &["stress-ng"],
        tests: "comparison with stress-ng",
        is_server: false,
    },
    Package {
        name: "rt-tests",
        programs: &["cyclictest"],
        tests: "comparison with rt-tests",
        is_server: false,
    },
];

const PERF: &str = "perf bench";
const STRESS: &str = "stress-ng";
const RT: &str = "rt-tests";

/// One second of a stressor.
macro_rules! stress {
    ($stressor:literal) => {
        &["taskset", "-c", "{own}", "stress-ng", concat!("--", $stressor), "1", "-t", "1", "--metrics-brief"]
    };
}

const PEERS: &[Peer] = &[
    plain(
        "getppid through the C library",
        "syscall.getppid method=libc",
        &["{plain}", "getppid", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "getppid through the C library",
        ours: "syscall.getppid method=libc",
        tool: PERF,
        command: &["taskset", "-c", "{own}", "perf", "bench", "syscall", "basic", "-l", "5000000"],
        reads: Reads::Before(" usecs/op", 1e3),
        same: Same::Yes,
        ..Peer::NEW
    },
    plain(
        "write one byte to /dev/null",
        "syscall.write.dev_null method=libc",
        &["{plain}", "write_null", "{own}", "{own}"],
        Same::Yes,
    ),
    plain(
        "signal to self",
        "signal.deliver.self",
        &["{plain}", "signal", "{own}", "{own}"],
        Same::No("the program asks for its own number before each signal, which is one more system call"),
    ),
    Peer {
        what: "protection fault caught",
        ours: "signal.protection_fault",
        tool: STRESS,
        command: stress!("sigsegv"),
        reads: Reads::Rate("sigsegv"),
        same: Same::No("stress-ng saves its place, installs the handlers and jumps out of them every time"),
        ..Peer::NEW
    },
    plain(
        "epoll_wait, one ready",
        "syscall.epoll_wait type=pipe descriptors=10 ready=last",
        &["{plain}", "epoll_ready", "{own}", "{own}"],
        Same::No("an event counter instead of a pipe, one descriptor instead of ten"),
    ),
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
        command: &["taskset", "-c", "{own}", "perf", "bench", "sched", "pipe", "-l", "300000"],
        reads: Reads::Before(" usecs/op", 1e3),
        same: Same::Yes,
        ..Peer::NEW
    },
    plain(
        "pipe round trip, two CPUs",
        "ipc.pipe.round_trip cpu=other",
        &["{plain}", "pipe", "{own}", "{peer}"],
        Same::Yes,
    ),
    Peer {
        what: "pipe round trip, two CPUs",
        ours: "ipc.pipe.round_trip cpu=other",
        tool: PERF,
        command: &["taskset", "-c", "{both}", "perf", "bench", "sched", "pipe", "-l", "30000"],
        reads: Reads::Before(" usecs/op", 1e3),
        same: Same::No(
            "its two processes are not pinned: the scheduler has them on one CPU or on two, as it likes",
        ),
        ..Peer::NEW
    },
    Peer {
        what: "switch over pipes, one CPU",
        ours: "switch.process.pipe cpu=same",
        tool: STRESS,
        command: stress!("switch"),
        reads: Reads::Before(" nanosecs per context switch", 1.0),
        same: Same::No("it divides by messages one way, whose system calls it leaves in"),
        ..Peer::NEW
    },
    plain(
        "futex round trip, one CPU, in two switches",
        "switch.thread.futex cpu=same",
        &["{plain}", "futex", "{own}", "{own}"],
        Same::No("a whole round trip with its four system calls, where the point is one switch without them"),
    ),
    plain(
        "fork, exit, wait",
        "process.create.fork_wait resident=0B",
        &["{plain}", "fork", "{own}", "{own}"],
        Same::No(
            "a fork by the C library, which runs its own handlers before and after; the parent is another",
        ),
    ),
    Peer {
        what: "fork, exit, wait",
        ours: "process.create.fork_wait resident=0B",
        tool: STRESS,
        command: stress!("fork"),
        reads: Reads::Rate("fork"),
        same: Same::No(
            "a parent of many megabytes and mappings, whose children unmap and advise before they end (E55)",
        ),
        ..Peer::NEW
    },
    plain(
        "vfork, exit, wait",
        "process.create.vfork_wait resident=0B",
        &["{plain}", "vfork", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "vfork, exit, wait",
        ours: "process.create.vfork_wait resident=0B",
        tool: STRESS,
        command: stress!("vfork"),
        reads: Reads::Rate("vfork"),
        same: Same::No("the parent is another, and counts and checks between children"),
        ..Peer::NEW
    },
    plain(
        "posix_spawn of /bin/true",
        "process.create.posix_spawn program=dynamic resident=0B",
        &["{plain}", "spawn_true", "{own}", "{own}"],
        Same::Yes,
    ),
    plain("thread create, join", "thread.create.join", &["{plain}", "thread", "{own}", "{own}"], Same::Yes),
    Peer {
        what: "thread create, join",
        ours: "thread.create.join",
        tool: STRESS,
        command: &["taskset", "-c", "{own}", "stress-ng", "--pthread", "1", "-t", "1", "--metrics-brief"],
        reads: Reads::Rate("pthread"),
        same: Same::No("a thousand threads live at once, each waits for a mutex and makes calls of its own"),
        ..Peer::NEW
    },
    Peer {
        what: "timer to thread, idle",
        ours: "wakeup.latency load=idle",
        tool: RT,
        command: &[
            "taskset",
            "-c",
            "{own}",
            "cyclictest",
            "-q",
            "-t1",
            "-p0",
            "-i1000",
            "-l1000",
            "-a",
            "{own}",
        ],
        reads: Reads::Behind("Avg:", 1e3),
        same: Same::No(
            "a mean, which rare long delays pull up, in whole microseconds; the point is a median",
        ),
        ..Peer::NEW
    },
];
