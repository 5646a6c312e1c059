//! Send and receive by one task, on the objects by which tasks wake each other: the system calls of half a round trip,
//! without waiter, wake-up and switch.

use super::CARD;
use measure::Operation;
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::futex::{self, Scope};
use sys::pipe::pipe;
use sys::posix;
use sys::socket::unix_stream_pair;
use sys::system_v::IpcNamespace;
use workloads::repeat::{repeat, repeat_and_check};

const UNCONTENDED: &str = "The check for waiters is included, a wake-up is not.";

/// Write and read of one byte by one task.
pub static PIPE: Operation = Operation {
    id: "syscall.pipe.self",
    title: "pipe write + read of 1 byte by one task",
    one_iteration: "one write of one byte and one read of it",
    method: "A task writes a byte to a pipe and reads it back, by the system-call instruction: half a round trip without the \
             switch.",
    confounds: "The pipe keeps its page between iterations, so no page is allocated.",
    sources: &[
        ("lmbench", "lat_pipe: the round trip only"),
        ("UnixBench", "pipe: 512 bytes, operations per second"),
        ("libMicro", "pipe -x pipe -m st -s 1"),
        ("will-it-scale", "pipe1"),
    ],
    predict: &["reference path(2)"],
    evidence: &[
        "answers = 1: the byte that was written came back",
        "calls: write 1, read 1",
        "switches.voluntary 0..0.001: the task never blocked",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let (reader, writer) = pipe()?;
        repeat(bench, |turn| {
            writer.write_byte(turn as u8)?;
            Ok(reader.read_byte()? == turn as u8)
        })
    },
    ..CARD
};

/// An event counter.
pub static EVENTFD: Operation = Operation {
    id: "syscall.eventfd.self",
    title: "eventfd write + read by one task",
    one_iteration: "one write of a number and one read, which must return it",
    method: "A task adds a number to an eventfd and reads it back, by the system-call instruction: half a round trip without \
             the switch.",
    confounds: UNCONTENDED,
    sources: &[
        ("lmbench", "none"),
        ("stress-ng", "--eventfd: between two processes, operations per second"),
        ("will-it-scale", "eventfd1"),
    ],
    predict: &["floors(2)", "handler(2)"],
    evidence: &[
        "answers = 1: the number that was added came back",
        "calls: write 1, read 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let counter = EventCounter::new()?;
        repeat(bench, |turn| {
            counter.add(turn + 1)?;
            Ok(counter.take()? == turn + 1)
        })
    },
    ..CARD
};

/// A pair of Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "syscall.unix.self",
    title: "Unix stream socket, write + read of 1 byte by one task",
    one_iteration: "one write of one byte to one socket and one read of it from the other",
    method: "A task writes a byte to one of two connected Unix stream sockets and reads it from the other, by the system-call \
             instruction: half a round trip without the switch.",
    confounds: "Every byte has a buffer of its own, allocated from and freed to per-CPU caches. A wake-up is not included.",
    sources: &[
        ("lmbench", "lat_unix: the round trip only"),
        ("libMicro", "pipe -x sock -m st -s 1"),
        ("will-it-scale", "unix1"),
    ],
    predict: &["reference path(2)"],
    evidence: &[
        "answers = 1: the byte that was written came back",
        "calls: write 1, read 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let pair = unix_stream_pair()?;
        repeat(bench, |turn| {
            let (sent, mut got) = ([turn as u8], [0]);
            pair.client.write_all(&sent)?;
            pair.server.read_all(&mut got)?;
            Ok(got == sent)
        })
    },
    ..CARD
};

/// An uncontended futex.
pub static FUTEX: Operation = Operation {
    id: "syscall.futex.self",
    title: "uncontended futex wake and wait (EAGAIN)",
    one_iteration: "one FUTEX_WAKE without a waiter and one FUTEX_WAIT that must give EAGAIN",
    method: "FUTEX_WAKE on a word without waiters, then FUTEX_WAIT with another value than the word has, by the system-call \
             instruction (the C library has no function). Both calls look the word up and return.",
    confounds: "The futex is private, which saves the lookup of its page. A wait that sleeps costs more.",
    sources: &[
        ("perf bench", "futex hash: FUTEX_WAIT for another value, without FUTEX_WAKE"),
        ("will-it-scale", "futex1 to 4: FUTEX_WAKE or FUTEX_WAIT, shared or private"),
    ],
    predict: &["floors(2)", "handler(2)"],
    evidence: &[
        "answers = 1: the wake gave 0, and the wait gave EAGAIN",
        "calls: futex 2",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let word = AtomicU32::new(1);
        repeat(bench, |_| {
            let woken = sys::Error::check("futex", futex::wake_one(&word, Scope::Private))?;
            Ok(woken == 0 && futex::wait(&word, 0, Scope::Private) == futex::CHANGED)
        })
    },
    ..CARD
};

/// A semaphore of System V.
pub static SEMAPHORE: Operation = Operation {
    id: "syscall.semaphore.self",
    title: "System V semaphore, post + wait by one task",
    one_iteration: "one semop that adds one and one semop that subtracts it",
    method: "A task adds one to a semaphore and subtracts it, by the system-call instruction: half a round trip without the \
             switch. The semaphore is in an IPC namespace of the worker, so none is left over.",
    confounds: UNCONTENDED,
    sources: &[("lmbench", "lat_sem: half of the round trip between two processes"), ("libMicro", "semop")],
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
    run: |bench| {
        let semaphore = IpcNamespace::enter()?.semaphore()?;
        let once = |_| {
            semaphore.post()?;
            semaphore.wait().map(|()| true)
        };
        repeat_and_check(bench, once, || Ok(semaphore.value()? == 0))
    },
    ..CARD
};

/// A semaphore of POSIX.
pub static POSIX_SEMAPHORE: Operation = Operation {
    id: "syscall.posix_semaphore.self",
    title: "POSIX semaphore, post + wait by one task, without a system call",
    one_iteration: "one uncontended sem_post and one uncontended sem_wait",
    method: "sem_post and sem_wait of an unnamed POSIX semaphore of the C library. Without contention each is an atomic \
             operation in user space and makes no system call.",
    confounds: "The rehearsal shows that no system call is made. On a system without unnamed semaphores, such as OS X, the \
                calls fail, and their error path is timed (E02).",
    sources: &[
        ("R1, 3 Fig 6", "sem_post and sem_wait on OS X, where sem_init fails: probably the error path (E02)"),
        ("will-it-scale", "posix_semaphore1"),
    ],
    predict: &[
        "software handler = path(40, 2) (×1.5: two calls through the linkage table, a load and a compare-and-swap \
         in each) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded, and the semaphore was 0 after every batch",
        "calls: none",
        "undisturbed loop",
    ],
    bounds: &["> 4 cycles × cycle_ns: two atomic operations on one word take two cycles each on any core"],
    run: |bench| {
        let semaphore = posix::Semaphore::new(true)?;
        let once = |_| {
            semaphore.post()?;
            semaphore.wait().map(|()| true)
        };
        repeat_and_check(bench, once, || Ok(semaphore.value() == 0))
    },
    ..CARD
};
