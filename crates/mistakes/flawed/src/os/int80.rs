//! A system call whose error path is timed.

use crate::method::FlawedMethod;
use measure::Operation;
use operations::bases::{SYSCALL, interrupt_entry};
use sys::interrupt::BAD_ADDRESS;
use sys::path::DirectoryName;
use workloads::repeat::repeat;

/// getcwd by `int 0x80` with a 64-bit pointer.
pub static GETCWD_WRONG: FlawedMethod = FlawedMethod {
    wrong: "the call fails: the entry of 32-bit programs uses half of the pointer, and the error path is timed (E02)",
    right: ("syscall.getcwd", "method=raw"),
    card: Operation {
        id: "syscall.getcwd.int80",
        title: "getcwd by int 0x80 with a 64-bit pointer (EFAULT)",
        one_iteration: "one getcwd by int 0x80 with the address of a buffer above 4 GiB, which must give EFAULT",
        method: "getcwd by int 0x80 with the address of a 64-bit program: the kernel uses its lower 32 bits and gives EFAULT. The time \
                 is that of the error path.",
        confounds: "Compare syscall.getcwd.",
        sources: &[(
            "R3, 3.4.2",
            "getcwd by int 0x80, 2554 cycles: probably the error path; a check is not mentioned (E02)",
        )],
        needs: measure::on_x86_64,
        predict: &[
            "t0 floors(1)",
            "software t0 handler = path(300, 0) (×1.6: as syscall.getcwd, and a fault that the kernel fixes up) \
             × cycle_ns",
            "hardware t1 the same call by syscall = [syscall.getcwd method=raw]",
            "hardware t1 interrupt gate and IRET = interrupt_gate × cycle_ns",
            "software t1 entry of 32-bit programs = path(60, 0) (×1.6: registers cleared and extended, the \
             address checked) × cycle_ns",
        ],
        evidence: &["answers = 1: EFAULT every time", "linear", "calls: getcwd_32 1", "undisturbed"],
        // As for getppid by int 0x80, there is no evidence of page faults.
        run: |bench| {
            // As syscall.getcwd: both name the same directory.
            DirectoryName::at_root()?;
            let (entry, mut buffer) = (interrupt_entry()?, [0; 256]);
            repeat(bench, |_| Ok(entry.getcwd_with_long_pointer(&mut buffer)? == BAD_ADDRESS))
        },
        ..SYSCALL
    },
};
