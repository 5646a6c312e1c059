//! Exchanges: two actors or a ring of them that hand over the CPU by messages.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    "tables = family.address_space_switch_cycles",
    "registers = 100 cycles (×2: save and restore of callee-saved registers, return stack refill)",
    "scheduler = (bare_switch + block_and_wake)",
    "interrupt = 1000 ns (×2: from the sender's write until the handler runs, on bare metal)",
    "idle_exit = 2000 ns (×2.5: interrupt, idle exit: 1 to 5 µs on bare metal)",
    // One VM exit of the sender of the interrupt, one to wake, one to restart the tick, which an idle CPU has stopped.
    "wake_up_exits = 3 × vm_exit",
    "t0 vm_exit = hypervisor.exit_ns",
    // CPUID without its own cycles: nothing where it does not exit.
    "t1 vm_exit = (max(0, [trap.cpuid] − family.cpuid_cycles × cycle_ns) or else hypervisor.exit_ns)",
    // From one runnable task to another, beyond a yield with an empty run queue.
    "bare_switch = cold_path({counted[switch.process.yield cpu=same] - counted[syscall.floor]})",
    // A task blocks and is woken, beyond the choice of the next task.
    "t0 block_and_wake = path(1200, 14) (×1.6: queue on the word, dequeue from the CPU; find, take off, choose a CPU, enqueue, \
     compare for preemption)",
    "t1 block_and_wake = 1100 cycles (×1.6: the same instructions at 1.5 a cycle and locked ones of 20 cycles)",
    "pipe_message = path(700, 8) (×1.6: two calls: descriptor, access check, lock, copy of a byte, wake-up check, time stamps)",
    "record_message = path(1500, 14) (×1.6: two calls: a lock allocated, compared with those of the file, linked, and merged or split; \
     the same for its end, and a waiter taken from the list)",
    "unix_message = path(2400, 22) (×1.6: two calls through the file layer; a buffer allocated, charged, filled, queued, announced; \
     found, copied, taken off, given back, freed)",
    // Share of a cache's contents that is evicted by this many bytes between two uses: all of it at 1.25 times its capacity.
    "lost(bytes, cache) = min(1, max(0, 4 × ({bytes} bytes / cache − 1)))",
    "table_walk = 35 cycles (×2: a walk whose tables are in L2)",
    "two_at_once(lines) = {lines / 2} (×2: independent misses overlap two at a time)",
    // In a ring of processes with buffers: the lines of a buffer that fits L1, and of each of its pages those before the
    // prefetcher is ahead; data of the kernel's path and of the process, if one buffer evicts them (its instructions are
    // in a cache of their own: 96 lines of 320, by the counts of cold_path, and 80 of the process); and if all buffers
    // exceed L2, every line from L3 and the kernel's data of the process.
    "refill = ({bytes / 4KiB} × 4 (×1.5: lines of a page before the prefetcher is ahead) × family.l2_cycles \
     + {bytes / 64} cycles (×1.5: a line from L2 in a cycle (64 bytes: optimization manuals))) \
     × (1 − lost({bytes}, cache.l1d.size)) × lost({processes * bytes + 20KiB}, cache.l1d.size) \
     + two_at_once(176) × family.l2_cycles × lost({bytes + 20KiB}, cache.l1d.size) \
     + ({bytes / 1KiB} (×2: a stream is prefetched up to 20 lines ahead (Intel's optimization manual)) + two_at_once(80)) \
     × family.l3_cycles × lost({processes * bytes + 20KiB}, cache.l2.size)",
    // Messages smaller than a stream's buffer make between two switches per message and two per full buffer, as the scheduler
    // chooses: the geometric mean, with the factor to either end. A larger one makes two each time the buffer is full.
    "switches_within(buffer) = {sqrt(4 * bytes / buffer)} (×{2 / sqrt(4 * bytes / buffer)}: between two per message and two \
     per full buffer)",
];

pub const TERMS: &[Group] = &[
    (
        // Two calls of each side, for a message there and one back.
        "round trip of messages(message)",
        &["hand-offs between processes(2)", "floors(4)", "software system calls = 2 × message × cycle_ns"],
    ),
    ("calls and hand-offs(calls)", &["software t1 system calls of both sides = 2 × calls", "two hand-offs"]),
    ("two hand-offs", &["software t1 two hand-offs = 2 × [switch.process.eventfd {placement}]"]),
    (
        "hand-offs between processes(n)",
        &["hardware t0 change of address space = {n} × tables × cycle_ns", "wake-ups(n)"],
    ),
    (
        "hand-offs between threads(n)",
        &["hardware t0 registers and return stack = {n} × registers × cycle_ns", "wake-ups(n)"],
    ),
    (
        "wake-ups(n)",
        &[
            "software t0 scheduler = {n} × scheduler × cycle_ns",
            "cpu=other|sibling|node idle!=*: hardware t0 interrupt to the other CPU and its exit from idle = \
             {n} × idle_exit",
            "cpu=other|sibling|node idle!=*: software t0 the hypervisor sends the interrupt, wakes the CPU, sets its \
             timer = {n} × wake_up_exits",
            "idle=busy: hardware t0 interrupt to the other CPU = {n} × interrupt",
            "idle=busy: software t0 the hypervisor sends the interrupt = {n} × vm_exit",
            "idle=polling: hardware t0 the flag that the idle loop polls goes to the other CPU and back = \
             {n} × 2 × 1.5 × family.l3_cycles × cycle_ns",
        ],
    ),
    (
        // Both sides copy every byte into the kernel and out of it; its pages are allocated and freed.
        "copies of messages",
        &[
            "bytes=*: software copies, and pages for them = {bytes} bytes × (4 × 0.1 cycles/byte (×2: rep movsb between \
             memory in L2: 8 to 16 bytes a cycle) + {2 / 4096} × 300 cycles/byte (×2: a page allocated from \
             the per-CPU list, charged, and freed: some 300 instructions and 6 locked ones)) × cycle_ns",
        ],
    ),
    (
        // Two copies, in and out, and the pages in between, of which a pipe keeps two for its next message (tmp_page in
        // fs/pipe.c). Up to 8 KiB two buffers and the pages of a pipe or socket fit L1.
        "definitions of a stream",
        &[
            "bytes=..8KiB: let copy = {2 / 20} cycles/byte (×1.6: rep movsb in the L1 data cache: some 20 bytes per cycle with \
             its startup, each way)",
            "bytes=8193..: let copy = {2 / 12} cycles/byte (×1.8: rep movsb between buffers in L2: some 12 \
             bytes per cycle, each way)",
            "let copies = {bytes} bytes × copy + {bytes / 4096} × path(500, 0) (×1.8: a page of the pipe or socket filled, \
             passed on and released) + {max(0, bytes / 4096 - 2)} × 350 cycles (×1.6: a page \
             allocated, charged and freed (page_bench01: 220 cycles without the charge))",
            "let calls = (1000 cycles (×1.8: two calls) + copies) × cycle_ns",
            // On two CPUs both sides overlap, and every line of the buffer is transferred.
            "let lines = {bytes / 512} (×1.6: eight transfers in flight while a page is copied)",
            "let transfer = lines × 1.5 × family.l3_cycles × cycle_ns",
            "let moved = lines × 0.5 × [ipc.cache_line.round_trip cpu={cpu} method=cas]",
        ],
    ),
    (
        "stream on one CPU",
        &[
            "software t0 system calls, copies, line transfers = {bytes} bytes × 1e9 ns/s / calls",
            "software t1 the same by one task, switches, line transfers = {bytes} bytes × 1e9 ns/s / \
             (single_task + [switch.process.pipe cpu=same] × switches)",
        ],
    ),
    (
        "stream between CPUs",
        &[
            "software t0 system calls, copies, line transfers = {bytes} bytes × 1e9 ns/s / (0.5 × calls + transfer)",
            "software t1 the same by one task, switches, line transfers = {bytes} bytes × 1e9 ns/s / \
             (0.5 × single_task + moved)",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    ("every word came back", &["answers = 1: every word came back, in order"]),
    // Between `low` and `high` switches per round trip on one CPU.
    ("exchange of processes(low, high)", &["exchange(low, high)", "processes(2)"]),
    ("exchange of threads(low, high)", &["exchange(low, high)", "threads"]),
    (
        "exchange(low, high)",
        &["every word came back", "switches of both sides(low, high)", "placed", "undisturbed"],
    ),
    (
        // On two CPUs a wake-up of a peer that is still awake makes no switch (E54); with fewer than one switch per two wake-ups
        // the time is not that of switches. Each side may be preempted or woken twice. A side that spins until the other one
        // sleeps (delay=) is sometimes preempted by other programs.
        "switches of both sides(low, high)",
        &[
            "cpu=same: switches {low}..{high} (if consistent): each side handed the CPU over once per round trip",
            "cpu!=same delay=*: switches 1.95..4.5 (if consistent): both sides slept before every wake-up",
            "cpu!=same delay!=*: switches 0.5..{max(4.5, high)} (if consistent): at least every fourth wake-up \
             found its peer asleep",
        ],
    ),
    (
        // The last calls of a phase of the rehearsal may be counted in the next one.
        "token ring",
        &[
            "answers = 1: the token came back, and every buffer had the right sum",
            "visits = {processes}: every process had the token in every round",
            "calls.write {0.95 * processes}..{1.05 * processes}: one call per process and round",
            "calls.read {0.95 * processes}..{1.05 * processes}: one call per process and round",
            "calls {1.9 * processes}..{2.1 * processes} (quiet): two calls per process and round",
            "actors.cpus = 1: all processes were on one CPU",
            "undisturbed",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    (
        // A switch cheaper than saving and loading the registers means that the control costs too much.
        "switch bound",
        &["> 100 cycles × cycle_ns: a switch saves and loads the registers and runs the scheduler"],
    ),
    (
        // On one CPU the calls of both sides are serial; on two CPUs those of one side are.
        "calls of a message(calls)",
        &["cpu=same: > 2 × calls: these calls are serial", "cpu!=same: > calls: these calls are serial"],
    ),
];
