//! Both halves of a hand-off by one task: send and receive on the objects by which tasks wake each other.
//!
//! Nobody waits and nobody is woken: it is what a ping-pong costs without its switches.

use super::{CARD, Service};
use measure::{Failure, Operation};
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::semaphore::{Posix, SystemV};
use sys::socket::{Connected, unix_stream_pair};

const NOBODY_WAITS: &str = "Nobody waits, so no wake-up is in it; the code that looks for waiters is.";

/// An event counter.
pub static EVENTFD: Operation = Operation {
    id: "syscall.eventfd.self",
    title: "write and read an eventfd in one task",
    one_iteration: "one write of a number and one read, which must give the number",
    method: "A task adds a number to an event counter and takes it back. It is half of a round trip by \
             eventfd without the switch.",
    confounds: NOBODY_WAITS,
    sources: &[
        ("lmbench", "none"),
        ("stress-ng", "eventfd, between two processes"),
    ],
    predict: &[
        "t0 floors(2)",
        "software t0 handler = path(640, 4) (×1.6: two calls through the file layer (180 each), two locks \
         with interrupts off, checks for waiters, 8 bytes copied each way (140 each)) × cycle_ns",
        "hardware t1 a write and a read that do next to nothing = \
         [syscall.write.dev_null method=raw] + [syscall.read.dev_zero method=raw]",
        "software t1 the object = path(130, 4) (×1.6: two locks taken and left with interrupts off, two \
         checks for waiters, 8 bytes copied each way, less what clears a byte) × cycle_ns",
    ],
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
    title: "write and read one byte of a Unix socket in one task",
    one_iteration: "one write of one byte at one end and one read of it at the other",
    method: "A task writes a byte into one of two connected Unix stream sockets and reads it from the other. \
             It is half of a round trip without the switch.",
    confounds: "Every byte is a buffer of its own that is allocated and freed, by caches of the CPU; nobody \
                waits, so no wake-up is in it.",
    sources: &[(
        "lmbench",
        "lat_unix measures the round trip only, and does not take these calls apart",
    )],
    predict: &[
        "t0 floors(2)",
        "software t0 handler = path(2400, 22) (×1.6: two calls through the file layer (180 each); a buffer \
         and its head allocated, charged to the sender, filled, queued, announced (1000); found, copied, \
         taken off, given back, freed (1000)) × cycle_ns",
        "hardware t1 a write and a read that do next to nothing = \
         [syscall.write.dev_null method=raw] + [syscall.read.dev_zero method=raw]",
        "software t1 the object = path(1900, 22) (×1.6: a buffer and its head allocated, charged to the \
         sender, filled, queued, announced (1000); found, copied, taken off, given back, freed (1000), less \
         what clears a byte) × cycle_ns",
    ],
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

struct Unix(Connected);

impl Service for Unix {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(unix_stream_pair()?))
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        let (sent, mut got) = ([turn as u8], [0]);
        self.0.near.write_all(&sent)?;
        self.0.far.read_all(&mut got)?;
        Ok(got == sent)
    }
}

/// A futex on which nobody waits.
pub static FUTEX: Operation = Operation {
    id: "syscall.futex.self",
    title: "futex: wake nobody, and find the word changed",
    one_iteration: "one wake, which must find nobody, and one wait that must find the word changed",
    method: "A task wakes those who wait on a word, where nobody does, and asks to sleep while the word has \
             a value that it has not. Both calls look the word up and return.",
    confounds: "The word is private to the process, which spares the lookup of its page; a wait that does \
                not sleep takes less than one that does.",
    sources: &[("perf bench", "futex wake wakes sleeping threads, and times that")],
    predict: &[
        "floors(2)",
        "software handler = path(300, 6) (×1.6: two keys hashed, the table of this process taken and given \
         back, one lock, the word read) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the wake found nobody, and the wait found the word changed",
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
    title: "post and take a System V semaphore in one task",
    one_iteration: "one semop that adds one and one semop that takes it",
    method: "A task adds one to a semaphore and takes it. It is half of a round trip by System V semaphores \
             without the switch. The worker makes the semaphore in an IPC namespace of its own, so that none \
             is left behind when it is killed.",
    confounds: NOBODY_WAITS,
    sources: &[("lmbench", "lat_sem measures the round trip between two processes")],
    predict: &[
        "floors(2)",
        "software handler = path(700, 4) (×1.6: operations copied and checked, id looked up, permission, \
         lock, value, time stamp, look for waiters, twice) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel did both operations every time, and the semaphore ended every batch where \
         it began",
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

    fn settled(&mut self) -> sys::Result<bool> {
        Ok(self.0.value()? == 0)
    }
}

/// A semaphore of POSIX.
pub static POSIX_SEMAPHORE: Operation = Operation {
    id: "syscall.posix_semaphore.self",
    title: "post and take a POSIX semaphore in one task, without the kernel",
    one_iteration: "one sem_post and one sem_wait, which find nobody waiting and one to take",
    method: "A task posts an unnamed POSIX semaphore of the C library and takes it. Nobody waits, so both \
             are an atomic operation in user space and no system call: the fast path that futexes were made \
             for. It stands here to be compared with its neighbours.",
    confounds: "The C library decides what is done; the rehearsal proves that the kernel is not asked. R1 \
                timed unnamed semaphores on a system that has none (E02).",
    sources: &[("R1", "sem_post and sem_wait that failed: the error path (E02)")],
    predict: &[
        "software handler = path(40, 2) (×1.5: two calls through the linkage table, the word read and \
         compared and exchanged in each) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded, and the semaphore ended every batch where it began",
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

    fn settled(&mut self) -> sys::Result<bool> {
        Ok(self.0.value() == 0)
    }
}
