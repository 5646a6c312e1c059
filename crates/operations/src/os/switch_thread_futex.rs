//! Handing the CPU from one thread to another of the same process, by futex.

use measure::{Actors, Area, Bench, Failure, How, Operation, Point, Work, counted, term, told_cycles};
use measure::{placed, undisturbed, work_done};
use record::{Formula, Prediction, Side, Witness};
use std::sync::atomic::{AtomicU32, Ordering};
use sys::futex;
use sys::usage::CpuClock;

/// A switch between threads over a futex.
pub static OPERATION: Operation = Operation {
    id: "switch.thread.futex",
    area: Area::Os,
    title: "switch to another thread",
    one_iteration: "one hand-off of the CPU: half of a round trip, less the system calls that made it",
    method: "Two threads wake each other in turns: store, FUTEX_WAKE, FUTEX_WAIT. In turns with them one thread \
             makes the same four calls with nobody to wake and nothing to wait for. The difference, divided by the \
             switches that the kernel counted, is the cost of one.",
    confounds: "On two CPUs a wake-up can find its peer still awake: no switch happens and a round trip takes half \
                a microsecond instead of tens (E54). The division is by counted switches, and the modes are shown.",
    sources: &[
        ("R0", "mutex hand-off"),
        ("R1", "semaphore"),
        ("R3", "mutex and condition variable"),
        ("R2", "pipe between threads"),
        ("R4", "pipe between threads"),
        ("perf bench", "futex wake, sched messaging: other shapes"),
    ],
    actors: Actors::TwoThreads,
    how: How::SlopeLessControl { per: "switches" },
    points: |_| Point::placements(),
    predict: |point| {
        let mut terms = super::switch_process_pipe::hand_off_from_facts(point);
        terms.retain(|term| term.name != "change of address space");
        terms.insert(
            0,
            term(
                Side::Hardware,
                "registers and return stack",
                told_cycles(Formula::cited(
                    100.0,
                    2.0,
                    "save and restore of callee-saved registers, return stack refill",
                )),
            ),
        );
        Prediction {
            from_facts: terms,
            from_parts: Vec::new(),
        }
    },
    witnesses,
    bounds: |_| super::switch_process_pipe::least_of_a_switch(),
    run,
    spend_ns: 20_000_000,
    ..Operation::NEW
};

fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all = work_done("every wake-up was answered");
    let (low, high, proves) = match point.get("cpu") {
        Some("same") => (
            1.95,
            2.2,
            "each side gave the CPU to the other once per round trip",
        ),
        _ => (1.5, 4.5, "both sides slept and were woken"),
    };
    all.extend(counted("switches", low, high, proves));
    for (counter, low, high, proves) in [
        (
            "calls.futex",
            1.8,
            4.5,
            "both sides call futex to wake and to wait",
        ),
        ("calls", 1.8, 4.5, "the kernel was asked for nothing else"),
    ] {
        all.push(Witness {
            counter: counter.to_owned(),
            origin: record::Origin::Rehearsal,
            low,
            high,
            positive: counter == "calls.futex",
            proves: proves.to_owned(),
        });
    }
    all.extend(placed(point));
    all.extend(undisturbed());
    all
}

/// The value that ends the partner; turns count up from 1 and never reach it.
const QUIT: u32 = u32::MAX;

/// The two words over which the threads meet, each on a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Word(AtomicU32);

/// The kernel's negative result as the error it stands for.
fn refused(result: isize) -> Failure {
    let errno = i32::try_from(-result).unwrap_or(0);
    sys::Error { call: "futex", errno }.into()
}

fn pass(word: &Word, turn: u32) -> Result<(), Failure> {
    word.0.store(turn, Ordering::Release);
    match futex::wake_one(&word.0) {
        0.. => Ok(()),
        error => Err(refused(error)),
    }
}

/// Waits until the word has left `seen`; gives what it holds then.
fn take(word: &Word, seen: u32) -> Result<u32, Failure> {
    loop {
        let now = word.0.load(Ordering::Acquire);
        if now != seen {
            return Ok(now);
        }
        match futex::wait(&word.0, seen) {
            0 | futex::CHANGED => {}
            error => return Err(refused(error)),
        }
    }
}

fn answer(ping: &Word, pong: &Word) {
    let mut seen = 0;
    while let Ok(turn) = take(ping, seen) {
        if turn == QUIT || pass(pong, turn).is_err() {
            return;
        }
        seen = turn;
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (ping, pong, idle) = (Word::default(), Word::default(), Word::default());
    let peer_cpu = bench.peer_cpu();
    sys::thread::beside(
        peer_cpu,
        || answer(&ping, &pong),
        || {
            let result = lead(bench, &ping, &pong, &idle);
            // The partner must end whatever happened here.
            let ended = pass(&ping, QUIT);
            result.and(ended)
        },
    )?
}

fn lead(bench: &mut Bench<'_>, ping: &Word, pong: &Word, idle: &Word) -> Result<(), Failure> {
    let mut turn = 0;
    let mut main = |n| {
        let mut right = 0;
        for _ in 0..n {
            let before = turn;
            turn = (turn + 1) % QUIT;
            pass(ping, turn)?;
            right += u64::from(take(pong, before)? == turn);
        }
        Ok(right)
    };
    let mut alone = |n| {
        let mut right = 0;
        for _ in 0..n {
            for _ in 0..2 {
                pass(idle, 1)?;
                right += u64::from(futex::wait(&idle.0, 0) == futex::CHANGED);
            }
        }
        Ok(right / 2)
    };
    bench.batches(Work {
        main: &mut main,
        control: Some(&mut alone),
        side_by_side: 1,
        multiple_of: 1,
        cpu: vec![CpuClock::PROCESS],
        others: None,
    })
}
