//! Readiness of many descriptors: select, poll and epoll over pipes and TCP connections.

use super::CARD;
use measure::{Operation, takes};
use sys::readiness::{Epoll, Poll, Select};
use workloads::os::readiness::{DescriptorSet, Readiness, find_last, replace_last};

const WATCH: Operation = Operation {
    one_iteration: "one non-blocking call that must report the last descriptor and no other, or none",
    confounds: "With ready=last one byte in the last descriptor is never read; with ready=none all descriptors are empty. \
                Hundreds of sockets exceed L1, which is part of their cost.",
    spend_ns: 16_000_000,
    parameters: takes::<Readiness>,
    ..CARD
};

/// select.
pub static SELECT: Operation = Operation {
    id: "syscall.select",
    title: "one select over many descriptors",
    method: "pselect6 by the system-call instruction with a timeout of 0 and a set of descriptors to read, copied for each \
             call because the kernel overwrites it. Before timing, all descriptors are made ready once, and the call must \
             count them all.",
    sources: &[
        (
            "lmbench",
            "lat_select; its -n includes the descriptors that are open already, so -n 10 selects two",
        ),
        ("libMicro", "select -n 10 to 1000, of which -w are ready"),
    ],
    points: &["profile!=thorough: type=pipe|tcp descriptors=10|100|500 ready=last", EVERY],
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
    evidence: &["last descriptor found", "calls: pselect6 1"],
    run: |bench| find_last(bench, |watched| Ok(Select::new(watched))),
    ..WATCH
};

/// poll.
pub static POLL: Operation = Operation {
    id: "syscall.poll",
    title: "one poll over many descriptors",
    method: "ppoll by the system-call instruction with a timeout of 0 and an entry for each descriptor. Before timing, all \
             are made ready once, and the call must count them all.",
    sources: &[
        ("lmbench", "none: lat_select only"),
        ("stress-ng", "--poll: poll, ppoll, select and pselect of pipes, operations per second"),
        ("libMicro", "poll -n 10 to 1000, of which -w are ready"),
        ("will-it-scale", "poll1, poll2: 1 and 128 files, all ready"),
    ],
    points: &[FEW, EVERY],
    predict: &[
        "t0 poll of descriptors",
        // A poll of 500 pipes is the primitive of loops in the kernel.
        "descriptors=..499: t1 poll of descriptors",
        "type=tcp descriptors=500..: t1 poll of descriptors",
        "type=tcp descriptors=500..: hardware lines of a connection, in L2 = {descriptors} × two_at_once(5) × \
         family.l2_cycles × cycle_ns",
    ],
    evidence: &["last descriptor found", "calls: ppoll 1"],
    run: |bench| find_last(bench, |watched| Ok(Poll::new(watched))),
    ..WATCH
};

/// epoll.
pub static EPOLL: Operation = Operation {
    id: "syscall.epoll_wait",
    title: "one epoll_wait over many descriptors",
    method: "epoll_pwait by the system-call instruction with a timeout of 0 on a set of all descriptors, level-triggered. The \
             kernel keeps a ready list, so the others cost nothing. Before timing, all are made ready once, and the call \
             must count them all.",
    sources: &[(
        "perf bench",
        "epoll wait: threads that wait for a writer and read each event; operations per second",
    )],
    points: &[FEW, EVERY, "profile=thorough: type=eventfd descriptors=10|10000|100000 ready=last"],
    predict: &[
        "floors(1)",
        "ready=none: software handler = kernel({counted[syscall.epoll_wait type=pipe descriptors=10 ready=none] \
         - counted[syscall.floor]})",
        "type=pipe|tcp ready=last: software handler = kernel({counted[syscall.epoll_wait type={type} descriptors=10 ready=last] \
         - counted[syscall.floor]})",
        "type=eventfd ready=last: software handler = kernel({counted[syscall.epoll_wait type=pipe descriptors=10 ready=last] \
         - counted[syscall.floor]})",
    ],
    evidence: &["last descriptor found", "calls: epoll_pwait 1"],
    run: |bench| find_last(bench, Epoll::new),
    ..WATCH
};

/// epoll_ctl.
pub static EPOLL_CTL: Operation = Operation {
    id: "syscall.epoll_ctl",
    title: "epoll_ctl: a descriptor taken out of a set of n and put back",
    one_iteration: "one EPOLL_CTL_DEL and one EPOLL_CTL_ADD of the last of n descriptors, which is ready",
    method: "By the system-call instruction. Before timing, all are made ready once, and epoll_pwait must count them all; after each \
             batch it must report the last and no other.",
    confounds: "A descriptor that is ready goes to the list of those that are reported. The set is a tree; the way to one descriptor \
                stays in the caches.",
    sources: &[(
        "perf bench",
        "epoll ctl: threads that add, change and delete descriptors at random; operations per second",
    )],
    parameters: takes::<DescriptorSet>,
    points: &[
        "profile!=thorough: type=pipe descriptors=10|500",
        "profile=thorough: type=pipe descriptors=10|500; type=eventfd descriptors=10|500|10000|100000",
    ],
    predict: &[
        "floors(2)",
        "software two descriptors found, entry freed and made, tree and lists changed = path(1100, 20) (×2: some 500 instructions for \
         each call: two files looked up, two locks, a tree, an allocation) × cycle_ns",
    ],
    evidence: &[
        "descriptors = {descriptors}: the set counted every descriptor",
        "answers = 1: the last was in the set after every batch",
        "calls: epoll_ctl 2",
    ],
    bounds: &["floors(2)"],
    run: replace_last,
    ..WATCH
};

/// The points of lmbench and those that show the growth; in the thorough profile every combination.
const FEW: &str = "profile!=thorough: type=pipe descriptors=10 ready=none|last; type=pipe descriptors=500 ready=last; \
                   type=tcp descriptors=10|500 ready=last";
const EVERY: &str = "profile=thorough: type=pipe|tcp descriptors=10|100|500 ready=none|last";
