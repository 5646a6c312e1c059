//! Both halves of a hand-off by one task: send and receive on the objects by which tasks wake each other.
//!
//! Nobody waits and nobody is woken: it is what a ping-pong costs without its switches.

use super::{Path, Service, operation};
use measure::{Failure, Operation, core_cycles, term};
use record::{Bound, Formula, Side, Term};
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::semaphore::{Posix, SystemV};
use sys::socket::{Connected, unix_stream_pair};

/// An event counter.
pub static EVENTFD: Operation = operation::<Eventfd>();
/// A pair of Unix stream sockets.
pub static UNIX: Operation = operation::<Unix>();
/// A futex on which nobody waits.
pub static FUTEX: Operation = operation::<Futex>();
/// A semaphore of System V.
pub static SEMAPHORE: Operation = operation::<Semaphore>();
/// A semaphore of POSIX.
pub static POSIX_SEMAPHORE: Operation = operation::<PosixSemaphore>();

const NOBODY_WAITS: &str = "Nobody waits, so no wake-up is in it; the code that looks for waiters is.";

/// T1 from one write and one read that do next to nothing, and what the object itself takes on top.
fn file_pair(path: Path) -> Vec<Term> {
    let pair = Formula::part("syscall.write.dev_null", "").plus(Formula::part("syscall.read.dev_zero", ""));
    vec![
        term(Side::Hardware, "a write and a read that do next to nothing", pair),
        term(Side::Software, "the object", core_cycles(path.formula())),
    ]
}

struct Eventfd(EventCounter);

impl Service for Eventfd {
    const ID: &'static str = "syscall.eventfd.self";
    const TITLE: &'static str = "write and read an eventfd in one task";
    const ITERATION: &'static str = "one write of a number and one read, which must give the number";
    const METHOD: &'static str = "A task adds a number to an event counter and takes it back. It is half of a round \
                                  trip by eventfd without the switch.";
    const CONFOUNDS: &'static str = NOBODY_WAITS;
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        ("lmbench", "none"),
        ("stress-ng", "eventfd, between two processes"),
    ];
    const CALLS: &'static [(&'static str, f64)] = &[("write", 1.0), ("read", 1.0)];
    const ANSWERS: &'static str = "the number that was added came back";
    const PATH: Path = Path {
        instructions: 640.0,
        locked: 4.0,
        within: 1.6,
        source: "two calls through the file layer (180 each), two locks with interrupts off, checks for waiters, 8 bytes copied each way (140 each)",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(EventCounter::new()?))
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        self.0.add(turn + 1)?;
        Ok(self.0.take()? == turn + 1)
    }

    fn from_parts() -> Vec<Term> {
        file_pair(Path {
            instructions: 130.0,
            locked: 4.0,
            within: 1.6,
            source: "two locks taken and left with interrupts off, two checks for waiters, 8 bytes copied each way, less what clears a byte",
        })
    }
}

struct Unix(Connected);

impl Service for Unix {
    const ID: &'static str = "syscall.unix.self";
    const TITLE: &'static str = "write and read one byte of a Unix socket in one task";
    const ITERATION: &'static str = "one write of one byte at one end and one read of it at the other";
    const METHOD: &'static str = "A task writes a byte into one of two connected Unix stream sockets and reads it from \
                                  the other. It is half of a round trip without the switch.";
    const CONFOUNDS: &'static str = "Every byte is a buffer of its own that is allocated and freed, by caches of the \
                                     CPU; nobody waits, so no wake-up is in it.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[(
        "lmbench",
        "lat_unix measures the round trip only, and does not take these calls apart",
    )];
    const CALLS: &'static [(&'static str, f64)] = &[("write", 1.0), ("read", 1.0)];
    const ANSWERS: &'static str = "the byte that was written came back";
    const PATH: Path = Path {
        instructions: 2400.0,
        locked: 22.0,
        within: 1.6,
        source: "two calls through the file layer (180 each); a buffer and its head allocated, charged to the sender, filled, queued, announced (1000); found, copied, taken off, given back, freed (1000)",
    };

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

    fn from_parts() -> Vec<Term> {
        file_pair(Path {
            instructions: 1900.0,
            locked: 22.0,
            within: 1.6,
            source: "a buffer and its head allocated, charged to the sender, filled, queued, announced (1000); found, copied, taken off, given back, freed (1000), less what clears a byte",
        })
    }
}

struct Futex(AtomicU32);

impl Service for Futex {
    const ID: &'static str = "syscall.futex.self";
    const TITLE: &'static str = "futex: wake nobody, and find the word changed";
    const ITERATION: &'static str =
        "one wake, which must find nobody, and one wait that must find the word changed";
    const METHOD: &'static str = "A task wakes those who wait on a word, where nobody does, and asks to sleep while the \
                                  word has a value that it has not. Both calls look the word up and return.";
    const CONFOUNDS: &'static str = "The word is private to the process, which spares the lookup of its page; a wait \
                                     that does not sleep takes less than one that does.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("perf bench", "futex wake wakes sleeping threads, and times that")];
    const CALLS: &'static [(&'static str, f64)] = &[("futex", 2.0)];
    const ANSWERS: &'static str = "the wake found nobody, and the wait found the word changed";
    const PATH: Path = Path {
        instructions: 300.0,
        locked: 6.0,
        within: 1.6,
        source: "two keys hashed, the table of this process taken and given back, one lock, the word read",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(AtomicU32::new(1)))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        let woken = sys::Error::check("futex", sys::futex::wake_one(&self.0))?;
        Ok(woken == 0 && sys::futex::wait(&self.0, 0) == sys::futex::CHANGED)
    }
}

struct Semaphore(SystemV);

impl Service for Semaphore {
    const ID: &'static str = "syscall.semaphore.self";
    const TITLE: &'static str = "post and take a System V semaphore in one task";
    const ITERATION: &'static str = "one semop that adds one and one semop that takes it";
    const METHOD: &'static str = "A task adds one to a semaphore and takes it. It is half of a round trip by System V \
                                  semaphores without the switch. The worker makes the semaphore in an IPC namespace of \
                                  its own, so that none is left behind when it is killed.";
    const CONFOUNDS: &'static str = NOBODY_WAITS;
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("lmbench", "lat_sem measures the round trip between two processes")];
    const CALLS: &'static [(&'static str, f64)] = &[("semop", 2.0)];
    const ANSWERS: &'static str =
        "the kernel did both operations every time, and the semaphore ended every batch where it began";
    const PATH: Path = Path {
        instructions: 700.0,
        locked: 4.0,
        within: 1.6,
        source: "operations copied and checked, id looked up, permission, lock, value, time stamp, look for waiters, twice",
    };

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

struct PosixSemaphore(Posix);

impl Service for PosixSemaphore {
    const ID: &'static str = "syscall.posix_semaphore.self";
    const TITLE: &'static str = "post and take a POSIX semaphore in one task, without the kernel";
    const ITERATION: &'static str =
        "one sem_post and one sem_wait, which find nobody waiting and one to take";
    const METHOD: &'static str = "A task posts an unnamed POSIX semaphore of the C library and takes it. Nobody waits, \
                                  so both are an atomic operation in user space and no system call: the fast path that \
                                  futexes were made for. It stands here to be compared with its neighbours.";
    const CONFOUNDS: &'static str = "The C library decides what is done; the rehearsal proves that the kernel is not \
                                     asked. R1 timed unnamed semaphores on a system that has none (E02).";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("R1", "sem_post and sem_wait that failed: the error path (E02)")];
    const CALLS: &'static [(&'static str, f64)] = &[];
    const ANSWERS: &'static str = "both calls succeeded, and the semaphore ended every batch where it began";
    const PATH: Path = Path {
        instructions: 40.0,
        locked: 2.0,
        within: 1.5,
        source: "two calls through the linkage table, the word read and compared and exchanged in each",
    };

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

    fn bounds() -> Vec<Bound> {
        vec![Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(4.0)),
            because: "two atomic operations on one word take two cycles each on any core".to_owned(),
        }]
    }
}
