//! Which of many descriptors can be read: select, poll and epoll over pipes and TCP connections.

use super::{Path, at_least_floors, floors, floors_from_facts};
use measure::{
    Area, Bench, Failure, Operation, Point, calls, core_cycles, counted, linear, term, told_cycles,
};
use measure::{no_new_pages_but, undisturbed, work_done};
use record::{Formula, Prediction, Profile, Side, Witness};
use sys::readiness::{Ask, Epoll, Poll, Select, Watched};

const WATCH: Operation = Operation {
    area: Area::Os,
    one_iteration: "one call that does not wait and must report none, or the last descriptor and no other",
    confounds: "With ready=last one byte lies in the last descriptor and is never read; with ready=none there is none, \
                and the call looks at all in vain. Hundreds of sockets do not fit into the first cache, which is part \
                of what they cost.",
    spend_ns: 16_000_000,
    computed_bounds: |_| at_least_floors(1.0),
    ..Operation::NEW
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
    points: |profile| points(profile, true),
    computed_prediction: |point| predict(point, &SELECT_COST),
    computed_witnesses: |point| witnesses(point, "pselect6"),
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
    points: |profile| points(profile, false),
    computed_prediction: |point| predict(point, &POLL_COST),
    computed_witnesses: |point| witnesses(point, "ppoll"),
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
    points: |profile| points(profile, false),
    computed_prediction: |point| predict(point, &EPOLL_COST),
    computed_witnesses: |point| witnesses(point, "epoll_pwait"),
    run: |bench| run(bench, Epoll::new),
    ..WATCH
};

fn point(kind: &str, descriptors: u64, ready: &str) -> Point {
    Point::only()
        .with("kind", kind)
        .with("descriptors", descriptors)
        .with("ready", ready)
}

/// Everything in the thorough profile; otherwise what lmbench's users know, and what shows the growth.
fn points(profile: Profile, all_sizes: bool) -> Vec<Point> {
    let mut points = Vec::new();
    for kind in ["pipe", "tcp"] {
        for descriptors in [10, 100, 500] {
            for ready in ["none", "last"] {
                let is_few = (ready == "last" && (all_sizes || descriptors != 100))
                    || (ready == "none" && kind == "pipe" && descriptors == 10 && !all_sizes);
                if is_few || profile == Profile::Thorough {
                    points.push(point(kind, descriptors, ready));
                }
            }
        }
    }
    points
}

/// What a way to ask costs: per call, when one is ready, and per descriptor.
struct Cost {
    id: &'static str,
    call: Path,
    when_ready: Path,
    pipe: Path,
    /// Whether the call looks at every descriptor.
    looks_at_all: bool,
}

const NO_MORE: Path = Path {
    instructions: 0.0,
    locked: 0.0,
    within: 1.0,
    source: "nothing more",
};

/// A pipe's answer: descriptor to file, an indirect call, two indices compared.
///
/// Counted in an emulator (Linux 6.12 of Debian 13, QEMU with -icount), from 100 to 500 pipes.
const POLLED_PIPE: Path = Path {
    instructions: 113.0,
    locked: 0.0,
    within: 1.4,
    source: "a descriptor's file found, its poll called, its state looked at, the answer noted: 113 instructions counted \
             in an emulator (Linux 6.12)",
};
const SELECTED_PIPE: Path = Path {
    instructions: 158.0,
    source: "as polled, and its bit looked for in three sets: 158 instructions counted in an emulator (Linux 6.12)",
    ..POLLED_PIPE
};

const SELECT_COST: Cost = Cost {
    id: "syscall.select",
    call: Path {
        instructions: 420.0,
        locked: 0.0,
        within: 1.5,
        source: "time-out and sets copied in (120), open files compared with the set (40), loop begun, answers copied \
                 out (120), time told back (140)",
    },
    when_ready: NO_MORE,
    pipe: SELECTED_PIPE,
    looks_at_all: true,
};

const POLL_COST: Cost = Cost {
    id: "syscall.poll",
    call: Path {
        instructions: 300.0,
        locked: 0.0,
        within: 1.5,
        source: "time-out copied in (80), entries copied in (60), answers copied out (20), time told back (140)",
    },
    when_ready: NO_MORE,
    pipe: POLLED_PIPE,
    looks_at_all: true,
};

const EPOLL_COST: Cost = Cost {
    id: "syscall.epoll_wait",
    call: Path {
        instructions: 130.0,
        locked: 0.0,
        within: 1.5,
        source: "the set's file found and checked, list of the ready looked at without a lock",
    },
    when_ready: Path {
        instructions: 300.0,
        locked: 8.0,
        within: 1.6,
        source: "mutex and two locks around the list, the descriptor asked again, its event copied out, put back into \
                 the list",
    },
    pipe: Path {
        instructions: 65.0,
        source: "its poll called by the item that holds its file, its state looked at, the answer noted",
        ..POLLED_PIPE
    },
    looks_at_all: false,
};

/// Cycles per descriptor of this kind.
fn each(kind: &str, cost: &Cost) -> Formula {
    if kind == "pipe" {
        return cost.pipe.formula();
    }
    let source =
        "lmbench's select over TCP connections on a Zen 5 of 4.5 GHz: (26 − 5) µs for 400 descriptors";
    Formula::cited(234.0, 1.5, source)
}

fn parameters(point: &Point) -> (&str, f64, bool) {
    let descriptors = point.number("descriptors").unwrap_or(0) as f64;
    (
        point.get("kind").unwrap_or("pipe"),
        descriptors,
        point.get("ready") == Some("last"),
    )
}

fn predict(point_asked: &Point, cost: &Cost) -> Prediction {
    let (kind, descriptors, is_ready) = parameters(point_asked);
    let looked_at = |all: f64| if cost.looks_at_all { all } else { 0.0 };
    let ready = if is_ready { &cost.when_ready } else { &NO_MORE };
    let call = || cost.call.formula().plus(ready.formula());
    let mut from_facts = floors_from_facts(1.0);
    from_facts.push(term(Side::Software, "the call", told_cycles(call())));
    from_facts.push(term(
        Side::Software,
        "every descriptor",
        told_cycles(each(kind, cost).times(looked_at(descriptors))),
    ));
    let from_parts = if descriptors > 10.0 {
        let ten = point(kind, 10, point_asked.get("ready").unwrap_or("last"));
        vec![
            term(
                Side::Hardware,
                "the same with ten descriptors",
                Formula::part(cost.id, &ten.text()),
            ),
            term(
                Side::Software,
                "every further descriptor",
                core_cycles(each(kind, cost).times(looked_at(descriptors - 10.0))),
            ),
        ]
    } else {
        vec![
            floors(1.0),
            term(Side::Software, "the call", core_cycles(call())),
            term(
                Side::Software,
                "every descriptor",
                core_cycles(each(kind, cost).times(looked_at(descriptors))),
            ),
        ]
    };
    Prediction {
        from_facts,
        from_parts,
    }
}

fn witnesses(point: &Point, call: &str) -> Vec<Witness> {
    let (_, descriptors, is_ready) = parameters(point);
    let mut all = work_done(if is_ready {
        "the kernel reported the last descriptor and no other, every time"
    } else {
        "the kernel reported none, every time"
    });
    all.extend(counted(
        "descriptors",
        descriptors,
        descriptors,
        "when all were ready, the kernel counted so many: it is asked for them all",
    ));
    all.extend(linear());
    all.extend(calls(&[(call, 1.0)]));
    all.extend(undisturbed());
    // Of five hundred descriptors few iterations fit into a trial, whose lists of times take a few pages.
    let pages = if descriptors < 500.0 { 0.01 } else { 0.05 };
    all.extend(no_new_pages_but(pages));
    all
}

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
    let watched = match point.get("kind") {
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
