//! System calls: kernel entry and exit, and the floor of every call.

use super::Group;

pub const FORMULAS: &[&str] = &[
    // Kernel entry and exit, with mitigations.
    "entry = (family.syscall_cycles + mitigation.syscall_cycles)",
    "dispatch = 80 cycles (×1.6: about 100 instructions of the kernel's entry and exit code)",
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
            "software C library = {n} × 5 cycles (×2: a call through the linkage table and a return) × cycle_ns",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    ("floor", &["> [syscall.floor]: it enters and leaves the kernel"]),
    (
        "floors(n)",
        &["> {n} × [syscall.floor]: it enters and leaves the kernel {n} times"],
    ),
];
