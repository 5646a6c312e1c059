//! Timed instruction sequences and counter reads: the functions, with one file of sequences per architecture below,
//! the same names in each.
//!
//! Every timed loop and every callee starts at a multiple of 64 bytes: a loop that straddles a cache line
//! costs a fifth more, depending on the linker. The sequences are assembly, called once per batch, so that no compiler can
//! shorten them; only [`identify`] is compiled. `tests/disassembly.rs` looks at the machine code of all of them.

use crate::{Error, Result, calls::constant_name};

/// Instructions for functions with at least this many arguments.
macro_rules! argument {
    ($number:literal, $arguments:literal, $instructions:literal) => {
        concat!(".if ", $arguments, " >= ", $number, "\n", $instructions, "\n.endif\n")
    };
}

/// A function of assembly: what it does first, the turn of a loop that begins at a multiple of 64 bytes, and what follows.
macro_rules! looping {
    ($name:ident($($argument:ident),+): $($first:expr),*; $($turn:expr),+; $($last:expr),*) => {
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name($($argument: u64),+) -> u64 {
            naked_asm!($($first,)* ".p2align 6", "2:", $($turn,)+ $($last,)* "ret")
        }
    };
}

/// A loop of operations in chains: what it does first, what begins a chain, the operation of each chain, `$times` in a turn,
/// what ends the turn, what adds a chain to the answer, and what follows. The register of a chain is `\\chain`.
macro_rules! chained {
    ($name:ident, $chains:literal, $times:literal: $($first:expr),+; $begin:expr; $($operation:expr),+; $($again:expr),+;
     $($result:expr),+; $($last:expr),+) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(_turns: u64, _operands: *const [u64; 3]) -> u64 {
            naked_asm!(
                $($first,)+
                concat!(".irp chain,", $chains),
                $begin,
                ".endr",
                ".p2align 6",
                "2:",
                concat!(".rept ", $times),
                concat!(".irp chain,", $chains),
                $($operation,)+
                ".endr",
                ".endr",
                $($again,)+
                concat!(".irp chain,", $chains),
                $($result,)+
                ".endr",
                $($last,)+
                "ret",
            )
        }
    };
}

#[cfg(target_arch = "aarch64")]
#[path = "aarch64/mod.rs"]
#[macro_use]
mod native;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64/mod.rs"]
#[macro_use]
mod native;

mod calls;

pub(crate) use native::arithmetic;
pub(crate) use native::bandwidth::{described_kernel, kernel, widest};
pub use native::calls::{REGISTER_ARGUMENTS, instructions_per_call};
pub(crate) use native::marks;
pub(crate) use native::process::{COUNT_ARGUMENTS, ELF_MACHINE, clone3_on_stack};
pub(crate) use native::process::{skip_protected_write, write_protected};
pub use native::{
    COUNTER_NAME, TRUSTED_CLOCK_SOURCES, can_read, counter_before_cpuid, counter_behind_cpuid,
    counter_is_invariant, counter_start, counter_stop, hypervisor, identify, instructions_per_loop,
};
pub(crate) use native::{HAS_INTERRUPT_ENTRY, chase, interrupt_call};
pub(crate) use native::{chains_2, chains_4, chains_8, chains_16, chains_32, chains_64};

/// Where the counter of an empty loop is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopCounter {
    /// In a register, as optimised code has it.
    Register,
    /// In memory, at an address of two registers, which no core renames; loops wait for each other too.
    Memory,
    /// In memory, at an address on the stack, as unoptimised code has it.
    Unoptimised,
}

/// How the time counter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterRead {
    /// The bare instruction: the processor may move it among its neighbours.
    Bare,
    /// Fenced on both sides, as oscope's own clock reads it.
    Fenced,
    /// The instruction that waits for all earlier ones (`rdtscp`).
    Waiting,
    /// Serialised by CPUID, which a hypervisor intercepts.
    Cpuid,
}

/// Adds in one turn of [`dependent_adds`] and multiplies in one turn of [`dependent_multiplies`].
pub const CHAIN: u64 = 50;

/// Loads in one turn of [`chase`].
pub const CHASE_LOADS: u64 = 64;

/// Calls in one turn of [`calls`] and of [`calls_by`].
pub const CALLS_PER_TURN: u64 = 8;

/// The numbers of arguments that [`calls`] offers.
pub const ARGUMENTS: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10];

/// How a call finds its callee, where the instruction does not name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallBy {
    /// Its address is in a register.
    Register,
    /// Its address is in a table in memory.
    Table,
    /// A stub near by jumps to the address that the dynamic linker left in a slot.
    Linker,
    /// The instruction names it, but eight such calls share one cache line.
    Aliased,
}

impl CallBy {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Register, Self::Table, Self::Linker, Self::Aliased];
}

/// The numbers of extra adds that [`known_cost`] offers.
pub const KNOWN_ADDS: [u32; 4] = [0, 10, 20, 40];

/// A system call with up to six arguments (zero where fewer are given), by the instruction for it; the kernel's own
/// result, negative for an error. As in a C library the number is a constant beside the instruction: gVisor replaces
/// that pair by a call, and a call in another form costs five times as much there.
///
/// # Safety
/// The arguments must be right for the call: pointers valid, and nothing that breaks Rust's rules.
#[inline(always)]
pub(crate) unsafe fn syscall<const NUMBER: i64, const N: usize>(arguments: [usize; N]) -> isize {
    const { assert!(N <= 6) };
    let mut all = [0; 6];
    for (word, argument) in all.iter_mut().zip(arguments) {
        *word = argument;
    }
    // SAFETY: the caller vouches for the arguments.
    unsafe { native::syscall::<NUMBER>(all) }
}

/// As [`syscall`], with a negative result as an error of the call's name.
///
/// # Errors
/// The error that the kernel gave.
///
/// # Safety
/// As [`syscall`].
#[inline(always)]
pub(crate) unsafe fn try_syscall<const NUMBER: i64, const N: usize>(arguments: [usize; N]) -> Result<usize> {
    // SAFETY: the caller vouches for the arguments.
    Error::check(const { constant_name(NUMBER) }, unsafe { syscall::<NUMBER, N>(arguments) })
}

/// Makes `n` system calls without arguments and gives how many of them had the result `expected`.
/// The loop is aligned: in compiled code its address would depend on the build.
///
/// # Safety
/// The call must be one that does nothing to this process when it has no arguments.
pub(crate) unsafe fn repeat_call<const NUMBER: i64>(expected: isize, n: u64) -> u64 {
    if n == 0 {
        0
    } else {
        // SAFETY: the caller vouches for the call; the sequence keeps callee-saved registers.
        unsafe { native::calls_of_kernel::<NUMBER>(expected, n) }
    }
}

// In all that follows: the sequences touch caller-saved registers and their own stack, and restore what else they use.

/// Reads the counter `n` times, each compared with the one before; gives the number of steps backwards.
/// Ways that [`can_read`] denies are read fenced.
pub fn read_counter(how: CounterRead, n: u64) -> u64 {
    // SAFETY: as said above.
    unsafe {
        match how {
            CounterRead::Bare => native::read_bare(n),
            CounterRead::Fenced => native::read_fenced(n),
            CounterRead::Waiting => native::read_waiting(n),
            CounterRead::Cpuid => native::read_cpuid(n),
        }
    }
}

/// Runs `loops` loops of `n` iterations each (both at least 1), and gives the iterations that it did.
pub fn empty_loops(counter: LoopCounter, loops: u64, n: u64) -> u64 {
    let (loops, n) = (loops.max(1), n.max(1));
    // SAFETY: as said above.
    unsafe {
        match counter {
            LoopCounter::Register => native::loops_in_register(loops, n),
            LoopCounter::Memory => native::loops_in_memory(loops, n),
            LoopCounter::Unoptimised => native::loops_on_stack(loops, n),
        }
    }
}

/// Runs one loop of `n` iterations, which may be none, as `for (i = 0; i < n; i++);` without optimisation; gives its counter.
#[inline(always)]
pub fn loop_of_c(n: u32) -> u64 {
    // SAFETY: as said above.
    unsafe { native::loop_of_c(u64::from(n)) }
}

/// Calls the function that is probed: gives the next number.
#[inline(always)]
pub(crate) fn call_probed(number: u64) -> u64 {
    native::calls::probed(number)
}

/// Where that function begins.
pub(crate) fn probed_address() -> usize {
    native::calls::probed as *const () as usize
}

/// Runs `n` turns of a loop whose counter passes through `adds` dependent one-cycle additions, so that a
/// turn takes `adds` + 1 core cycles. `None` for a number of adds that is not in `KNOWN_ADDS`.
pub fn known_cost(adds: u32, n: u64) -> Option<u64> {
    let run = match adds {
        0 => native::known_0,
        10 => native::known_10,
        20 => native::known_20,
        40 => native::known_40,
        _ => return None,
    };
    // SAFETY: as said above.
    Some(unsafe { run(n.max(1)) })
}

/// `turns` × 50 dependent additions of a register: one core cycle each on every known processor.
pub fn dependent_adds(turns: u64) -> u64 {
    // SAFETY: as said above.
    unsafe { native::chain_of_adds(turns.max(1)) }
}

/// `turns` × 50 dependent multiplications.
pub fn dependent_multiplies(turns: u64) -> u64 {
    // SAFETY: as said above.
    unsafe { native::chain_of_multiplies(turns.max(1)) }
}

/// `turns` × 50 additions in ten independent chains: as many per cycle as the core can do. Gives nothing of use.
pub fn independent_adds(turns: u64) -> u64 {
    // SAFETY: as said above.
    unsafe { native::chains_of_adds(turns.max(1)) }
}

/// A procedure that does nothing but give 1.
pub fn empty_procedure() -> u64 {
    // SAFETY: as said above.
    unsafe { calls::empty() }
}

/// Calls that procedure once, with this many arguments of the type int, 0 to 7.
#[inline(always)]
pub fn call_once<const ARGUMENTS: u32>() -> u64 {
    macro_rules! call {
        ($($argument:literal: $int:ty),+) => {{
            let callee: unsafe extern "C" fn() -> u64 = calls::empty;
            // SAFETY: as said above. The procedure does not look at its arguments, and the caller removes those on the stack.
            unsafe {
                let callee: unsafe extern "C" fn($($int),+) -> u64 = core::mem::transmute(callee);
                callee($($argument),+)
            }
        }};
    }
    const { assert!(ARGUMENTS <= 7) };
    match ARGUMENTS {
        0 => empty_procedure(),
        1 => call!(1: i32),
        2 => call!(1: i32, 2: i32),
        3 => call!(1: i32, 2: i32, 3: i32),
        4 => call!(1: i32, 2: i32, 3: i32, 4: i32),
        5 => call!(1: i32, 2: i32, 3: i32, 4: i32, 5: i32),
        6 => call!(1: i32, 2: i32, 3: i32, 4: i32, 5: i32, 6: i32),
        _ => call!(1: i32, 2: i32, 3: i32, 4: i32, 5: i32, 6: i32, 7: i32),
    }
}

/// Makes `turns` × 8 nested direct calls with this many arguments, one of `ARGUMENTS`, those behind the last in a
/// register ([`REGISTER_ARGUMENTS`]) on the stack; gives the number of times that a callee ran. `None` for other
/// numbers of arguments.
pub fn calls(arguments: u32, turns: u64) -> Option<u64> {
    let (_, calls) = calls::BY_ARGUMENTS.iter().find(|(offered, _)| *offered == arguments)?;
    // SAFETY: as said above.
    Some(unsafe { calls(turns.max(1)) })
}

/// The same without arguments, the callee found in another way.
pub fn calls_by(how: CallBy, turns: u64) -> u64 {
    let calls = match how {
        CallBy::Register => calls::calls_by_register,
        CallBy::Table => calls::calls_by_table,
        CallBy::Linker => calls::calls_by_linker,
        CallBy::Aliased => calls::calls_in_one_line,
    };
    // SAFETY: as said above; all that write to the linker's slots write the same addresses.
    unsafe { calls(turns.max(1)) }
}

/// Instructions of one call in [`calls_by`], its share of the loop included.
pub fn instructions_per_call_by(how: CallBy) -> f64 {
    3.0 + native::calls::instructions_beside(how) + 2.0 / CALLS_PER_TURN as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{memory, process};
    use std::os::fd::AsRawFd;

    #[test]
    fn counter_goes_forward_between_start_and_stop() {
        for _ in 0..100 {
            let start = counter_start();
            assert!(start > 0 && counter_stop() >= start);
        }
    }

    #[test]
    fn counter_never_steps_back() {
        for how in [CounterRead::Bare, CounterRead::Fenced, CounterRead::Waiting, CounterRead::Cpuid] {
            if can_read(how) {
                assert_eq!([read_counter(how, 0), read_counter(how, 200)], [0, 0], "{how:?}");
            }
        }
    }

    #[test]
    fn empty_loops_do_all_their_iterations() {
        for counter in [LoopCounter::Register, LoopCounter::Memory, LoopCounter::Unoptimised] {
            for (loops, n) in [(1, 1), (1, 7), (7, 1), (13, 1024)] {
                assert_eq!(empty_loops(counter, loops, n), loops * n, "{counter:?}");
            }
        }
    }

    #[test]
    fn a_loop_of_c_does_all_its_iterations_and_may_have_none() {
        assert_eq!([0, 1, 50, 10_000].map(loop_of_c), [0, 1, 50, 10_000]);
    }

    #[test]
    fn loops_of_known_cost_count_their_turns() {
        for adds in KNOWN_ADDS {
            assert_eq!([1, 2, 1000].map(|n| known_cost(adds, n)), [1, 2, 1000].map(Some), "{adds} adds");
        }
        assert_eq!(known_cost(7, 1000), None);
    }

    #[test]
    fn chains_do_all_their_operations() {
        for turns in [1, 2, 30] {
            assert_eq!(dependent_adds(turns), 1 + turns * CHAIN);
            assert_eq!(dependent_multiplies(turns), 1);
        }
    }

    #[test]
    fn the_empty_procedure_is_called() {
        assert_eq!(empty_procedure(), 1);
        assert_eq!([call_once::<0>(), call_once::<3>(), call_once::<7>()], [1, 1, 1]);
    }

    #[test]
    fn intervals_between_cpuids_go_forward() {
        let start = counter_behind_cpuid();
        assert!(start > 0 && counter_behind_cpuid() >= start);
        let start = counter_behind_cpuid();
        assert!(counter_before_cpuid() >= start);
    }

    #[test]
    fn callees_run_as_often_as_they_are_called() {
        for turns in [1, 2, 100] {
            let all = turns * CALLS_PER_TURN;
            for arguments in ARGUMENTS {
                assert_eq!(calls(arguments, turns), Some(all), "{arguments} arguments");
            }
            for how in CallBy::ALL {
                assert_eq!(calls_by(how, turns), all, "{how:?}");
            }
        }
        assert_eq!(calls(9, 1), None);
    }

    #[test]
    fn system_calls_give_the_kernels_answer() {
        assert_eq!(process::getppid(), std::os::unix::process::parent_id() as isize);
        assert_eq!(process::unknown_call(), process::NO_SUCH_CALL);
    }

    #[test]
    fn repeated_calls_count_the_right_answers_only() {
        let parent = std::os::unix::process::parent_id() as isize;
        for (expected, n, right) in
            [(parent, 0, 0), (parent, 1, 1), (parent, 1000, 1000), (parent + 1, 1000, 0)]
        {
            // SAFETY: getppid takes no arguments and changes nothing.
            assert_eq!(unsafe { repeat_call::<{ libc::SYS_getppid }>(expected, n) }, right);
        }
    }

    #[test]
    fn system_calls_take_six_arguments() {
        let path = std::env::current_exe().unwrap();
        let (file, bytes) = (std::fs::File::open(&path).unwrap(), std::fs::read(&path).unwrap());
        let page = memory::page_size();
        let (protection, sharing) = (libc::PROT_READ as usize, libc::MAP_PRIVATE as usize);
        let arguments = [0, page, protection, sharing, file.as_raw_fd() as usize, page];
        // SAFETY: a new mapping, at an address of the kernel's choice, of a file that nobody writes.
        let start = unsafe { syscall::<{ libc::SYS_mmap }, _>(arguments) };
        assert!(start > 0, "mmap gave {start}");
        // SAFETY: the kernel has just mapped one page there, and the slice is gone before the mapping is.
        let same = unsafe { std::slice::from_raw_parts(start as *const u8, page) } == &bytes[page..2 * page];
        // SAFETY: nothing borrows the mapping any more.
        let unmapped = unsafe { syscall::<{ libc::SYS_munmap }, _>([start as usize, page]) };
        assert_eq!((same, unmapped), (true, 0));
    }
}
