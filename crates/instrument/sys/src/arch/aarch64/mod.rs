//! AArch64: the virtual count of the generic timer, loops, chains, calls, and the `svc` instruction.

use super::{CounterRead, LoopCounter};
use core::arch::{asm, naked_asm};

pub(crate) mod arithmetic;
pub(super) mod bandwidth;
#[macro_use]
pub(super) mod calls;
pub(crate) mod marks;
pub(super) mod process;

/// Name of the counter in records.
pub const COUNTER_NAME: &str = "cntvct";

/// The kernel's clock sources that mean that it trusts this counter.
pub const TRUSTED_CLOCK_SOURCES: &[&str] = &["arch_sys_counter"];

/// Whether the counter runs at one rate in every power state: always, since the system counter is clocked
/// apart from the cores and must not stop (Arm Architecture Reference Manual, "The Generic Timer").
pub fn counter_is_invariant() -> bool {
    true
}

/// Always `None`: no register that a program may read names the hypervisor.
pub fn hypervisor() -> Option<String> {
    None
}

/// Reads the counter before a timed sequence: nothing later starts before it has been read.
#[inline(always)]
pub fn counter_start() -> i64 {
    let ticks: u64;
    // SAFETY: Linux lets programs read the counter; the sequence writes to one register.
    unsafe {
        asm!("isb", "mrs {ticks}, cntvct_el0", "isb", ticks = out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks as i64
}

/// Reads the counter after a timed sequence: everything earlier is done before it is read. ISB alone lets
/// earlier loads be in flight, so DSB waits for them, as RDTSCP does.
#[inline(always)]
pub fn counter_stop() -> i64 {
    let ticks: u64;
    // SAFETY: Linux lets programs read the counter; the sequence writes to one register.
    unsafe {
        asm!(
            "dsb nshld",
            "isb",
            "mrs {ticks}, cntvct_el0",
            "isb",
            ticks = out(reg) ticks,
            options(nostack, preserves_flags),
        );
    }
    ticks as i64
}

// There is no CPUID here: the counter is read as by [`counter_start`].
pub use {counter_start as counter_behind_cpuid, counter_stop as counter_before_cpuid};

/// Whether this processor can read its counter in this way. There is no CPUID here; the reading that waits
/// (CNTVCTSS_EL0) is in few processors and is not offered.
pub fn can_read(how: CounterRead) -> bool {
    matches!(how, CounterRead::Bare | CounterRead::Fenced)
}

macro_rules! counter_loop {
    ($name:ident, $($instruction:literal),+) => {
        looping! {
            $name(_n):
            "mov x8, #0", "mov x9, #0", "cbz x0, 3f";
            $($instruction),+, "cmp x10, x8", "cinc x9, x9, lo", "mov x8, x10", "subs x0, x0, #1", "b.ne 2b";
            "3:", "mov x0, x9"
        }
    };
}

counter_loop!(read_bare, "mrs x10, cntvct_el0");
counter_loop!(read_fenced, "isb", "mrs x10, cntvct_el0", "isb");
pub(super) use {read_fenced as read_waiting, read_fenced as read_cpuid};

looping! {
    loops_in_register(_loops, _n):
    "mov x8, x0", "b 3f";
    "subs x9, x9, #1", "b.ne 2b";
    "subs x8, x8, #1", "b.eq 4f", "3:", "mov x9, x1", "b 2b", "4:", "mul x0, x0, x1"
}

// The counter is never set anew but counted back, so that each loop waits for the one before.
looping! {
    loops_in_memory(_loops, _n):
    "sub sp, sp, #16", "mov x8, x0", "mov x12, sp", "mov x13, #8", "mov x0, #0", "str xzr, [x12, x13]";
    "ldr x9, [x12, x13]", "add x9, x9, #1", "str x9, [x12, x13]",
    "ldr x9, [x12, x13]", "cmp x9, x1", "b.lo 2b";
    "add x0, x0, x9", "sub x9, x9, x1", "str x9, [x12, x13]",
    "subs x8, x8, #1", "b.ne 2b", "add sp, sp, #16"
}

// Compilers without optimisation load the counter again to compare it, and so does this loop.
looping! {
    loops_on_stack(_loops, _n):
    "sub sp, sp, #16", "mov x8, x0", "mov x0, #0", "b 3f";
    "ldr x9, [sp, #8]", "add x9, x9, #1", "str x9, [sp, #8]", "ldr x9, [sp, #8]", "cmp x9, x1", "b.lo 2b";
    "add x0, x0, x9", "subs x8, x8, #1", "b.eq 4f", "3:", "str xzr, [sp, #8]", "b 2b", "4:", "add sp, sp, #16"
}

// What gcc -O0 makes of `for (i = 0; i < n; i++);`: the check is at the end, and its first one is jumped to.
looping! {
    loop_of_c(_n):
    "sub sp, sp, #16", "str w0, [sp, #8]", "str wzr, [sp, #12]", "b 3f";
    "ldr w9, [sp, #12]", "add w9, w9, #1", "str w9, [sp, #12]",
    "3:", "ldr w10, [sp, #12]", "ldr w9, [sp, #8]", "cmp w10, w9", "b.lt 2b";
    "ldr w0, [sp, #12]", "add sp, sp, #16"
}

// The additions take a register, neither a constant nor XZR: a processor that knows the operand when it
// renames may do the addition there, in no cycle at all.
macro_rules! known_cost {
    ($name:ident, $adds:literal) => {
        looping! {
            $name(_n):
            "mov x8, x0", "mov x9, #0", "mov x10, #1", "mov x0, #0";
            concat!(".rept ", $adds), "add x8, x8, x9", ".endr",
            "add x0, x0, x10", "subs x8, x8, x10", "b.ne 2b";
        }
    };
}

known_cost!(known_0, 0);
known_cost!(known_10, 10);
known_cost!(known_20, 20);
known_cost!(known_40, 40);

macro_rules! chains {
    ($name:ident, $($instruction:literal),+) => {
        looping! {
            $name(_turns):
            "mov x8, x0", "mov x0, #1", "mov x9, #1";
            $($instruction),+, "subs x8, x8, #1", "b.ne 2b";
        }
    };
}

chains!(
    chains_of_adds,
    ".rept 5\n.irp chain,x0,x1,x2,x3,x4,x5,x6,x7,x10,x11\nadd \\chain, \\chain, x9\n.endr\n.endr"
);
chains!(chain_of_adds, ".rept 50", "add x0, x0, x9", ".endr");
chains!(chain_of_multiplies, ".rept 50", "mul x0, x0, x9", ".endr");

/// Instructions of one iteration of [`super::empty_loops`].
pub fn instructions_per_loop(counter: LoopCounter) -> f64 {
    match counter {
        LoopCounter::Register => 2.0,
        LoopCounter::Memory | LoopCounter::Unoptimised => 6.0,
    }
}

#[unsafe(naked)]
pub(super) unsafe extern "C" fn calls_of_kernel<const NUMBER: i64>(_expected: isize, _n: u64) -> u64 {
    naked_asm!(
        "mov x8, #{number}",
        "mov x9, x0",
        "mov x10, x1",
        "mov x11, xzr",
        ".p2align 6",
        "2:",
        "svc #0",
        "cmp x0, x9",
        "cinc x11, x11, eq",
        "subs x10, x10, #1",
        "b.ne 2b",
        "mov x0, x11",
        "ret",
        number = const NUMBER,
    )
}

/// A system call: [`super::syscall`].
#[inline(always)]
pub(super) unsafe fn syscall<const NUMBER: i64>(arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the arguments; Linux keeps every register but the result's.
    unsafe {
        asm!(
            "svc #0",
            in("x8") NUMBER,
            inlateout("x0") arguments[0] as isize => result,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            in("x4") arguments[4],
            in("x5") arguments[5],
            options(nostack),
        );
    }
    result
}

/// Follows `turns` × [`CHASE_LOADS`](super::CHASE_LOADS) links, each the address of the next, from `start`, the address
/// of one; gives the last address.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn chase(_start: *const u8, _turns: u64) -> *const u8 {
    naked_asm!(
        "cbz x1, 3f",
        ".p2align 6",
        "2:",
        ".rept 64",
        "ldr x0, [x0]",
        ".endr",
        "subs x1, x1, #1",
        "b.ne 2b",
        "3:",
        "ret",
    )
}

// Chains of loads, CHASE_LOADS in a turn, from the addresses in `places`, where the last addresses are stored. Up to eight
// are in registers; of more, every address is read from its place and stored there, by two more instructions for each load.
macro_rules! chains {
    ($($name:ident: $rounds:literal, $registers:literal;)+ / $($long:ident: $times:literal, $chains:literal;)+) => {$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(_places: *mut *const u8, _turns: u64) {
            naked_asm!(
                "mov x12, x0",
                concat!(".irp chain,", $registers, "\nldr \\chain, [x12], #8\n.endr"),
                ".p2align 6",
                "2:",
                concat!(".rept ", $rounds, "\n.irp chain,", $registers, "\nldr \\chain, [\\chain]\n.endr\n.endr"),
                "subs x1, x1, #1",
                "b.ne 2b",
                concat!(".irp chain,", $registers, "\nstr \\chain, [x0], #8\n.endr"),
                "ret",
            )
        }
    )+$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $long(_places: *mut *const u8, _turns: u64) {
            naked_asm!(
                ".p2align 6",
                "2:",
                concat!(".rept ", $times, "\n.set place, 0\n.rept ", $chains),
                "ldr x9, [x0, #place]",
                "ldr x9, [x9]",
                "str x9, [x0, #place]",
                ".set place, place + 8",
                ".endr\n.endr",
                "subs x1, x1, #1",
                "b.ne 2b",
                "ret",
            )
        }
    )+};
}
chains! {
    chains_2: "32", "x2,x3";
    chains_4: "16", "x2,x3,x4,x5";
    chains_8: "8", "x2,x3,x4,x5,x6,x7,x8,x9";
    /
    chains_16: "4", "16";
    chains_32: "2", "32";
    chains_64: "1", "64";
}

/// Would ask the processor `n` times; gives that it was answered never.
pub fn identify(_n: u64) -> u64 {
    0
}

/// Whether this architecture has a second way into the kernel.
pub(crate) const HAS_INTERRUPT_ENTRY: bool = false;

/// Always −ENOSYS.
#[inline(always)]
pub(crate) unsafe fn interrupt_call(_number: usize, _arguments: [usize; 2]) -> isize {
    -(libc::ENOSYS as isize)
}
