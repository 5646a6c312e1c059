//! Readiness of many descriptors: select, poll and epoll over pipes and TCP connections.

use super::CARD;
use measure::{Bench, Failure, Operation, Point};
use sys::readiness::{Ask, Epoll, Poll, Select, Watched};

const WATCH: Operation = Operation {
    one_iteration: "one non-blocking call that must report the last descriptor and no other, or none",
    confounds: "With ready=last one byte in the last descriptor is never read; with ready=none all descriptors are empty. \
                Hundreds of sockets exceed L1, which is part of their cost.",
    spend_ns: 16_000_000,
    bounds: &["floor"],
    ..CARD
};

/// select.
pub static SELECT: Operation = Operation {
    id: "syscall.select",
    title: "one select over many descriptors",
    method: "pselect6 by the system-call instruction with a timeout of 0 and a set of descriptors to read, copied for each \
             call because the kernel overwrites it. Before timing, all descriptors are made ready once, and the call must \
             count them all.",
    sources: &[(
        "lmbench",
        "lat_select; its -n includes the descriptors that are open already, so -n 10 selects two",
    )],
    points: |profile| Point::of_profile(profile, "type=pipe|tcp descriptors=10|100|500 ready=last", EVERY),
    predict: &[
        "floors(1)",
        "software call without descriptors = kernel({counted[syscall.select type={type} descriptors=10 ready=last] \
         - counted[syscall.floor] - 10 / 490 × (counted[syscall.select type={type} descriptors=500 ready=last] \
         - counted[syscall.select type={type} descriptors=10 ready=last])})",
        "software loop over the descriptors = kernel_loop({descriptors / 490 × (counted[syscall.select type={type} descriptors=500 ready=last] \
         - counted[syscall.select type={type} descriptors=10 ready=last])})",
        "type=tcp descriptors=500..: hardware lines of a connection, in L2 = {descriptors} × two_at_once(5) × \
         family.l2_cycles × cycle_ns",
    ],
    evidence: &[
        "ready=last: answers = 1: the last descriptor and no other, every time",
        "ready=none: answers = 1: no descriptor, every time",
        "descriptors = {descriptors}: with all of them ready the call counts them all",
        "linear",
        "calls: pselect6 1",
        "undisturbed",
        // Few iterations of 500 descriptors fit into a trial: the first touches of the worker's own lists count.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, |watched| Ok(Select::new(watched))),
    ..WATCH
};

/// poll.
pub static POLL: Operation = Operation {
    id: "syscall.poll",
    title: "one poll over many descriptors",
    method: "ppoll by the system-call instruction with a timeout of 0 and an entry for each descriptor. Before timing, all \
             are made ready once, and the call must count them all.",
    sources: &[("lmbench", "none: lat_select only"), ("stress-ng", "poll, with other calls")],
    points: |profile| Point::of_profile(profile, FEW, EVERY),
    predict: &[
        "t0 floors(1)",
        // A poll of 500 pipes is the primitive of loops in the kernel.
        "descriptors=..499: t1 floors(1)",
        "type=tcp descriptors=500..: t1 floors(1)",
        "software t0 call without descriptors = kernel({counted[syscall.poll type={type} descriptors=10 ready=last] \
         - counted[syscall.floor] - 10 / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "software t0 loop over the descriptors = kernel_loop({descriptors / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "descriptors=..499: software t1 call without descriptors = kernel({counted[syscall.poll type={type} descriptors=10 ready=last] \
         - counted[syscall.floor] - 10 / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "descriptors=..499: software t1 loop over the descriptors = kernel_loop({descriptors / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "type=tcp descriptors=500..: software t1 call without descriptors = kernel({counted[syscall.poll type={type} descriptors=10 ready=last] \
         - counted[syscall.floor] - 10 / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "type=tcp descriptors=500..: software t1 loop over the descriptors = kernel_loop({descriptors / 490 × (counted[syscall.poll type={type} descriptors=500 ready=last] \
         - counted[syscall.poll type={type} descriptors=10 ready=last])})",
        "type=tcp descriptors=500..: hardware lines of a connection, in L2 = {descriptors} × two_at_once(5) × \
         family.l2_cycles × cycle_ns",
    ],
    evidence: &[
        "ready=last: answers = 1: the last descriptor and no other, every time",
        "ready=none: answers = 1: no descriptor, every time",
        "descriptors = {descriptors}: with all of them ready the call counts them all",
        "linear",
        "calls: ppoll 1",
        "undisturbed",
        // Few iterations of 500 descriptors fit into a trial: the first touches of the worker's own lists count.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, |watched| Ok(Poll::new(watched))),
    ..WATCH
};

/// epoll.
pub static EPOLL: Operation = Operation {
    id: "syscall.epoll_wait",
    title: "one epoll_wait over many descriptors",
    method: "epoll_pwait by the system-call instruction with a timeout of 0 on a set of all descriptors, level-triggered. The \
             kernel keeps a ready list, so the others cost nothing. Before timing, all are made ready once, and the call \
             must count them all.",
    sources: &[("perf bench", "epoll wait: threads that wait for others that write")],
    points: |profile| Point::of_profile(profile, FEW, EVERY),
    predict: &[
        "floors(1)",
        "ready=none: software handler = kernel({counted[syscall.epoll_wait type=pipe descriptors=10 ready=none] \
         - counted[syscall.floor]})",
        "ready=last: software handler = kernel({counted[syscall.epoll_wait type={type} descriptors=10 ready=last] \
         - counted[syscall.floor]})",
    ],
    evidence: &[
        "ready=last: answers = 1: the last descriptor and no other, every time",
        "ready=none: answers = 1: no descriptor, every time",
        "descriptors = {descriptors}: with all of them ready the call counts them all",
        "linear",
        "calls: epoll_pwait 1",
        "undisturbed",
        // Few iterations of 500 descriptors fit into a trial: the first touches of the worker's own lists count.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, Epoll::new),
    ..WATCH
};

/// The points of lmbench and those that show the growth; in the thorough profile every combination.
const FEW: &str = "type=pipe descriptors=10 ready=none|last; type=pipe descriptors=500 ready=last; \
                   type=tcp descriptors=10|500 ready=last";
const EVERY: &str = "type=pipe|tcp descriptors=10|100|500 ready=none|last";

/// Most calls until a loopback socket is ready: data arrives within the sender's call, or soon after.
const MAX_POLLS: usize = 10_000;

/// Makes all ready once and drains them; gives how many the call counted.
fn count_all(watched: &Watched, call: &mut impl Ask) -> Result<usize, Failure> {
    for index in 0..watched.count() {
        watched.make_ready(index)?;
    }
    let mut counted = 0;
    for _ in 0..MAX_POLLS {
        counted = call.ask()?;
        if counted == watched.count() {
            break;
        }
    }
    for index in 0..watched.count() {
        watched.drain(index)?;
    }
    Ok(counted)
}

fn run<W: Ask>(bench: &mut Bench<'_>, make: impl FnOnce(&Watched) -> sys::Result<W>) -> Result<(), Failure> {
    let point = bench.point();
    let (descriptors, is_ready) = (point.number("descriptors")?, point.get("ready") == Some("last"));
    let descriptors = usize::try_from(descriptors).unwrap_or(0);
    let watched = match point.get("type") {
        Some("tcp") => Watched::connections(descriptors)?,
        _ => Watched::pipes(descriptors)?,
    };
    let mut call = make(&watched)?;
    let counted = count_all(&watched, &mut call)?;
    bench.count("descriptors", counted as f64, 1.0);
    let expected = usize::from(is_ready);
    if is_ready {
        watched.make_ready(descriptors.saturating_sub(1))?;
        let mut polls = 0..MAX_POLLS;
        while call.ask()? != expected && polls.next().is_some() {}
    }
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(call.ask()? == expected && call.names_last() == is_ready);
        }
        Ok(right)
    })
}
