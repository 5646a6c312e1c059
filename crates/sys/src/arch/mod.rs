//! Timed instruction sequences and counter reads, one file per architecture with the same names in it.
//!
//! Every timed loop and every callee starts at a multiple of 64 bytes: a loop that straddles a cache line
//! costs a fifth more, by the luck of the linker. All sequences are assembly, called once per batch, so
//! that no compiler can shorten them.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

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
    Crowded,
}

impl CallBy {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Register, Self::Table, Self::Linker, Self::Crowded];
}

/// The numbers of extra adds that [`known_cost`] offers.
pub const KNOWN_ADDS: [u32; 4] = [0, 10, 20, 40];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
        for how in [
            CounterRead::Bare,
            CounterRead::Fenced,
            CounterRead::Waiting,
            CounterRead::Cpuid,
        ] {
            if can_read(how) {
                assert_eq!([read_counter(how, 0), read_counter(how, 200)], [0, 0], "{how:?}");
            }
        }
    }

    #[test]
    fn empty_loops_do_all_their_iterations() {
        for counter in [
            LoopCounter::Register,
            LoopCounter::Memory,
            LoopCounter::Unoptimised,
        ] {
            for (loops, n) in [(1, 1), (1, 7), (7, 1), (13, 1024)] {
                assert_eq!(empty_loops(counter, loops, n), loops * n, "{counter:?}");
            }
        }
    }

    #[test]
    fn loops_of_known_cost_count_their_turns() {
        for adds in KNOWN_ADDS {
            assert_eq!(
                [1, 2, 1000].map(|n| known_cost(adds, n)),
                [1, 2, 1000].map(Some),
                "{adds} adds"
            );
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
    }

    #[test]
    fn intervals_between_cpuids_go_forward() {
        let start = counter_behind_cpuid();
        assert!(start > 0 && counter_behind_cpuid() >= start);
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
        // SAFETY: getppid takes no arguments and changes nothing.
        let repeat = |expected, n| unsafe { repeat_call(libc::SYS_getppid, expected, n) };
        assert_eq!([0, 1, 1000].map(|n| repeat(parent, n)), [0, 1, 1000]);
        assert_eq!(repeat(parent + 1, 1000), 0);
    }

    #[test]
    fn system_calls_take_six_arguments() {
        let path = std::env::current_exe().unwrap();
        let (file, bytes) = (std::fs::File::open(&path).unwrap(), std::fs::read(&path).unwrap());
        let page = memory::page_size();
        let (protection, sharing) = (libc::PROT_READ as usize, libc::MAP_PRIVATE as usize);
        let arguments = [0, page, protection, sharing, file.as_raw_fd() as usize, page];
        // SAFETY: a new mapping, at an address of the kernel's choice, of a file that nobody writes.
        let start = unsafe { syscall6(libc::SYS_mmap, arguments) };
        assert!(start > 0, "mmap gave {start}");
        // SAFETY: the kernel has just mapped one page there, and the slice is gone before the mapping is.
        let same = unsafe { std::slice::from_raw_parts(start as *const u8, page) } == &bytes[page..2 * page];
        // SAFETY: nothing borrows the mapping any more.
        let unmapped = unsafe { syscall6(libc::SYS_munmap, [start as usize, page, 0, 0, 0, 0]) };
        assert_eq!((same, unmapped), (true, 0));
    }
}
