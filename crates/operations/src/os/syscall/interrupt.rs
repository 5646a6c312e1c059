//! The older way into the kernel of x86 processors, `int 0x80`, beside the newer one.

use super::{CARD, Service};
use measure::{Failure, Operation, Reference};
use sys::interrupt::{BAD_ADDRESS, InterruptEntry};

/// The entry, or why there is none.
fn entry() -> Result<InterruptEntry, Failure> {
    InterruptEntry::probe()?.ok_or_else(|| {
        Failure::skipped(
            "this kernel has no entry for 32-bit programs: int 0x80 is a fault",
            "boot with ia32_emulation=on, or a kernel built with CONFIG_IA32_EMULATION",
        )
    })
}

/// getppid by `int 0x80`.
pub(super) struct Getppid {
    entry: InterruptEntry,
    parent: isize,
}

impl Service for Getppid {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self {
            entry: entry()?,
            parent: isize::try_from(std::os::unix::process::parent_id()).unwrap_or(-1),
        })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(self.entry.getppid() == self.parent)
    }
}

/// getcwd by `int 0x80` with a pointer that is none there.
pub static GETCWD_WRONG: Operation = Operation {
    id: "syscall.getcwd.int80",
    title: "getcwd by int 0x80, which fails",
    one_iteration: "one getcwd by int 0x80 with the address of a buffer of this 64-bit program, which must \
                    fail",
    method: "getcwd by int 0x80 as R3 did it: the kernel takes the lower 32 bits of the pointer, finds no \
             memory there and gives EFAULT, every time. The time is that of the error.",
    confounds: "It is here to be seen beside the right call.",
    sources: &[("R3", "getcwd by int 0x80; the result was not checked (E02)")],
    reference: Some(Reference {
        wrong: "the call fails: the entry of 32-bit programs takes half of the pointer, and the time of the error is \
                taken for that of the call (E02)",
        right: ("syscall.getcwd", "method=raw"),
    }),
    needs: measure::on_x86_64,
    predict: &[
        "t0 floors(1)",
        "software t0 handler = path(300, 0) (×1.6: as the right call, and a fault that the kernel mends) \
         × cycle_ns",
        "hardware t1 the same call by the newer instruction = [syscall.getcwd method=raw]",
        "hardware t1 interrupt and return instead = interrupt_gate × cycle_ns",
        "software t1 entry of 32-bit programs = path(60, 0) (×1.6: registers cleared, numbers widened, the \
         address compared with the end of the user's memory) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel refused the address every time",
        "linear",
        "calls: getcwd_32 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    // As for getppid by int 0x80, no evidence speaks of new pages.
    run: super::run::<GetcwdWrong>,
    ..CARD
};

struct GetcwdWrong {
    entry: InterruptEntry,
    buffer: [u8; 256],
}

impl Service for GetcwdWrong {
    fn prepare() -> Result<Self, Failure> {
        // Both calls are to name the same directory.
        sys::path::DirectoryName::at_root()?;
        Ok(Self {
            entry: entry()?,
            buffer: [0; 256],
        })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(self.entry.getcwd_with_long_pointer(&mut self.buffer)? == BAD_ADDRESS)
    }
}
