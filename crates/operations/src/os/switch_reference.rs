//! How the reports and other tools measured a switch: kept to be compared with the right methods.

use crate::exchange::{self, Conditions};
use measure::{Actors, Area, Bench, Failure, How, Operation, Point, Reference, Work};
use std::sync::atomic::Ordering;
use sys::clock::{Clock, Moment};
use sys::memory::Mapping;
use sys::pipe::pipe;
use sys::process::{Actor, Ended};
use sys::semaphore::{NO_SEMAPHORE, take_from_none};
use sys::sleep::give_way;
use sys::usage::CpuClock;

const REFERENCE: Operation = Operation {
    area: Area::Os,
    actors: Actors::TwoProcesses,
    ..Operation::NEW
};

/// The right operation beside those of processes.
const BESIDE_PROCESSES: (&str, &str) = ("switch.process.pipe", "cpu=same");

/// Samples of a trial where each is a stamp of its own.
const STAMPS: usize = 24;

/// R2's switch.
pub static UNPINNED: Operation = Operation {
    id: "switch.process.unpinned",
    title: "half of a round trip over pipes, unpinned",
    one_iteration: "half of a round trip of one byte between two processes that may run anywhere",
    method: "Round trips over two pipes, as ipc.pipe.round_trip, but neither process is pinned; the time is halved.",
    confounds: "Where the scheduler puts the two decides whether it is a switch or the wake-up of another CPU; the \
                system calls are in it.",
    sources: &[
        ("R2", "round trips over pipes, unpinned, halved"),
        ("lmbench", "lat_pipe, unpinned, whole"),
    ],
    reference: Some(Reference {
        wrong: "half of it is system calls, and unpinned it is mostly the wake-up of another CPU (E38): it is no switch",
        right: BESIDE_PROCESSES,
    }),
    gate: record::Gate {
        cpu_share: None,
        involuntary: false,
        shared_core: None,
        ..Operation::GATE
    },
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
            ..Work::alone(&mut |n| {
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
    title: "from before a write until after the read of another process",
    one_iteration: "one byte to another process, which reads the clock when it has it",
    method: "One process reads the clock and writes a byte into a pipe; the other, on the same CPU, reads the byte and \
             then the clock. The difference is called a switch.",
    confounds: "A write and half of a read are in it; the writer may run on for a while before it is switched out.",
    sources: &[("R4", "one-way stamp over a pipe, for processes and for threads")],
    reference: Some(Reference {
        wrong: "a write and the end of a read are in the interval, and nothing counts whether a switch is (E39)",
        right: BESIDE_PROCESSES,
    }),
    how: How::Values,
    rehearse: measure::Rehearse::Nothing,
    points: |_| Point::all("cpu=same"),
    evidence: &[
        "answers = 1: the partner read the clock and answered every time",
        "placed",
    ],
    run: |bench| {
        let (their_input, to) = pipe()?;
        let (from, their_output) = pipe()?;
        let page = Mapping::shared(64)?;
        let clock = Clock::select();
        let their_page = &page;
        let partner = Actor::spawn(bench.peer_cpu(), move || {
            while let Ok(byte) = their_input.read_byte() {
                leave(their_page, clock.stop());
                if their_output.write_byte(byte).is_err() {
                    return 1;
                }
            }
            0
        })?;
        stamps(bench, clock, &mut || {
            let before = clock.start();
            to.write_byte(1)?;
            let answered = from.read_byte()? == 1;
            Ok(answered.then(|| found(&page) - before))
        })?;
        // It has ends of both pipes itself and would never see one closed: it is ended.
        drop(partner);
        Ok(())
    },
    ..REFERENCE
};

/// R0's and R3's switch.
pub static FORK_WAIT_STAMP: Operation = Operation {
    id: "switch.process.fork_wait_timestamp",
    title: "from before a wait until the new child runs",
    one_iteration: "one fork; from the parent's clock before its wait to the child's first reading",
    method: "A process forks and reads the clock before it waits; the child, on the same CPU, reads the clock first of \
             all. The difference is called a switch.",
    confounds: "A new process has no page of its own yet: its first steps are page faults. Where the child runs before \
                its parent goes on, the difference is negative.",
    sources: &[
        ("R0", "fork, wait, stamp"),
        ("R3", "fork, wait, stamp; the smaller of both orders"),
    ],
    reference: Some(Reference {
        wrong: "a new process each time: its first page faults and the start of a wait are in the interval (E39)",
        right: BESIDE_PROCESSES,
    }),
    actors: Actors::Children,
    how: How::Values,
    rehearse: measure::Rehearse::Nothing,
    points: |_| Point::all("cpu=same"),
    evidence: &[
        "answers = 1: every child read the clock and ended",
        "switches 1..10000 (if consistent): the parent gave the CPU away",
    ],
    run: |bench| {
        let page = Mapping::shared(64)?;
        let clock = Clock::select();
        let cpu = bench.cpu();
        stamps(bench, clock, &mut || {
            let child = Actor::spawn(cpu, || {
                leave(&page, clock.stop());
                0
            })?;
            let before = clock.start();
            let ended = child.join()?;
            Ok((ended == Ended::Exited(0)).then(|| found(&page) - before))
        })
    },
    ..REFERENCE
};

/// R1's switch.
pub static FAILED_SEMAPHORE: Operation = Operation {
    id: "switch.thread.failed_semaphore",
    title: "semaphore operations that are refused",
    one_iteration: "one operation on a semaphore that does not exist, and the error that it gives",
    method: "semop on a semaphore that was never made, in a loop. On a system without unnamed semaphores, programs \
             that check nothing time this and call it a switch.",
    confounds: "It is a system call that finds nothing and returns: nobody waits and nobody is woken.",
    sources: &[("R1", "sem_init fails on that system, and nothing was checked")],
    reference: Some(Reference {
        wrong: "the calls fail and the error path is timed: no thread ever waits and no switch happens (E02)",
        right: ("switch.thread.semaphore", "cpu=same"),
    }),
    actors: Actors::One,
    evidence: &[
        "answers = 1: the kernel refused every operation",
        "calls: semop 1",
        "switches.voluntary 0..0.001: nobody waited",
    ],
    run: |bench| {
        bench.slope(&mut |n| {
            let refused = (0..n).filter(|_| take_from_none() == NO_SEMAPHORE);
            Ok(refused.count() as u64)
        })
    },
    ..REFERENCE
};

/// A division by what was assumed.
pub static ASSUMED: Operation = Operation {
    id: "switch.thread.condition.assumed",
    title: "switch by mutex and condition variable, two assumed per round trip",
    one_iteration: "half of a round trip less the calls that made it, taken for one hand-off of the CPU",
    method: "As switch.thread.condition, but the difference is divided by two, which is how many switches a round trip \
             is believed to make.",
    confounds: "Where the woken thread finds the mutex still held, it sleeps again: up to four switches happen.",
    sources: &[
        ("R3", "mutex and condition variable, divided by two"),
        ("lmbench", "lat_ctx divides by the processes in its ring"),
    ],
    reference: Some(Reference {
        wrong: "divided by an assumed number of switches, which the kernel's own count may double (E53)",
        right: ("switch.thread.condition", "cpu=same"),
    }),
    actors: Actors::TwoThreads,
    how: How::SlopeLessControl {
        per: "switches.assumed",
    },
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

/// Yields that are called switches.
pub static YIELD_UNPINNED: Operation = Operation {
    id: "switch.process.yield.unpinned",
    title: "yields of two processes, unpinned",
    one_iteration: "one sched_yield, taken for one switch",
    method: "Two processes that are not pinned yield in a loop; the time of one is divided by its yields.",
    confounds: "On a machine with a free CPU each has one to itself, and no yield leads to a switch.",
    sources: &[("stress-ng", "--yield"), ("UnixBench", "none")],
    reference: Some(Reference {
        wrong: "with a CPU for each process no yield switches to anybody: what is timed is the call (E53, E38)",
        right: ("switch.process.yield", "cpu=same"),
    }),
    gate: record::Gate {
        cpu_share: None,
        involuntary: false,
        shared_core: None,
        ..Operation::GATE
    },
    rehearse: measure::Rehearse::Nothing,
    evidence: &["answers = 1: the kernel took every yield"],
    run: |bench| {
        sys::cpu::unpin()?;
        let page = Mapping::shared(64)?;
        let partner = Actor::spawn(None, || {
            while found(&page) == 0 && give_way().is_ok() {}
            0
        })?;
        bench.slope(&mut |n| Ok((0..n).filter(|_| give_way().is_ok()).count() as u64))?;
        leave(&page, 1);
        partner.join()?;
        Ok(())
    },
    ..REFERENCE
};

/// Takes the stamps of a trial as its samples, in nanoseconds; a stamp that was not taken is an answer missing.
fn stamps(
    bench: &mut Bench<'_>,
    clock: Clock,
    once: &mut dyn FnMut() -> Result<Option<i64>, Failure>,
) -> Result<(), Failure> {
    let born: Moment = clock.moment();
    once()?;
    let ticks = bench.watched(|| (0..STAMPS).map(|_| once()).collect::<Result<Vec<_>, _>>())?;
    let scale = clock.nanos_per_tick(born, clock.moment());
    let samples: Vec<f64> = ticks
        .into_iter()
        .flatten()
        .map(|ticks| ticks as f64 * scale)
        .collect();
    bench.count("answers", samples.len() as f64, STAMPS as f64);
    let cpus = sys::process::cpus_of_actors();
    match cpus {
        Some(cpus) => bench.count("actors.cpus", cpus.len() as f64, 1.0),
        None => bench.cannot_count(
            "actors.cpus",
            "/proc does not tell where a task was last".to_owned(),
        ),
    }
    bench.values(samples);
    Ok(())
}

fn leave(page: &Mapping, stamp: i64) {
    if let Some(word) = page.words().first() {
        word.store(stamp.cast_unsigned(), Ordering::Release);
    }
}

fn found(page: &Mapping) -> i64 {
    page.words()
        .first()
        .map_or(0, |word| word.load(Ordering::Acquire).cast_signed())
}
