//! Tasks: creation, exit, and sleep.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    // A task is copied by some 5000 instructions and ends by 3000, in the source of Linux 6.12; together they are counted.
    "task = cold_path({counted[thread.create.raw] - 3 * counted[syscall.floor] - 2 * counted[switch.thread.futex cpu=same]})",
    // Page tables of `pages` resident pages, copied and released: a loop over entries, and the kernel's descriptor of each page
    // (64 bytes) twice, if those of all pages exceed L2.
    "copied_entries(pages) = entry_loop({pages / 16384 × (counted[process.create.fork_wait resident=64MiB] \
     - counted[process.create.fork_wait resident=0B])})",
    "page_descriptors(pages) = two_at_once({2 * pages}) × family.l3_cycles × lost({64 * pages}, cache.l2.size) × cycle_ns",
    // Turns of string instructions are in the counts: 4096 for each page cleared or copied, by counts with and without ERMS.
    "small_process = kernel({counted[process.create.fork_wait resident=0B] - 3 * counted[syscall.floor] - 19 * 4096}) \
     + 19 × clear_page × cycle_ns",
    "small_fork = kernel({counted[process.create.fork.parent resident=0B] - counted[syscall.floor] - 13 * 4096}) \
     + 13 × clear_page × cycle_ns",
    "leave_idle = 1500 ns (×2: leaving idle: 1 to 3 µs on bare metal)",
];

pub const TERMS: &[Group] = &[
    ("entries(n)", &["hardware t0 enter and leave the kernel = {n} × entry × cycle_ns"]),
    ("hand-offs(n)", &["software t1 hand-offs of the CPU = {n} × [switch.thread.futex cpu=same]"]),
    ("copy of a task", &["software t1 copy of the task = {5 / 8} × task × cycle_ns"]),
    ("end of a task", &["software t1 end of the task = {3 / 8} × task × cycle_ns"]),
    (
        "a small process",
        &["entries(3)", "software t0 make, run, end and reap a small process = small_process"],
    ),
    (
        "fork(pages)",
        &[
            "entries(1)",
            "software t0 copy of a small process = small_fork",
            "software t0 copy of the parent's page tables = 0.6 (×1.3: map counts up and write protection, against map \
             counts down) × copied_entries({pages})",
        ],
    ),
    (
        "pthread_create",
        &[
            "entries(3)",
            "software t0 copy of the task = 20000 cycles (×2: 7 to 19 µs for create and join by osbench \
             (create_threads) and this tool, of which the creation is half) × cycle_ns",
        ],
    ),
    (
        // glibc's dynamic linker executes CPUID at program start: counted by single-stepping `true` (glibc 2.36 on an Intel
        // processor, which describes its caches leaf by leaf).
        "a new program(process)",
        &[
            "entries(4)",
            "software t0 make, run, end and reap a process = {process} cycles (×2: vfork 21 µs, fork 59 (osbench) to \
             140 (lmbench)) × cycle_ns",
            "program=static: software t0 execute the program = 90000 cycles (×2: new memory, stack, one segment and its \
             faults, release) × cycle_ns",
            "program!=static: software t0 execute the program = 900000 cycles (×2: 0.3 to 0.6 ms for a dynamic program: the \
             linker, the C library, 30 calls, 100 faults) × cycle_ns",
            "architecture=x86_64 program!=static: CPUIDs(68)",
        ],
    ),
    (
        "wake-up of another CPU",
        &[
            "cpu!=same: software t0 wake-up of another CPU = 30000 cycles (×3: 1 to 50 µs: an interrupt, idle exit, \
             in a virtual machine by the host) × cycle_ns",
            "cpu!=same: software t1 wake-up of another CPU = [switch.thread.futex cpu=other]",
        ],
    ),
    (
        // From the expiry of a timer until the sleeper runs in user space. The host's timer takes the CPU from the guest, and
        // comes back with the interrupt; the guest sets its timer anew, and ends the interrupt: three exits, and one more
        // where the host has to wake the CPU.
        "a timer's wake-up",
        &[
            "software t0 timer and scheduler = 3500 cycles (×1.8: interrupt, queue of timers, wake-up, choose, switch, \
             return: some 3 500 instructions) × cycle_ns",
            "load!=busy idle!=*: hardware t0 the CPU leaves idle = leave_idle",
            "load!=busy idle!=*: let exits = 4",
            "load=busy: let exits = 3",
            "idle=*: let exits = 3",
            "hardware t0 the hypervisor wakes the CPU and injects the interrupt = exits × vm_exit",
        ],
    ),
    (
        "a timer's wake-up from its parts",
        &[
            "a timer's wake-up",
            "software t1 wake-up and switch, as by another task = [switch.thread.futex cpu=same]",
            "load!=busy idle!=*: hardware t1 the CPU leaves idle = leave_idle",
            "hardware t1 the hypervisor wakes the CPU and injects the interrupt = exits × vm_exit",
        ],
    ),
    (
        // After a millisecond a CPU is in a deeper idle state than after 100 µs.
        "after a long sleep",
        &["duration=1ms|10ms: software t1 the wake-up = [wakeup.latency load=idle]"],
    ),
    (
        "slack of timers(ns)",
        &["software the slack of timers = {ns} ns (×1.05: prctl(2), PR_SET_TIMERSLACK: 50 µs the default; \
             fs/select.c: a thousandth of the time)"],
    ),
];

pub const EVIDENCE: &[Group] = &[
    ("a fork", &["made.fork 0.99..1.01: one process with a copy of the memory was made"]),
    (
        "forked child",
        &["pages of the child", "calls: clone 1, wait4 1, exit_group 1", "a fork", "undisturbed"],
    ),
    ("a thread", &["made.thread 0.99..1.01: one thread was made"]),
    ("pages of the child", &["children.faults 1..1e4: the child touched pages of its own"]),
    (
        "a program ended",
        &[
            "answers = 1: the program exited with its own status",
            "children.faults 1..1e5: the program touched pages of its own",
        ],
    ),
    (
        "a program was executed",
        &[
            "made.program 0.99..1.01: one program was executed",
            "program!=static: calls.execve 0.99..1.01: one execve",
        ],
    ),
    ("sleeps of any duration", &["duration=1us|10us: sleeps(0.5)", "duration=100us|1ms|10ms: sleeps(0.95)"]),
    (
        "one CPU for all tasks",
        &[
            "tasks.working = 1: every task had the CPU, and lost it to another one",
            "actors.cpus = 1: all tasks were on one CPU",
            "processes({tasks})",
            "time.accounted 0.05..1.01 (if consistent): no two turns overlap",
        ],
    ),
    (
        // A short sleep may end before the task is off the CPU.
        "sleeps(least)",
        &[
            "wakeups = 1: every sleep ended by timeout",
            "wakeups.early = 0: no sleep ended early",
            "switches.voluntary {least}..1.1 (if consistent): the sleeper blocked",
            "undisturbed",
        ],
    ),
];

pub const BOUNDS: &[Group] =
    &[("three calls", &["> 3 × [syscall.floor]: parent and child make three system calls"])];
