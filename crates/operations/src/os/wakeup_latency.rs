//! From the expiry of a timer until the thread that waits for it runs, as cyclictest measures it.

use super::workloads::sleepers::wake_ups;
use measure::{Area, How, Operation, Point, Reference};
use quantity::Quantity;
use record::Need;

const WAKE_UP: Operation = Operation {
    area: Area::Os,
    one_iteration: "one sleep until a moment a millisecond after the last; the value is by how much it came too late",
    quantity: Quantity::Latency,
    how: How::Values,
    needs: |_| vec![Need::Pinning],
    points: |_| Point::all("load=idle|busy"),
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
        let late = wake_ups(bench)?;
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
    points: |_| Point::all("load=idle"),
    run: |bench| {
        let late = wake_ups(bench)?;
        bench.values(late.into_iter().reduce(f64::max).into_iter().collect());
        Ok(())
    },
    ..WAKE_UP
};
