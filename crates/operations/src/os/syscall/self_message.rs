//! Send and receive by one task, on the objects by which tasks wake each other: the system calls of half a round trip,
//! without waiter, wake-up and switch.

use super::{CARD, Service};
use measure::{Failure, Operation};
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::semaphore::{Posix, SystemV};
use sys::socket::{SocketPair, unix_stream_pair};

const UNCONTENDED: &str = "The check for waiters is included, a wake-up is not.";

/// An event counter.
pub static EVENTFD: Operation = Operation {
    id: "syscall.eventfd.self",
    title: "eventfd write + read by one task",
    one_iteration: "one write of a number and one read, which must return it",
    method: "A task adds a number to an eventfd and reads it back, by the system-call instruction: half a round trip without \
             the switch.",
    confounds: UNCONTENDED,
    sources: &[("lmbench", "none"), ("stress-ng", "eventfd, between two processes")],
    predict: &["floors(2)", "handler(2)"],
    evidence: &[
        "answers = 1: the number that was added came back",
        "linear",
        "calls: write 1, read 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    run: super::run::<Eventfd>,
    ..CARD
};

struct Eventfd(EventCounter);

impl Service for Eventfd {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(EventCounter::new()?))
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        self.0.add(turn + 1)?;
        Ok(self.0.take()? == turn + 1)
    }
}

/// A pair of Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "syscall.unix.self",
    title: "Unix stream socket, write + read of 1 byte by one task",
    one_iteration: "one write of one byte to one socket and one read of it from the other",
    method: "A task writes a byte to one of two connected Unix stream sockets and reads it from the other, by the system-call \
             instruction: half a round trip without the switch.",
    confounds: "Every byte has a buffer of its own, allocated from and freed to per-CPU caches. A wake-up is not included.",
    sources: &[("lmbench", "lat_unix: the round trip only")],
    predict: &["reference path(2)"],
    evidence: &[
        "answers = 1: the byte that was written came back",
        "linear",
        "calls: write 1, read 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    run: super::run::<Unix>,
    ..CARD
};

struct Unix(SocketPair);

impl Service for Unix {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(unix_stream_pair()?))
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        let (sent, mut got) = ([turn as u8], [0]);
        self.0.client.write_all(&sent)?;
        self.0.server.read_all(&mut got)?;
        Ok(got == sent)
    }
}

/// An uncontended futex.
pub static FUTEX: Operation = Operation {
    id: "syscall.futex.self",
    title: "uncontended futex wake and wait (EAGAIN)",
    one_iteration: "one FUTEX_WAKE without a waiter and one FUTEX_WAIT that must give EAGAIN",
    method: "FUTEX_WAKE on a word without waiters, then FUTEX_WAIT with another value than the word has, by the system-call \
             instruction (the C library has no function). Both calls look the word up and return.",
    confounds: "The futex is private, which saves the lookup of its page. A wait that sleeps costs more.",
    sources: &[("perf bench", "futex wake: wake-ups of sleeping threads")],
    predict: &["floors(2)", "handler(2)"],
    evidence: &[
        "answers = 1: the wake gave 0, and the wait gave EAGAIN",
        "linear",
        "calls: futex 2",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    run: super::run::<Futex>,
    ..CARD
};

struct Futex(AtomicU32);

impl Service for Futex {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(AtomicU32::new(1)))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        let woken = sys::Error::check("futex", sys::futex::wake_one(&self.0))?;
        Ok(woken == 0 && sys::futex::wait(&self.0, 0) == sys::futex::CHANGED)
    }
}

/// A semaphore of System V.
pub static SEMAPHORE: Operation = Operation {
    id: "syscall.semaphore.self",
    title: "System V semaphore, post + wait by one task",
    one_iteration: "one semop that adds one and one semop that subtracts it",
    method: "A task adds one to a semaphore and subtracts it, by the system-call instruction: half a round trip without the \
             switch. The semaphore is in an IPC namespace of the worker, so none is left over.",
    confounds: UNCONTENDED,
    sources: &[("lmbench", "lat_sem: the round trip between two processes")],
    predict: &["floors(2)", "handler(2)"],
    evidence: &[
        "answers = 1: both operations succeeded every time, and the semaphore was 0 after every \
         batch",
        "linear",
        "calls: semop 2",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    run: super::run::<Semaphore>,
    ..CARD
};

struct Semaphore(SystemV);

impl Service for Semaphore {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(SystemV::private()?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.post()?;
        self.0.wait()?;
        Ok(true)
    }

    fn is_restored(&mut self) -> sys::Result<bool> {
        Ok(self.0.value()? == 0)
    }
}

/// A semaphore of POSIX.
pub static POSIX_SEMAPHORE: Operation = Operation {
    id: "syscall.posix_semaphore.self",
    title: "POSIX semaphore, post + wait by one task, without a system call",
    one_iteration: "one uncontended sem_post and one uncontended sem_wait",
    method: "sem_post and sem_wait of an unnamed POSIX semaphore of the C library. Without contention each is an atomic \
             operation in user space and makes no system call.",
    confounds: "The rehearsal shows that no system call is made. R1 timed unnamed semaphores on a system without them (E02).",
    sources: &[("R1", "sem_post and sem_wait that failed: the error path (E02)")],
    predict: &[
        "software handler = path(40, 2) (×1.5: two calls through the linkage table, a load and a compare-and-swap \
         in each) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded, and the semaphore was 0 after every batch",
        "linear",
        "calls: none",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 4 cycles × cycle_ns: two atomic operations on one word take two cycles each on any core"],
    run: super::run::<PosixSemaphore>,
    ..CARD
};

struct PosixSemaphore(Posix);

impl Service for PosixSemaphore {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(Posix::new(true)?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.post()?;
        self.0.wait()?;
        Ok(true)
    }

    fn is_restored(&mut self) -> sys::Result<bool> {
        Ok(self.0.value() == 0)
    }
}
