//! AArch64: the virtual count of the generic timer, loops, chains, calls, and the `svc` instruction.

use super::{CounterRead, LoopCounter};
use core::arch::{asm, naked_asm};

mod arithmetic;
mod bandwidth;
mod calls;
mod memory;
pub(crate) use arithmetic::arithmetic;
pub(crate) use bandwidth::{kernel, widest};
pub use calls::{REGISTER_ARGUMENTS, calls, calls_by, instructions_per_call, instructions_per_call_by};
pub use memory::chase;
mod fault;
mod interrupt;
pub use fault::{skip_protected_write, write_protected};
pub use interrupt::{HAS_INTERRUPT_ENTRY, INTERRUPT_GETCWD, INTERRUPT_GETPPID, interrupt_call};
mod clone;
mod identify;
pub use clone::{COUNT_ARGUMENTS, ELF_MACHINE, clone3_on_stack};
pub use identify::identify;

/// Name of the counter in records.
pub const COUNTER_NAME: &str = "cntvct";

/// The kernel's clock sources that mean that it trusts this counter.
pub const TRUSTED_CLOCK_SOURCES: &[&str] = &["arch_sys_counter"];

/// Whether the counter runs at one rate in every power state: always, since the system counter is clocked
/// apart from the cores and must not stop (Arm Architecture Reference Manual, "The Generic Timer").
pub fn counter_is_invariant() -> bool {
    true
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
/// earlier loads be under way, so DSB waits for them, as RDTSCP does.
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

/// There is no CPUID here: the counter as [`counter_start`] reads it.
#[inline(always)]
pub fn counter_behind_cpuid() -> i64 {
    counter_start()
}

/// A procedure that does nothing but give 1.
pub fn empty_procedure() -> u64 {
    // SAFETY: the sequence touches its result only.
    unsafe { empty() }
}

#[unsafe(naked)]
unsafe extern "C" fn empty() -> u64 {
    naked_asm!(".p2align 6", "mov x0, #1", "ret")
}

/// Whether this processor can read its counter in this way. There is no CPUID here; the reading that waits
/// (CNTVCTSS_EL0) is in few processors and is not offered.
pub fn can_read(how: CounterRead) -> bool {
    matches!(how, CounterRead::Bare | CounterRead::Fenced)
}

/// Reads the counter `n` times, each compared with the one before; gives the number of steps backwards.
/// Ways that [`can_read`] denies are read between barriers.
pub fn read_counter(how: CounterRead, n: u64) -> u64 {
    // SAFETY: the sequences touch caller-saved registers only.
    unsafe {
        match how {
            CounterRead::Bare => read_bare(n),
            CounterRead::Fenced | CounterRead::Waiting | CounterRead::Cpuid => read_fenced(n),
        }
    }
}

macro_rules! counter_loop {
    ($name:ident, $($instruction:literal),+) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_n: u64) -> u64 {
            naked_asm!(
                "mov x8, #0",
                "mov x9, #0",
                "cbz x0, 3f",
                ".p2align 6",
                "2:",
                $($instruction),+,
                "cmp x10, x8",
                "cinc x9, x9, lo",
                "mov x8, x10",
                "subs x0, x0, #1",
                "b.ne 2b",
                "3:",
                "mov x0, x9",
                "ret",
            )
        }
    };
}

counter_loop!(read_bare, "mrs x10, cntvct_el0");
counter_loop!(read_fenced, "isb", "mrs x10, cntvct_el0", "isb");

/// Runs `loops` loops of `n` iterations each (both at least 1), and gives the iterations that it did.
pub fn empty_loops(counter: LoopCounter, loops: u64, n: u64) -> u64 {
    let (loops, n) = (loops.max(1), n.max(1));
    // SAFETY: the sequences touch caller-saved registers and stack that they reserve and give back.
    unsafe {
        match counter {
            LoopCounter::Register => loops_in_register(loops, n),
            LoopCounter::Memory => loops_in_memory(loops, n),
            LoopCounter::Unoptimised => loops_on_stack(loops, n),
        }
    }
}

#[unsafe(naked)]
unsafe extern "C" fn loops_in_register(_loops: u64, _n: u64) -> u64 {
    naked_asm!(
        "mov x8, x0",
        "b 3f",
        ".p2align 6",
        "2:",
        "subs x9, x9, #1",
        "b.ne 2b",
        "subs x8, x8, #1",
        "b.eq 4f",
        "3:",
        "mov x9, x1",
        "b 2b",
        "4:",
        "mul x0, x0, x1",
        "ret",
    )
}

// The counter is never set anew but counted back, so that each loop waits for the one before.
#[unsafe(naked)]
unsafe extern "C" fn loops_in_memory(_loops: u64, _n: u64) -> u64 {
    naked_asm!(
        "sub sp, sp, #16",
        "mov x8, x0",
        "mov x12, sp",
        "mov x13, #8",
        "mov x0, #0",
        "str xzr, [x12, x13]",
        ".p2align 6",
        "2:",
        "ldr x9, [x12, x13]",
        "add x9, x9, #1",
        "str x9, [x12, x13]",
        "ldr x9, [x12, x13]",
        "cmp x9, x1",
        "b.lo 2b",
        "add x0, x0, x9",
        "sub x9, x9, x1",
        "str x9, [x12, x13]",
        "subs x8, x8, #1",
        "b.ne 2b",
        "add sp, sp, #16",
        "ret",
    )
}

// Compilers without optimisation load the counter again to compare it, and so does this loop.
#[unsafe(naked)]
unsafe extern "C" fn loops_on_stack(_loops: u64, _n: u64) -> u64 {
    naked_asm!(
        "sub sp, sp, #16",
        "mov x8, x0",
        "mov x0, #0",
        "b 3f",
        ".p2align 6",
        "2:",
        "ldr x9, [sp, #8]",
        "add x9, x9, #1",
        "str x9, [sp, #8]",
        "ldr x9, [sp, #8]",
        "cmp x9, x1",
        "b.lo 2b",
        "add x0, x0, x9",
        "subs x8, x8, #1",
        "b.eq 4f",
        "3:",
        "str xzr, [sp, #8]",
        "b 2b",
        "4:",
        "add sp, sp, #16",
        "ret",
    )
}

/// Runs `n` turns of a loop whose counter passes through `adds` dependent one-cycle additions, so that a
/// turn takes `adds` + 1 core cycles. `None` for a number of adds that is not in `KNOWN_ADDS`.
pub fn known_cost(adds: u32, n: u64) -> Option<u64> {
    let n = n.max(1);
    // SAFETY: the sequences touch caller-saved registers only.
    unsafe {
        match adds {
            0 => Some(known_0(n)),
            10 => Some(known_10(n)),
            20 => Some(known_20(n)),
            40 => Some(known_40(n)),
            _ => None,
        }
    }
}

// The additions take a register, neither a constant nor XZR: a processor that knows the operand when it
// renames may do the addition there, in no cycle at all.
macro_rules! known_cost {
    ($name:ident, $adds:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_n: u64) -> u64 {
            naked_asm!(
                "mov x8, x0",
                "mov x9, #0",
                "mov x10, #1",
                "mov x0, #0",
                ".p2align 6",
                "2:",
                concat!(".rept ", $adds),
                "add x8, x8, x9",
                ".endr",
                "add x0, x0, x10",
                "subs x8, x8, x10",
                "b.ne 2b",
                "ret",
            )
        }
    };
}

known_cost!(known_0, 0);
known_cost!(known_10, 10);
known_cost!(known_20, 20);
known_cost!(known_40, 40);

/// `turns` × 50 dependent additions of a register: one core cycle each on every known processor.
pub fn dependent_adds(turns: u64) -> u64 {
    // SAFETY: the sequence touches caller-saved registers only.
    unsafe { chain_of_adds(turns.max(1)) }
}

/// `turns` × 50 dependent multiplications.
pub fn dependent_multiplies(turns: u64) -> u64 {
    // SAFETY: the sequence touches caller-saved registers only.
    unsafe { chain_of_multiplies(turns.max(1)) }
}

/// `turns` × 50 additions in ten independent chains: as many per cycle as the core can do.
pub fn independent_adds(turns: u64) -> u64 {
    // SAFETY: the sequence touches caller-saved registers only.
    unsafe { chains_of_adds(turns.max(1)) }
}

#[unsafe(naked)]
unsafe extern "C" fn chains_of_adds(_turns: u64) -> u64 {
    naked_asm!(
        "mov x8, x0",
        "mov x0, #1",
        "mov x9, #1",
        ".p2align 6",
        "2:",
        ".rept 5",
        "add x0, x0, x9",
        "add x1, x1, x9",
        "add x2, x2, x9",
        "add x3, x3, x9",
        "add x4, x4, x9",
        "add x5, x5, x9",
        "add x6, x6, x9",
        "add x7, x7, x9",
        "add x10, x10, x9",
        "add x11, x11, x9",
        ".endr",
        "subs x8, x8, #1",
        "b.ne 2b",
        "ret",
    )
}

macro_rules! chain {
    ($name:ident, $instruction:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                "mov x8, x0",
                "mov x0, #1",
                "mov x9, #1",
                ".p2align 6",
                "2:",
                ".rept 50",
                $instruction,
                ".endr",
                "subs x8, x8, #1",
                "b.ne 2b",
                "ret",
            )
        }
    };
}

chain!(chain_of_adds, "add x0, x0, x9");
chain!(chain_of_multiplies, "mul x0, x0, x9");

/// Instructions of one iteration of [`empty_loops`].
pub fn instructions_per_loop(counter: LoopCounter) -> f64 {
    match counter {
        LoopCounter::Register => 2.0,
        LoopCounter::Memory | LoopCounter::Unoptimised => 6.0,
    }
}

/// Makes `n` system calls without arguments and gives how many of them had the result `expected`.
/// The loop is aligned: in compiled code its place would be the luck of the build.
///
/// # Safety
/// The call must be one that does nothing to this process when it has no arguments.
pub unsafe fn repeat_call(number: i64, expected: isize, n: u64) -> u64 {
    if n == 0 {
        0
    } else {
        // SAFETY: the caller vouches for the call; the sequence touches caller-saved registers only.
        unsafe { calls_of_kernel(number, expected, n) }
    }
}

#[unsafe(naked)]
unsafe extern "C" fn calls_of_kernel(_number: i64, _expected: isize, _n: u64) -> u64 {
    naked_asm!(
        "mov x8, x0",
        "mov x9, x1",
        "mov x10, x2",
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
    )
}

/// A system call with up to six arguments, by the `svc` instruction; the kernel's own result, negative for
/// an error.
///
/// # Safety
/// The arguments must be right for the call: pointers valid, and nothing that breaks Rust's rules.
#[inline(always)]
pub unsafe fn syscall6(number: i64, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the arguments; Linux keeps every register but the result's.
    unsafe {
        asm!(
            "svc #0",
            in("x8") number,
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
