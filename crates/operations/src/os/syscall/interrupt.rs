//! The older way into the kernel of x86 processors, `int 0x80`, beside the newer one.

use super::{Path, Service, operation};
use measure::{Failure, Operation, Reference, core_cycles, term};
use record::{Formula, Need, Side, Term, Witness};
use sys::interrupt::{BAD_ADDRESS, InterruptEntry};

/// getppid by `int 0x80`.
pub static GETPPID: Operation = Operation {
    needs: |_| x86(),
    computed_witnesses: |_| may_be_long(Getppid::CALLS, Getppid::ANSWERS),
    ..operation::<Getppid>()
};
/// getcwd by `int 0x80` with a pointer that is none there.
pub static GETCWD_WRONG: Operation = Operation {
    needs: |_| x86(),
    reference: Some(Reference {
        wrong: "the call fails: the entry of 32-bit programs takes half of the pointer, and the time of the error is \
                taken for that of the call (E02)",
        right: ("syscall.getcwd.raw", ""),
    }),
    computed_witnesses: |_| may_be_long(GetcwdWrong::CALLS, GetcwdWrong::ANSWERS),
    ..operation::<GetcwdWrong>()
};

/// What must be true of calls that some hypervisors make so long that few of them fit into a trial: the pages that
/// the worker's own lists take are then too many for each.
fn may_be_long(calls: &[(&str, f64)], answers: &str) -> Vec<Witness> {
    let mut all = super::witnesses(calls, answers);
    all.retain(|witness| witness.counter != "faults.minor");
    all
}

fn x86() -> Vec<Need> {
    vec![Need::Architecture {
        name: "x86_64".to_owned(),
    }]
}

/// The entry, or why there is none.
fn entry() -> Result<InterruptEntry, Failure> {
    InterruptEntry::probe()?.ok_or_else(|| {
        Failure::skipped(
            "this kernel has no entry for 32-bit programs: int 0x80 is a fault",
            "boot with ia32_emulation=on, or a kernel built with CONFIG_IA32_EMULATION",
        )
    })
}

/// T1: as the same call by the newer instruction, but for the instructions themselves.
fn beside(newer: &str, more: Path) -> Vec<Term> {
    let source =
        "INT and IRET through a gate less SYSCALL and SYSRET: some 250 cycles on x86-64 cores since 2015";
    vec![
        term(
            Side::Hardware,
            "the same call by the newer instruction",
            Formula::part(newer, ""),
        ),
        term(
            Side::Hardware,
            "interrupt and return instead",
            core_cycles(Formula::cited(250.0, 1.6, source)),
        ),
        term(
            Side::Software,
            "entry of 32-bit programs",
            core_cycles(more.formula()),
        ),
    ]
}

struct Getppid {
    entry: InterruptEntry,
    parent: isize,
}

impl Service for Getppid {
    const ID: &'static str = "syscall.getppid.int80";
    const TITLE: &'static str = "getppid by int 0x80";
    const ITERATION: &'static str = "one getppid by int 0x80 with its 32-bit number, whose result is checked";
    const METHOD: &'static str = "getppid by the instruction that 32-bit programs enter the kernel with, in a loop. A child tries the instruction first: where the kernel has no such entry, it kills.";
    const CONFOUNDS: &'static str = "Hypervisors that run the guest kernel in software may handle interrupts and the newer instruction very differently.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("R3", "getpid and getcwd by int 0x80")];
    const CALLS: &'static [(&'static str, f64)] = &[("getppid_32", 1.0)];
    const ANSWERS: &'static str = "the kernel gave the parent's number every time";
    const PATH: Path = Path {
        instructions: 60.0,
        locked: 0.0,
        within: 1.5,
        source: "getppid itself (51)",
    };

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

    fn from_parts() -> Vec<Term> {
        beside(
            "syscall.getppid",
            Path {
                instructions: 40.0,
                locked: 0.0,
                within: 1.5,
                source: "registers cleared and numbers widened",
            },
        )
    }
}

struct GetcwdWrong {
    entry: InterruptEntry,
    buffer: [u8; 256],
}

impl Service for GetcwdWrong {
    const ID: &'static str = "syscall.getcwd.int80";
    const TITLE: &'static str = "getcwd by int 0x80, which fails";
    const ITERATION: &'static str =
        "one getcwd by int 0x80 with the address of a buffer of this 64-bit program, which must fail";
    const METHOD: &'static str = "getcwd by int 0x80 as R3 did it: the kernel takes the lower 32 bits of the pointer, finds no memory there and gives EFAULT, every time. The time is that of the error.";
    const CONFOUNDS: &'static str = "It is here to be seen beside the right call.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("R3", "getcwd by int 0x80; the result was not checked (E02)")];
    const CALLS: &'static [(&'static str, f64)] = &[("getcwd_32", 1.0)];
    const ANSWERS: &'static str = "the kernel refused the address every time";
    const PATH: Path = Path {
        instructions: 300.0,
        locked: 0.0,
        within: 1.6,
        source: "as syscall.getcwd.raw, and a fault that the kernel mends",
    };

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

    fn from_parts() -> Vec<Term> {
        beside(
            "syscall.getcwd.raw",
            Path {
                instructions: 60.0,
                locked: 0.0,
                within: 1.6,
                source: "registers cleared, numbers widened, the address compared with the end of the user's memory",
            },
        )
    }
}
