//! Which of many descriptors can be read: select, poll and epoll over pipes and TCP connections.

use super::CARD;
use measure::{Bench, Failure, Operation, Point};
use sys::readiness::{Ask, Epoll, Poll, Select, Watched};

const WATCH: Operation = Operation {
    one_iteration: "one call that does not wait and must report none, or the last descriptor and no other",
    confounds: "With ready=last one byte lies in the last descriptor and is never read; with ready=none there is none, \
                and the call looks at all in vain. Hundreds of sockets do not fit into the first cache, which is part \
                of what they cost.",
    spend_ns: 16_000_000,
    bounds: &["floor"],
    ..CARD
};

/// select.
pub static SELECT: Operation = Operation {
    id: "syscall.select",
    title: "select over many descriptors",
    method: "pselect6 with a time-out of 0 and a set of descriptors to read, copied anew for each call because the \
             kernel overwrites it. Before it is timed, all descriptors are made ready once, and the call must count \
             them all.",
    sources: &[(
        "lmbench",
        "lat_select; its -n counts the descriptors that the program has open already, so -n 10 asks for two",
    )],
    points: |profile| Point::of_profile(profile, "type=pipe|tcp descriptors=10|100|500 ready=last", EVERY),
    predict: &[
        "let call = path(420, 0) (×1.5: time-out and sets copied in (120), open files compared with the set \
         (40), loop begun, answers copied out (120), time told back (140))",
        "type=pipe: let each = path(158, 0) (×1.4: as polled, and its bit looked for in three sets: 158 \
         instructions counted in an emulator (Linux 6.12))",
        "type=tcp: let each = 234 cycles (×1.5: lmbench's select over TCP connections on a Zen 5 of 4.5 GHz: \
         (26 − 5) µs for 400 descriptors)",
        "t0 floors(1)",
        "software t0 the call = call × cycle_ns",
        "software t0 every descriptor = {descriptors} × each × cycle_ns",
        "descriptors=..10: t1 floors(1)",
        "descriptors=..10: software t1 the call = call × cycle_ns",
        "descriptors=..10: software t1 every descriptor = {descriptors} × each × cycle_ns",
        "descriptors=11..: hardware t1 the same with ten descriptors = [syscall.select type={type} \
         descriptors=10 ready={ready}]",
        "descriptors=11..: software t1 every further descriptor = {descriptors - 10} × each × cycle_ns",
    ],
    evidence: &[
        "ready=last: answers = 1: the kernel reported the last descriptor and no other, every time",
        "ready=none: answers = 1: the kernel reported none, every time",
        "descriptors = {descriptors}: when all were ready, the kernel counted so many: it is asked for them \
         all",
        "linear",
        "calls: pselect6 1",
        "undisturbed",
        // Of five hundred descriptors few iterations fit into a trial, whose lists of times take a few pages.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, |watched| Ok(Select::new(watched))),
    ..WATCH
};

/// poll.
pub static POLL: Operation = Operation {
    id: "syscall.poll",
    title: "poll over many descriptors",
    method: "ppoll with a time-out of 0 and an entry for each descriptor to read. Before it is timed, all are made \
             ready once, and the call must count them all.",
    sources: &[
        ("lmbench", "none: lat_select only"),
        ("stress-ng", "poll, with other calls"),
    ],
    points: |profile| Point::of_profile(profile, FEW, EVERY),
    predict: &[
        "let call = path(300, 0) (×1.5: time-out copied in (80), entries copied in (60), answers copied out \
         (20), time told back (140))",
        "type=pipe: let each = path(113, 0) (×1.4: a descriptor's file found, its poll called, its state \
         looked at, the answer noted: 113 instructions counted in an emulator (Linux 6.12))",
        "type=tcp: let each = 234 cycles (×1.5: lmbench's select over TCP connections on a Zen 5 of 4.5 GHz: \
         (26 − 5) µs for 400 descriptors)",
        "t0 floors(1)",
        "software t0 the call = call × cycle_ns",
        "software t0 every descriptor = {descriptors} × each × cycle_ns",
        "descriptors=..10: t1 floors(1)",
        "descriptors=..10: software t1 the call = call × cycle_ns",
        "descriptors=..10: software t1 every descriptor = {descriptors} × each × cycle_ns",
        "descriptors=11..: hardware t1 the same with ten descriptors = [syscall.poll type={type} \
         descriptors=10 ready={ready}]",
        "descriptors=11..: software t1 every further descriptor = {descriptors - 10} × each × cycle_ns",
    ],
    evidence: &[
        "ready=last: answers = 1: the kernel reported the last descriptor and no other, every time",
        "ready=none: answers = 1: the kernel reported none, every time",
        "descriptors = {descriptors}: when all were ready, the kernel counted so many: it is asked for them \
         all",
        "linear",
        "calls: ppoll 1",
        "undisturbed",
        // Of five hundred descriptors few iterations fit into a trial, whose lists of times take a few pages.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, |watched| Ok(Poll::new(watched))),
    ..WATCH
};

/// epoll.
pub static EPOLL: Operation = Operation {
    id: "syscall.epoll_wait",
    title: "epoll over many descriptors",
    method: "epoll_pwait with a time-out of 0 on a set to which every descriptor was added once, level-triggered. The \
             kernel keeps a list of those that may be ready, so that the others cost nothing. Before it is timed, all \
             are made ready once, and the call must count them all.",
    sources: &[(
        "perf bench",
        "epoll wait: threads that wait for others that write",
    )],
    points: |profile| Point::of_profile(profile, FEW, EVERY),
    predict: &[
        "let call = path(130, 0) (×1.5: the set's file found and checked, list of the ready looked at \
         without a lock)",
        "let ready = path(300, 8) (×1.6: mutex and two locks around the list, the descriptor asked again, \
         its event copied out, put back into the list)",
        "t0 floors(1)",
        "ready=none: software t0 the call = call × cycle_ns",
        "ready=last: software t0 the call = (call + ready) × cycle_ns",
        "descriptors=..10: t1 floors(1)",
        "descriptors=..10 ready=none: software t1 the call = call × cycle_ns",
        "descriptors=..10 ready=last: software t1 the call = (call + ready) × cycle_ns",
        // The kernel looks at those that are ready, however many the others are.
        "descriptors=11..: hardware t1 the same with ten descriptors = [syscall.epoll_wait type={type} \
         descriptors=10 ready={ready}]",
    ],
    evidence: &[
        "ready=last: answers = 1: the kernel reported the last descriptor and no other, every time",
        "ready=none: answers = 1: the kernel reported none, every time",
        "descriptors = {descriptors}: when all were ready, the kernel counted so many: it is asked for them \
         all",
        "linear",
        "calls: epoll_pwait 1",
        "undisturbed",
        // Of five hundred descriptors few iterations fit into a trial, whose lists of times take a few pages.
        "descriptors=..499: no new pages",
        "descriptors=500..: no new pages but(0.05)",
    ],
    run: |bench| run(bench, Epoll::new),
    ..WATCH
};

/// What lmbench's users know, and what shows the growth; and every choice, where there is time.
const FEW: &str = "type=pipe descriptors=10 ready=none|last; type=pipe descriptors=500 ready=last; \
                   type=tcp descriptors=10|500 ready=last";
const EVERY: &str = "type=pipe|tcp descriptors=10|100|500 ready=none|last";

/// Looks at loopback sockets that are not ready yet, at most: what was sent arrives within the sender's call, or
/// soon after it.
const MOST_LOOKS: usize = 10_000;

/// Makes all ready once; gives how many the kernel counts, and takes away what made them ready.
fn count_all(watched: &Watched, way: &mut impl Ask) -> Result<usize, Failure> {
    for index in 0..watched.count() {
        watched.make_ready(index)?;
    }
    let mut counted = 0;
    for _ in 0..MOST_LOOKS {
        counted = way.ask()?;
        if counted == watched.count() {
            break;
        }
    }
    for index in 0..watched.count() {
        watched.drain(index)?;
    }
    Ok(counted)
}

fn run<W: Ask>(bench: &mut Bench<'_>, way: impl FnOnce(&Watched) -> sys::Result<W>) -> Result<(), Failure> {
    let point = bench.point();
    let (descriptors, is_ready) = (point.number("descriptors")?, point.get("ready") == Some("last"));
    let descriptors = usize::try_from(descriptors).unwrap_or(0);
    let watched = match point.get("type") {
        Some("tcp") => Watched::connections(descriptors)?,
        _ => Watched::pipes(descriptors)?,
    };
    let mut way = way(&watched)?;
    let counted = count_all(&watched, &mut way)?;
    bench.count("descriptors", counted as f64, 1.0);
    let expected = usize::from(is_ready);
    if is_ready {
        watched.make_ready(descriptors.saturating_sub(1))?;
        let mut looks = 0..MOST_LOOKS;
        while way.ask()? != expected && looks.next().is_some() {}
    }
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(way.ask()? == expected && way.names_last() == is_ready);
        }
        Ok(right)
    })
}
