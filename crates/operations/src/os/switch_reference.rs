//! Reference methods: context switches as the reports and other tools measured them.

use measure::{Actors, Area, Bench, Failure, How, Operation, Point, Reference, Work};
use std::sync::atomic::Ordering;
use sys::clock::{Clock, Moment};
use sys::memory::Mapping;
use sys::pipe::pipe;
use sys::process::{Actor, Ended};
use sys::semaphore::{NO_SEMAPHORE, wait_on_missing};
use sys::sleep::yield_cpu;
use sys::usage::CpuClock;
use workloads::exchange::{self, Conditions};
use workloads::os::timestamps::newborn_threads;

const REFERENCE: Operation = Operation { area: Area::Os, actors: Actors::TwoProcesses, ..Operation::NEW };

/// The right method of those between processes.
const RIGHT_BETWEEN_PROCESSES: (&str, &str) = ("switch.process.pipe", "cpu=same");

/// Timestamps of a trial.
const TIMESTAMPS: usize = 24;

/// R2's switch.
pub static UNPINNED: Operation = Operation {
    id: "switch.process.unpinned",
    title: "half a round trip over pipes, unpinned",
    one_iteration: "half a round trip of one byte between two unpinned processes",
    method: "Round trips over two pipes as in ipc.pipe.round_trip, neither process pinned; the time is halved.",
    confounds: "The placement by the scheduler decides whether it is a switch or the wake-up of another CPU. The system calls are \
                included.",
    sources: &[("R2", "round trips over pipes, unpinned, halved"), ("lmbench", "lat_pipe, unpinned, whole")],
    reference: Some(Reference {
        wrong: "half of it is system calls, and unpinned it is mostly the wake-up of another CPU, not a switch (E38)",
        right: RIGHT_BETWEEN_PROCESSES,
    }),
    gate: record::Gate { cpu_share: None, involuntary: false, shared_core: None },
    evidence: &["answers = 1: every byte came back"],
    run: |bench| {
        sys::cpu::unpin()?;
        let (their_input, to) = pipe()?;
        let (from, their_output) = pipe()?;
        let partner = Actor::spawn(None, move || {
            while let Ok(byte) = their_input.read_byte() {
                if their_output.write_byte(byte).is_err() {
                    return 1;
                }
            }
            0
        })?;
        bench.batches(Work {
            multiple_of: 2,
            cpu: vec![CpuClock::THREAD, CpuClock::of_process(partner.pid())],
            ..Work::new(&mut |n| {
                let mut right = 0;
                for turn in 0..n / 2 {
                    let byte = turn as u8;
                    to.write_byte(byte)?;
                    right += 2 * u64::from(from.read_byte()? == byte);
                }
                Ok(right)
            })
        })
    },
    ..REFERENCE
};

/// R4's switch.
pub static ONE_WAY: Operation = Operation {
    id: "switch.process.one_way",
    title: "from before a write until after the read of another process, one way",
    one_iteration: "one byte to another process, which reads the clock after its read",
    method: "One process reads the clock and writes a byte to a pipe; the other, on the same CPU, reads the byte and then the \
             clock. The difference is called a switch.",
    confounds: "A write and half a read are included; the writer may continue before it is switched out.",
    sources: &[("R4", "one-way timestamp over a pipe, between processes and threads")],
    reference: Some(Reference {
        wrong: "the interval contains a write and the end of a read, and no count shows a switch (E39)",
        right: RIGHT_BETWEEN_PROCESSES,
    }),
    how: How::Values,
    rehearse: measure::Rehearse::Nothing,
    points: |_| Point::all("cpu=same"),
    evidence: &["answers = 1: the partner answered with a timestamp every time", "placed"],
    run: |bench| {
        let (their_input, to) = pipe()?;
        let (from, their_output) = pipe()?;
        let page = Mapping::shared(64)?;
        let clock = Clock::select();
        let their_page = &page;
        let partner = Actor::spawn(bench.peer_cpu(), move || {
            while let Ok(byte) = their_input.read_byte() {
                store(their_page, clock.stop());
                if their_output.write_byte(byte).is_err() {
                    return 1;
                }
            }
            0
        })?;
        timestamps(bench, clock, &mut || {
            let before = clock.start();
            to.write_byte(1)?;
            let answered = from.read_byte()? == 1;
            Ok(answered.then(|| load(&page) - before))
        })?;
        // It holds ends of both pipes and would never see them close: end it.
        drop(partner);
        Ok(())
    },
    ..REFERENCE
};

/// R0's and R3's switch.
pub static FORK_WAIT_STAMP: Operation = Operation {
    id: "switch.process.fork_wait_timestamp",
    title: "fork, from before wait until the child runs",
    one_iteration: "one fork: from the parent's clock read before wait to the child's first clock read",
    method: "A process forks and reads the clock before it waits; the child, on the same CPU, reads the clock first. The \
             difference is called a switch.",
    confounds: "A new process begins with page faults. Where the child runs before the parent continues, the difference is \
                negative.",
    sources: &[("R0", "fork, wait, timestamp"), ("R3", "fork, wait, timestamp; the smaller of both orders")],
    reference: Some(Reference {
        wrong: "the interval contains the first page faults of a new process and the start of a wait (E39)",
        right: RIGHT_BETWEEN_PROCESSES,
    }),
    actors: Actors::Children,
    how: How::Values,
    rehearse: measure::Rehearse::Nothing,
    points: |_| Point::all("cpu=same"),
    evidence: &[
        "answers = 1: every child left a timestamp and exited",
        "switches 1..10000 (if consistent): the parent blocked",
    ],
    run: |bench| {
        let page = Mapping::shared(64)?;
        let clock = Clock::select();
        let cpu = bench.cpu();
        timestamps(bench, clock, &mut || {
            let child = Actor::spawn(cpu, || {
                store(&page, clock.stop());
                0
            })?;
            let before = clock.start();
            let ended = child.join()?;
            Ok((ended == Ended::Exited(0)).then(|| load(&page) - before))
        })
    },
    ..REFERENCE
};

/// R1's switch.
pub static FAILED_SEMAPHORE: Operation = Operation {
    id: "switch.thread.failed_semaphore",
    title: "semop on a semaphore that does not exist (EINVAL)",
    one_iteration: "one semop that must give EINVAL",
    method: "semop on a semaphore that was never created, in a loop. Without checks, programs on a system without unnamed \
             semaphores time this and call it a switch.",
    confounds: "It is the error path of a system call: no wait and no wake-up.",
    sources: &[("R1", "sem_init failed, unchecked")],
    reference: Some(Reference {
        wrong: "the calls fail and the error path is timed: no switch happens (E02)",
        right: ("switch.thread.semaphore", "cpu=same"),
    }),
    actors: Actors::One,
    evidence: &[
        "answers = 1: EINVAL every time",
        "calls: semop 1",
        "switches.voluntary 0..0.001: the thread never blocked",
    ],
    run: |bench| {
        bench.slope(&mut |n| {
            let refused = (0..n).filter(|_| wait_on_missing() == NO_SEMAPHORE);
            Ok(refused.count() as u64)
        })
    },
    ..REFERENCE
};

/// Divides by an assumed number of switches.
pub static ASSUMED: Operation = Operation {
    id: "switch.thread.condition.assumed",
    title: "context switch by mutex and condition variable, two assumed per round trip",
    one_iteration: "half a round trip minus its system calls, taken for one switch",
    method: "As switch.thread.condition, divided by two, the assumed number of switches per round trip.",
    confounds: "A woken thread that finds the mutex locked sleeps again: up to four switches happen.",
    sources: &[
        ("R3", "mutex and condition variable, divided by two"),
        ("lmbench", "lat_ctx divides by the processes in its ring"),
    ],
    reference: Some(Reference {
        wrong: "the divisor is an assumed number of switches; the kernel may count twice as many (E53)",
        right: ("switch.thread.condition", "cpu=same"),
    }),
    actors: Actors::TwoThreads,
    how: How::SlopeLessControl { per: "switches.assumed" },
    points: |_| Point::all("cpu=same"),
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 4.5)",
        "calls of both sides: futex 1.8..12.5",
        "threads",
        "placed",
        "undisturbed",
    ],
    run: |bench| {
        exchange::threads::<Conditions>(bench)?;
        bench.count("switches.assumed", 2.0, 1.0);
        Ok(())
    },
    spend_ns: 20_000_000,
    ..REFERENCE
};

/// R0's switch between threads.
pub static NEWBORN: Operation = Operation {
    id: "switch.thread.newborn",
    title: "mutex handed to a thread that has just been created",
    one_iteration: "one thread: from before its creator unlocks a mutex until the thread has locked it",
    method: "A thread locks a mutex, creates another thread, reads the clock, unlocks and joins; the new thread, on the same \
             CPU, locks the mutex and reads the clock. The difference is called a switch.",
    confounds: "The new thread may have run already and wait for the mutex; child.first counts threads that had it before their \
                creator had unlocked it, which is impossible.",
    sources: &[("R0", "a mutex handed to a new thread, once per thread")],
    reference: Some(Reference {
        wrong: "the interval contains an unlock, the start of a join, the first faults of a new thread and a lock (E39)",
        right: ("switch.thread.mutex", "cpu=same"),
    }),
    actors: Actors::Children,
    how: How::Each,
    gate: record::Gate { involuntary: false, ..Operation::GATE },
    points: |_| Point::all("cpu=same"),
    predict: &[
        "entries(3)",
        "t0 hand-offs between threads(1)",
        "t1 floors(2)",
        "hand-offs(1)",
        "software first touches of the stack = 4000 cycles (×2: two anonymous faults of some 2000 cycles) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the thread's timestamp lies between the unlock and the join",
        "switches 0.9..6 (if consistent): the creator slept until the thread exited",
        "a thread",
    ],
    run: newborn_threads,
    spend_ns: 10_000_000,
    ..REFERENCE
};

/// sched_yield called a switch.
pub static YIELD_UNPINNED: Operation = Operation {
    id: "switch.process.yield.unpinned",
    title: "sched_yield of two unpinned processes",
    one_iteration: "one sched_yield, taken for one switch",
    method: "Two unpinned processes yield in a loop; the time of one is divided by its yields.",
    confounds: "With an idle CPU each process has its own, and no yield switches.",
    sources: &[("stress-ng", "--yield"), ("UnixBench", "none")],
    reference: Some(Reference {
        wrong: "with a CPU for each process no yield switches: the system call is timed (E53, E38)",
        right: ("switch.process.yield", "cpu=same"),
    }),
    gate: record::Gate { cpu_share: None, involuntary: false, shared_core: None },
    rehearse: measure::Rehearse::Nothing,
    evidence: &["answers = 1: every yield succeeded"],
    run: |bench| {
        sys::cpu::unpin()?;
        let page = Mapping::shared(64)?;
        let partner = Actor::spawn(None, || {
            while load(&page) == 0 && yield_cpu().is_ok() {}
            0
        })?;
        bench.slope(&mut |n| Ok((0..n).filter(|_| yield_cpu().is_ok()).count() as u64))?;
        store(&page, 1);
        partner.join()?;
        Ok(())
    },
    ..REFERENCE
};

/// Samples differences of timestamps, in nanoseconds; a missing timestamp is a missing answer.
fn timestamps(
    bench: &mut Bench<'_>,
    clock: Clock,
    once: &mut dyn FnMut() -> Result<Option<i64>, Failure>,
) -> Result<(), Failure> {
    let began: Moment = clock.moment();
    once()?;
    let ticks = bench.watched(|| (0..TIMESTAMPS).map(|_| once()).collect::<Result<Vec<_>, _>>())?;
    let scale = clock.nanos_per_tick(began, clock.moment());
    let samples: Vec<f64> = ticks.into_iter().flatten().map(|ticks| ticks as f64 * scale).collect();
    bench.count("answers", samples.len() as f64, TIMESTAMPS as f64);
    let cpus = sys::process::cpus_of_actors();
    match cpus {
        Some(cpus) => bench.count("actors.cpus", cpus.len() as f64, 1.0),
        None => bench.cannot_count("actors.cpus", "/proc does not show the last CPU of a task".to_owned()),
    }
    bench.values(samples);
    Ok(())
}

fn store(page: &Mapping, timestamp: i64) {
    if let Some(word) = page.words().first() {
        word.store(timestamp.cast_unsigned(), Ordering::Release);
    }
}

fn load(page: &Mapping) -> i64 {
    page.words().first().map_or(0, |word| word.load(Ordering::Acquire).cast_signed())
}
