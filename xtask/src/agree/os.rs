//! The kernel's services beside `perf bench`, `stress-ng`, `cyclictest` and the plain C program.

use super::comparison::{Comparison, PLAIN, Tool, compare};
use super::reading::Reads;
use super::tail::RT_TESTS;
use programs::package;

static PERF: Tool = Tool {
    name: "perf bench",
    package: Some(package("linux-perf", "perf", "comparison with perf bench")),
    reads: Reads::Before(" usecs/op", 1e3),
    command: "taskset -c {own} perf bench",
    ..PLAIN
};

/// The same on both CPUs.
static PERF_ON_BOTH: Tool = Tool { command: "taskset -c {both} perf bench", ..PERF };

/// One second of a stressor.
static STRESS: Tool = Tool {
    name: "stress-ng",
    package: Some(package("stress-ng", "stress-ng", "comparison with stress-ng")),
    reads: Reads::StressorRate,
    command: "taskset -c {own} stress-ng -t 1 --metrics-brief",
    ..PLAIN
};

/// A stressor that tells the time of a switch itself.
static STRESS_SWITCH: Tool = Tool { reads: Reads::Before(" nanosecs per context switch", 1.0), ..STRESS };

static CYCLICTEST: Tool = Tool {
    name: "rt-tests",
    package: Some(RT_TESTS),
    reads: Reads::Behind("Avg:", 1e3),
    command: "taskset -c {own} cyclictest",
    ..PLAIN
};

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(&PLAIN, "getppid through the C library", "syscall.getppid method=libc", "getppid {own} {own}"),
    compare(
        &PERF,
        "getppid through the C library",
        "syscall.getppid method=libc",
        "syscall basic -l 5000000",
    ),
    compare(&PLAIN, "getppid by its instruction", "syscall.getppid method=raw", "getppid_raw {own} {own}"),
    compare(&PLAIN, "a call that there is not", "syscall.floor", "no_call {own} {own}"),
    compare(&PLAIN, "fstat of /dev/null", "syscall.fstat", "fstat {own} {own}"),
    compare(
        &PLAIN,
        "read one byte of /dev/zero",
        "syscall.read.dev_zero method=libc",
        "read_zero {own} {own}",
    ),
    compare(&PLAIN, "a byte through one's own pipe", "syscall.pipe.self", "pipe_self {own} {own}"),
    compare(&PLAIN, "a byte through one's own socket", "syscall.unix.self", "unix_self {own} {own}"),
    compare(&PLAIN, "read the monotonic clock", "clock.read.monotonic", "clock {own} {own}"),
    compare(&PLAIN, "mmap and munmap of 64 KiB", "mapping.mmap_munmap bytes=64KiB", "map_64 {own} {own}"),
    compare(
        &PLAIN,
        "write one byte to /dev/null",
        "syscall.write.dev_null method=libc",
        "write_null {own} {own}",
    ),
    compare(&PLAIN, "unshare of the host name", "syscall.unshare kind=uts", "unshare_uts {own} {own}"),
    compare(&PLAIN, "setns to another network", "syscall.setns kind=net", "setns_net {own} {own}"),
    compare(
        &PLAIN,
        "pipe round trip in 32 nested control groups",
        "cgroup.pipe cpu=same controller=none levels=32",
        "in-groups 32 {plain} pipe {own} {own}",
    ),
    compare(
        &PLAIN,
        "first write to a page in 32 nested control groups",
        "cgroup.fault controller=none levels=32",
        "in-groups 32 {plain} faults {own} {own}",
    ),
    compare(
        &PLAIN,
        "fork, exit, wait in 32 nested control groups",
        "cgroup.fork_wait controller=none levels=32",
        "in-groups 32 {plain} fork {own} {own}",
    )
    .differs("a fork by the C library, which runs its own handlers before and after; the parent is another"),
    compare(&PLAIN, "signal to self", "signal.deliver.self", "signal {own} {own}")
        .differs("the program asks for its own number before each signal, which is one more system call"),
    compare(
        &PLAIN,
        "signal to self, its number known, by the instruction",
        "signal.deliver.self",
        "signal-known {own} {own}",
    ),
    compare(&STRESS, "protection fault caught", "signal.protection_fault", "--sigsegv 1")
        .differs("stress-ng saves its place, installs the handlers and jumps out of them every time"),
    compare(
        &PLAIN,
        "epoll_wait, one ready",
        "syscall.epoll_wait type=pipe descriptors=10 ready=last",
        "epoll_ready {own} {own}",
    )
    .differs("an event counter instead of a pipe, one descriptor instead of ten"),
    compare(
        &PLAIN,
        "epoll_ctl, one of ten pipes out and in",
        "syscall.epoll_ctl type=pipe descriptors=10",
        "epoll_change {own} {own}",
    ),
    compare(
        &PLAIN,
        "4 KiB of a child's memory",
        "ipc.process_vm_readv bytes=4KiB",
        "read_other_page {own} {own}",
    ),
    compare(
        &PLAIN,
        "1 MiB of a child's memory",
        "ipc.process_vm_readv bytes=1MiB",
        "read_other_mebibyte {own} {own}",
    ),
    compare(&PLAIN, "pipe round trip, one CPU", "ipc.pipe.round_trip cpu=same", "pipe {own} {own}"),
    compare(&PERF, "pipe round trip, one CPU", "ipc.pipe.round_trip cpu=same", "sched pipe -l 300000"),
    compare(&PLAIN, "pipe round trip, two CPUs", "ipc.pipe.round_trip cpu=other", "pipe {own} {peer}"),
    compare(
        &PERF_ON_BOTH,
        "pipe round trip, two CPUs",
        "ipc.pipe.round_trip cpu=other",
        "sched pipe -l 30000",
    )
    .differs("its two processes are not pinned: the scheduler has them on one CPU or on two, as it likes"),
    compare(&STRESS_SWITCH, "switch over pipes, one CPU", "switch.process.pipe cpu=same", "--switch 1")
        .differs("it divides by messages one way, whose system calls it leaves in"),
    compare(
        &PLAIN,
        "futex round trip, one CPU, in two switches",
        "switch.thread.futex cpu=same",
        "futex {own} {own}",
    )
    .differs("a whole round trip with its four system calls, where the point is one switch without them"),
    compare(&PLAIN, "fork, exit, wait", "process.create.fork_wait resident=0B", "fork {own} {own}").differs(
        "a fork by the C library, which runs its own handlers before and after; the parent is another",
    ),
    compare(&STRESS, "fork, exit, wait", "process.create.fork_wait resident=0B", "--fork 1").differs(
        "a parent of many megabytes and mappings, whose children unmap and advise before they end (E55)",
    ),
    compare(&PLAIN, "vfork, exit, wait", "process.create.vfork_wait resident=0B", "vfork {own} {own}"),
    compare(&STRESS, "vfork, exit, wait", "process.create.vfork_wait resident=0B", "--vfork 1")
        .differs("the parent is another, and counts and checks between children"),
    compare(
        &PLAIN,
        "posix_spawn of /bin/true",
        "process.create.posix_spawn program=dynamic resident=0B",
        "spawn_true {own} {own}",
    ),
    compare(&PLAIN, "thread create, join", "thread.create.join", "thread {own} {own}"),
    compare(&STRESS, "thread create, join", "thread.create.join", "--pthread 1")
        .differs("a thousand threads live at once, each waits for a mutex and makes calls of its own"),
    compare(
        &CYCLICTEST,
        "timer to thread, idle",
        "wakeup.latency load=idle",
        "-q -t1 -p0 -i1000 -l1000 -a {own}",
    )
    .differs("a mean, which rare long delays pull up, in whole microseconds; the point is a median"),
];
