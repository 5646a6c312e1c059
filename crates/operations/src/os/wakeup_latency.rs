//! From the expiry of a timer until the thread that waits for it runs, as cyclictest measures it.

use super::workloads::sleepers::{self, now};
use measure::{Area, Bench, Failure, How, Operation, Point, Reference};
use quantity::Quantity;
use record::Need;
use std::sync::atomic::Ordering;
use sys::memory::Mapping;
use sys::process::Actor;
use sys::sleep::{self, Method, Sleeper};
use sys::usage::CpuClock;

const WAKE_UP: Operation = Operation {
    area: Area::Os,
    one_iteration: "one sleep until a moment a millisecond after the last; the value is by how much it came too late",
    quantity: Quantity::Latency,
    how: How::Values,
    needs: |_| vec![Need::Pinning],
    points: |_| {
        ["idle", "busy"]
            .map(|load| Point::only().with("load", load))
            .to_vec()
    },
    evidence: &[
        "sleeps(0.95)",
        "load=busy: sibling.cpu_share 0.2..1.02 (if consistent): the sibling had the CPU while the thread slept",
    ],
    bounds: &[
        "> 300 cycles × cycle_ns: an interrupt, a wake-up and a switch lie between the timer and the thread",
    ],
    spend_ns: 30_000_000,
    ..Operation::NEW
};

/// How late the thread runs.
pub static LATENCY: Operation = Operation {
    id: "wakeup.latency",
    title: "from a timer's expiry until the thread runs",
    method: "clock_nanosleep until absolute moments of the monotonic clock a millisecond apart, with the timer slack \
             set to 1 ns; what the clock says afterwards less the moment asked for. With load=busy a sibling process \
             of the same priority computes on the same CPU. Every wake-up is a value; the record's evidence has the \
             9th decile and the latest of each trial.",
    confounds: "The scheduler is the ordinary one: cyclictest is run with a real-time priority, which hides what \
                other programs do. An idle CPU has to be woken, in a virtual machine by the hypervisor; a busy one \
                has not, but must take the CPU from its sibling.",
    sources: &[
        (
            "cyclictest",
            "clock_nanosleep with absolute time, 1 ms, shows minimum, mean and maximum",
        ),
        ("stress-ng", "--cyclic: the same with several clocks"),
    ],
    predict: &[
        "a timer's wake-up",
        "load=idle: software t1 wake-up and switch as by another thread = [switch.thread.futex cpu=other]",
        "load=busy: software t1 wake-up and switch as by another thread = [switch.thread.futex cpu=same]",
        "software t1 return from the sleep = [syscall.floor]",
        "load=idle: hardware t1 the hypervisor has put the CPU to sleep, having polled for less than a millisecond = \
         hypervisor.exit_ns",
        "load=busy: hardware t1 the hypervisor brings the interrupt = 2 × hypervisor.exit_ns",
    ],
    run: |bench| {
        let late = observe(bench)?;
        bench.values(late);
        Ok(())
    },
    ..WAKE_UP
};

/// The latest of a few as "the latency".
pub static MAXIMUM: Operation = Operation {
    id: "wakeup.latency.maximum",
    title: "the latest of thirty wake-ups",
    method: "As wakeup.latency; the value of a trial is the latest of its wake-ups.",
    confounds: "It grows with the number of wake-ups that are watched.",
    sources: &[("cyclictest", "its Max is quoted as the latency of a kernel")],
    reference: Some(Reference {
        wrong: "the maximum is not a property of the machine but of how long one watches: twice the time gives a \
                larger one, and one other program gives any",
        right: ("wakeup.latency", "load=idle"),
    }),
    points: |_| vec![Point::only().with("load", "idle")],
    run: |bench| {
        let late = observe(bench)?;
        bench.values(late.into_iter().reduce(f64::max).into_iter().collect());
        Ok(())
    },
    ..WAKE_UP
};

/// Time between two moments that are slept for.
const PERIOD_NS: i64 = 1_000_000;

/// Wake-ups in a trial.
const WAKE_UPS: usize = 30;

/// Longest that the sibling computes, if nobody ends it: a trial takes a hundredth of this.
const LONGEST_LOAD_NS: i64 = 5_000_000_000;

fn observe(bench: &mut Bench<'_>) -> Result<Vec<f64>, Failure> {
    let sleeper = Sleeper::new(Method::ClockNanosleep)?;
    if bench.is_rehearsal() {
        bench.each(false, &mut || Ok(sleeper.sleep(0, 1).map(|()| 1)?))?;
        return Ok(Vec::new());
    }
    let sibling = match bench.point().get("load") {
        Some("busy") => Some(compute_beside(bench)?),
        _ => None,
    };
    sleep::set_slack(1)?;
    let cpu = sibling
        .as_ref()
        .map(|sibling| CpuClock::of_process(sibling.pid()));
    let used = || cpu.and_then(CpuClock::nanos);
    let (began, before) = (now()?, used());
    let mut due = began;
    let late = sleepers::observe(bench, WAKE_UPS, || {
        due = (due + PERIOD_NS).max(now()? + PERIOD_NS / 2);
        sleep::until(due)?;
        Ok(now()? - due)
    })?;
    let wall = now()? - began;
    if let Some((after, before)) = used().zip(before) {
        bench.count("sibling.cpu_share", (after - before) as f64 / wall as f64, 1.0);
    }
    Ok(late)
}

/// A process that computes on the CPU of the caller; it runs when this returns.
fn compute_beside(bench: &Bench<'_>) -> Result<Actor, Failure> {
    let page = Mapping::shared(8)?;
    let end = now()? + LONGEST_LOAD_NS;
    let running = || page.words().iter().take(1);
    let sibling = Actor::spawn(bench.cpu(), || {
        running().for_each(|word| word.store(1, Ordering::Release));
        while now().is_ok_and(|now| now < end) {
            std::hint::black_box(sys::arch::dependent_adds(1_000));
        }
        0
    })?;
    while now()? < end && running().any(|word| word.load(Ordering::Acquire) == 0) {
        sleep::until(now()? + PERIOD_NS / 10)?;
    }
    Ok(sibling)
}
