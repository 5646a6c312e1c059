//! Signals of a process to itself: permission check, handler installation, delivery, protection fault.

use super::CARD;
use measure::Operation;
use sys::signal::{self, Handler, ProtectedPage};
use workloads::repeat::repeat;

/// Permission to send a signal.
pub static PROBE: Operation = Operation {
    id: "syscall.kill.probe",
    revision: 2,
    title: "one kill with signal 0",
    one_iteration: "one kill of this process with signal 0, which must succeed",
    method: "kill of the C library with this process and signal 0, in a loop: lookup of the process and permission check; \
             no signal is sent.",
    confounds: "Nothing is delivered: see signal.deliver.self.",
    sources: &[("R4, 4.3", "the call kill beside exit, probably with SIGKILL, which is not sent here")],
    predict: &["floors(1)", "handler(1)", "C library(1)"],
    evidence: &["answers = 1: kill succeeded every time", "calls: kill 1", "undisturbed loop"],
    run: |bench| {
        let own = signal::own_number();
        repeat(bench, |_| signal::probe(own).map(|_| true))
    },
    ..CARD
};

/// Installing a handler.
pub static INSTALL: Operation = Operation {
    id: "signal.install",
    title: "one rt_sigaction that installs a handler",
    one_iteration: "one rt_sigaction that installs a handler, which must return the previous one",
    method: "rt_sigaction by the system-call instruction installs the same handler for SIGUSR1 and returns the previous one, \
             in a loop.",
    confounds: "The C library adds a copy of the structure and, on some architectures, the return trampoline.",
    sources: &[("lmbench", "lat_sig install, through libc"), ("libMicro", "sigaction")],
    predict: &["floors(1)", "handler(1)"],
    evidence: &[
        "answers = 1: the previous handler was returned every time",
        "calls: rt_sigaction 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let handler = Handler::counting()?;
        let installed = handler.installed()?;
        repeat(bench, |_| Ok(handler.install_again(&installed)? == installed))
    },
    ..CARD
};

/// A signal to oneself.
pub static DELIVER: Operation = Operation {
    id: "signal.deliver.self",
    title: "kill of this process + handler + rt_sigreturn",
    one_iteration: "one kill of this process with SIGUSR1, its handler, and the return from it",
    method: "kill by the system-call instruction sends SIGUSR1 to the only thread of this process. Before the call returns \
             the kernel pushes a signal frame, the handler counts, and rt_sigreturn pops the frame.",
    confounds: "The frame grows with the register state: AVX-512 and AMX make frames of 3 to 11 KiB. Another thread or process \
                as receiver adds a wake-up.",
    sources: &[
        ("lmbench", "lat_sig catch, less an empty kill in some versions"),
        ("will-it-scale", "signal1: by raise of the C library"),
        ("libMicro", "signal: SIGUSR1 to itself"),
    ],
    predict: &[
        "floors(2)",
        "handler(2)",
        "C library(1)",
        "hardware vector registers saved and restored = 450 cycles (×1.6: XSAVE, XRSTOR of the initial state for the \
         handler, XRSTOR, some 150 to 200 cycles each) × cycle_ns",
        "hardware return by IRET = 150 cycles (×1.7: all registers change, so the kernel returns by IRET, some 150 cycles more \
         than SYSRET on x86-64 cores since 2015) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the handler ran exactly once before kill returned",
        "calls: kill 1, rt_sigreturn 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    tail: &[""],
    headline: &[("", "signal, sent and handled")],
    run: |bench| {
        let (handler, own) = (Handler::counting()?, signal::own_number());
        repeat(bench, |_| {
            let before = signal::handled();
            Ok(handler.send(own)? == before + 1)
        })
    },
    ..CARD
};

/// A protection fault, handled.
pub static PROTECTION_FAULT: Operation = Operation {
    id: "signal.protection_fault",
    title: "write to a read-only page + SIGSEGV handler + rt_sigreturn",
    one_iteration: "one write to a read-only page, the handler, and the return past the write",
    method: "A write to a page that is mapped read-only faults; the kernel sends SIGSEGV, whose handler counts and continues \
             after the write.",
    confounds: "The exception cost depends on the processor; a hypervisor may intercept it.",
    sources: &[("lmbench", "lat_sig prot")],
    predict: &[
        "t0 floors(1)",
        "t0 handler(1)",
        "hardware exception and return = 300 cycles (×1.7: entry by an exception and IRET back: some 300 cycles on x86-64 cores \
         since 2015) × cycle_ns",
        "software t1 a signal delivered, less its kill = [signal.deliver.self] − [syscall.kill.probe]",
        "software t1 page fault handling = kernel({counted[signal.protection_fault] - counted[signal.deliver.self] \
         + counted[syscall.kill.probe]})",
    ],
    evidence: &[
        "answers = 1: the handler ran exactly once per write, and the page did not change",
        "calls: rt_sigreturn 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let page = ProtectedPage::new()?;
        repeat(bench, |_| {
            let before = signal::handled();
            Ok(page.write() == before + 1)
        })
    },
    ..CARD
};
