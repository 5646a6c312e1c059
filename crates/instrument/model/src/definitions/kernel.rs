//! System calls: kernel entry and exit, and the floor of every call.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    // Kernel entry and exit, with mitigations.
    "entry = (family.syscall_cycles + mitigation.syscall_cycles)",
    "dispatch = 80 cycles (×1.6: about 100 instructions of the kernel's entry and exit code)",
    // Nanoseconds per instruction of warm kernel code, calls, branches and locked operations included.
    "t1 pace = ([syscall.fstat] + [syscall.pipe.self] + [syscall.unix.self] − 5 × [syscall.floor]) \
     / {counted[syscall.fstat] + counted[syscall.pipe.self] + counted[syscall.unix.self] - 5 * counted[syscall.floor]}",
    // The same where one loop repeats the same instructions: predicted branches, code and data in L1.
    "t1 loop_pace = ([syscall.poll type=pipe descriptors=500 ready=last] − [syscall.floor]) \
     / {counted[syscall.poll type=pipe descriptors=500 ready=last] - counted[syscall.floor]}",
    // Mitigations empty the predictor of return addresses in every system call, so the program's own returns miss.
    "t1 library_return = max(0, [syscall.getppid method=libc] − [syscall.getppid method=raw])",
    "counted_work(instructions) = {instructions} (×1.3: instructions counted in an emulator (Linux 6.12 of Debian 13, \
     oscope count))",
    // Instructions at the kernel's pace, in cycles and in time.
    "t0 kernel_cycles(instructions) = counted_work(instructions) × kernel.cycles_per_instruction",
    "t1 kernel_cycles(instructions) = counted_work(instructions) × pace / cycle_ns",
    "kernel(instructions) = kernel_cycles(instructions) × cycle_ns",
    "t0 kernel_loop(instructions) = kernel(instructions)",
    "t1 kernel_loop(instructions) = counted_work(instructions) × loop_pace",
    // The same over entries of page tables, which calls no function by its address: the descriptors of `poll` cost a retpoline each.
    "t0 entry_loop(instructions) = kernel(instructions)",
    "t1 entry_loop(instructions) = counted_work(instructions) × min(loop_pace, pace)",
    // The same of paths that are seldom used, in cycles: their instructions and data come from L2.
    "cold_path(instructions) = kernel_cycles(instructions) + {round(instructions × 4 / 64)} (×1.6: instructions of 4.2 bytes, \
     fetched ahead two lines at a time, and 1.8 bytes of data for each, in lines of 64, not in L1) × family.l2_cycles",
    "interrupt_gate = 250 cycles (×1.6: INT and IRET through a gate less SYSCALL and SYSRET: some 250 cycles on x86-64 \
     cores since 2015)",
];

pub const TERMS: &[Group] = &[
    (
        // Calls that do nothing (ENOSYS).
        "floors(n)",
        &[
            "hardware t0 enter and leave the kernel = {n} × entry × cycle_ns",
            "software t0 save registers, dispatch, check for work, restore = {n} × dispatch × cycle_ns",
            "hardware t1 the floor of a system call = {n} × [syscall.floor]",
        ],
    ),
    (
        "C library(n)",
        &[
            "software t0 C library = {n} × 5 cycles (×2: a call through the linkage table and a return) × cycle_ns",
            "software t1 C library, return after a system call = {n} × library_return",
        ],
    ),
    (
        // What an iteration of `calls` system calls executes beyond their floors.
        "handler(calls)",
        &["software handler = kernel({counted - calls * counted[syscall.floor]})"],
    ),
    (
        // The same of a reference path, from which T1 takes the kernel's pace.
        "reference path(calls)",
        &["t0 floors(calls)", "t0 handler(calls)"],
    ),
    (
        // A call without a handler to speak of (getppid has 51 instructions), by the entry of 32-bit programs.
        "call by int 0x80",
        &[
            "t0 floors(1)",
            "software t0 handler = path(60, 0) (×1.5: getppid itself (51)) × cycle_ns",
            "hardware exit to a hypervisor below a kernel without privilege = hypervisor.gate_exits × vm_exit",
            "hardware t1 interrupt gate and IRET = interrupt_gate × cycle_ns",
            "software t1 entry of 32-bit programs = path(40, 0) (×1.5: registers cleared and extended) × cycle_ns",
        ],
    ),
    (
        // By its counts of 10 and of 500: what a call takes without descriptors, and its loop over them.
        "poll of descriptors",
        &[
            "floors(1)",
            "software call without descriptors = kernel({counted[syscall.poll type={type} descriptors=10 ready=last] \
             - counted[syscall.floor] - 10 / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
             - counted[syscall.poll type={type} descriptors=10 ready=last])})",
            "software loop over the descriptors = kernel_loop({descriptors / 490 × \
             (counted[syscall.poll type={type} descriptors=500 ready=last] \
             - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[(
    "last descriptor found",
    &[
        "ready=last: answers = 1: the last descriptor and no other, every time",
        "ready=none: answers = 1: no descriptor, every time",
        "descriptors = {descriptors}: with all descriptors ready the call counts them all",
        "linear",
        "undisturbed",
        // Few iterations of 500 descriptors fit into a trial: the first touches of the worker's own lists count.
        "descriptors=..499: no new pages",
        "descriptors=500..: few new pages(0.05)",
    ],
)];

pub const BOUNDS: &[Group] = &[
    ("floor", &["> [syscall.floor]: it enters and leaves the kernel"]),
    ("floors(n)", &["> {n} × [syscall.floor]: it enters and leaves the kernel {n} times"]),
    (
        // 100 to 1000 of them are in a second. Emulators without a hypervisor are within it by a factor of ten.
        "less than a tick",
        &[
            "< kernel.tick_ns: it neither sleeps nor waits; what takes longer than from one tick to the next is something else",
        ],
    ),
];
