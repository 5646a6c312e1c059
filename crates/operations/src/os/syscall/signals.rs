//! Signals that a process sends itself: asked about, installed, delivered, and those of a protection fault.

use super::{Path, Service, operation};
use measure::{Failure, Operation, core_cycles, term};
use record::{Formula, Side, Term};
use sys::signal::{self, Handler, Installed, ProtectedPage};

/// Permission to send a signal.
pub static PROBE: Operation = operation::<Probe>();
/// Installing a handler.
pub static INSTALL: Operation = operation::<Install>();
/// A signal to oneself.
pub static DELIVER: Operation = operation::<Deliver>();
/// A protection fault, handled.
pub static PROTECTION_FAULT: Operation = operation::<ProtectionFault>();

/// The processor's registers beyond the general ones, written to the stack and read back.
fn registers_kept() -> Term {
    let source = "XSAVE, XRSTOR of the initial state for the handler, XRSTOR of 2.7 KiB, some 150 to 200 cycles each \
                  on cores with AVX-512, and what checks and clears the area around them";
    term(
        Side::Hardware,
        "vector registers saved and restored",
        core_cycles(Formula::cited(700.0, 1.6, source)),
    )
}

/// What the return from a handler takes more than that of another call.
fn return_from_handler() -> Term {
    let source = "all registers change, so the kernel returns by IRET, some 150 cycles more than SYSRET on x86-64 cores \
                  since 2015";
    term(
        Side::Hardware,
        "the slower way back",
        core_cycles(Formula::cited(150.0, 1.7, source)),
    )
}

struct Probe {
    own: usize,
}

impl Service for Probe {
    const ID: &'static str = "syscall.kill.probe";
    const TITLE: &'static str = "kill with signal 0: may it be sent?";
    const ITERATION: &'static str = "one kill of this process with signal 0, which must be allowed";
    const METHOD: &'static str = "kill with the number of this process and signal 0, in a loop: the process is looked up and the permission checked, nothing is sent.";
    const CONFOUNDS: &'static str =
        "Nothing is delivered; what a delivered signal costs is signal.deliver.self.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("R4", "kill with signal 0, one call timed alone (E07)")];
    const CALLS: &'static [(&'static str, f64)] = &[("kill", 1.0)];
    const ANSWERS: &'static str = "the kernel allowed it every time";
    const PATH: Path = Path {
        instructions: 345.0,
        locked: 0.0,
        within: 1.5,
        source: "what the signal says of its sender cleared and filled (110), process looked up by its number (80), permission, audit and security hooks (90), the signal that is none",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self {
            own: signal::own_number(),
        })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        signal::probe(self.own)?;
        Ok(true)
    }
}

struct Install {
    handler: Handler,
    installed: Installed,
}

impl Service for Install {
    const ID: &'static str = "signal.install";
    const TITLE: &'static str = "install a handler";
    const ITERATION: &'static str =
        "one rt_sigaction that installs a handler, which must tell the one before";
    const METHOD: &'static str = "rt_sigaction installs the same handler for SIGUSR1 again and again and asks for the one before, by a raw call; at the end the default is put back.";
    const CONFOUNDS: &'static str =
        "The C library adds a copy of the structure and, on some machines, the way back from the handler.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("lmbench", "lat_sig install, through libc")];
    const CALLS: &'static [(&'static str, f64)] = &[("rt_sigaction", 1.0)];
    const ANSWERS: &'static str = "the kernel told the handler that was installed before, every time";
    const PATH: Path = Path {
        instructions: 220.0,
        locked: 2.0,
        within: 1.5,
        source: "structure copied in, lock taken and left, exchanged, pending signals looked through where it is ignored, structure copied out",
    };

    fn prepare() -> Result<Self, Failure> {
        let handler = Handler::counting()?;
        let installed = handler.installed()?;
        Ok(Self { handler, installed })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(self.handler.install_again(&self.installed)? == self.installed)
    }
}

struct Deliver {
    handler: Handler,
    own: usize,
}

impl Service for Deliver {
    const ID: &'static str = "signal.deliver.self";
    const TITLE: &'static str = "send oneself a signal and handle it";
    const ITERATION: &'static str =
        "one kill of this process with SIGUSR1, its handler, and the return from it";
    const METHOD: &'static str = "kill sends SIGUSR1 to the only thread of this process. Before the call returns the kernel puts a frame on the stack, the handler counts, and rt_sigreturn takes the frame away.";
    const CONFOUNDS: &'static str = "The registers that are saved for the handler grow with the processor: AVX-512 and AMX make frames of 3 to 11 KiB. Another thread or process as receiver adds a wake-up.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        ("lmbench", "lat_sig catch, less an empty kill in some versions"),
        ("R4", "kill with a handled signal, one call timed alone (E07)"),
    ];
    const CALLS: &'static [(&'static str, f64)] = &[("kill", 1.0), ("rt_sigreturn", 1.0)];
    const ANSWERS: &'static str = "the handler had run exactly once when the call returned";
    const PATH: Path = Path {
        instructions: 1825.0,
        locked: 12.0,
        within: 1.6,
        source: "kill as with signal 0 (345); signal allocated, queued, dequeued, freed (600); frame built and read back (700), mask set twice (180)",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self {
            handler: Handler::counting()?,
            own: signal::own_number(),
        })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        let before = signal::handled();
        Ok(self.handler.send(self.own)? == before + 1)
    }

    fn from_parts() -> Vec<Term> {
        let delivery = Path {
            instructions: 1480.0,
            ..Self::PATH
        };
        vec![
            term(
                Side::Hardware,
                "the floor of the return from the handler",
                Formula::part("syscall.floor", ""),
            ),
            term(
                Side::Software,
                "kill that sends nothing",
                Formula::part("syscall.kill.probe", ""),
            ),
            term(
                Side::Software,
                "queue, frame, masks",
                core_cycles(delivery.formula()),
            ),
            registers_kept(),
            return_from_handler(),
        ]
    }
}

struct ProtectionFault(ProtectedPage);

impl Service for ProtectionFault {
    const ID: &'static str = "signal.protection_fault";
    const TITLE: &'static str = "write to a protected page, fault handled";
    const ITERATION: &'static str =
        "one write to a page that may not be written, its handler, and the return from it behind the write";
    const METHOD: &'static str = "The only page of a mapping may be read only. A write to it faults, the kernel finds that it may not be, and sends SIGSEGV, whose handler counts and goes on behind the write. The handler that the runtime installed is put back.";
    const CONFOUNDS: &'static str =
        "The processor decides what an exception costs, and a hypervisor may look at it first.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("lmbench", "lat_sig prot")];
    const CALLS: &'static [(&'static str, f64)] = &[("rt_sigreturn", 1.0)];
    const ANSWERS: &'static str =
        "the handler had run exactly once when the write was over, and the page was not written";
    const PATH: Path = Path {
        instructions: 1700.0,
        locked: 10.0,
        within: 1.7,
        source: "the area of the address found and refused (250), signal forced, queued, dequeued (600), frame built and read back (700), masks (150)",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(ProtectedPage::new()?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        let before = signal::handled();
        Ok(self.0.write() == before + 1)
    }

    fn from_parts() -> Vec<Term> {
        let refused = Path {
            instructions: 250.0,
            locked: 2.0,
            within: 1.6,
            source: "the area of the address found and refused",
        };
        let exception = "entry by an exception and IRET back: some 300 cycles on x86-64 cores since 2015";
        let handled = Formula::part("signal.deliver.self", "").minus(Formula::part("syscall.kill.probe", ""));
        vec![
            term(
                Side::Hardware,
                "exception and return",
                core_cycles(Formula::cited(300.0, 1.7, exception)),
            ),
            term(Side::Software, "a signal delivered, less its kill", handled),
            term(
                Side::Software,
                "the fault looked at",
                core_cycles(refused.formula()),
            ),
        ]
    }
}
