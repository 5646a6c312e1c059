//! What connections should cost: the kernel's paths, and how they are put together.

use super::parts::TCP as TCP_PARTS;
use super::points;
use crate::os::exchange::hand_off;
use crate::os::syscall::{self, Path};
use measure::{Point, core_cycles, term, told_cycles};
use record::{Formula, Prediction, Side, Term};

/// What connect() of a new socket takes.
pub(super) const OPEN: Path = Path {
    instructions: 15_000.0,
    locked: 110.0,
    within: 1.6,
    source: "a port chosen, a route looked up, the SYN sent (3000); through the layers down and up three times (6500); a request kept, answered, made a socket of, hashed and queued (4000); the answer dealt with, timers (1500)",
};

/// What close() of a connection takes.
pub(super) const FIN: Path = Path {
    instructions: 7_500.0,
    locked: 60.0,
    within: 1.6,
    source: "the file given up, the FIN queued and sent (1500); down and up twice, with the acknowledgement (4300); the other side's state changed and its reader woken (1000), timers (700)",
};

/// What accept() takes.
pub(super) const ACCEPT: Path = Path {
    instructions: 3_000.0,
    locked: 24.0,
    within: 1.6,
    source: "a socket's inode, file and descriptor allocated and entered (2500), the queue's lock and head (500)",
};

/// Cycles of a path that was not walked for a while: its instructions and what they touch come from the second cache.
pub(super) fn cold(path: &Path) -> Formula {
    let lines = (path.instructions * (4.2 + 1.8) / 64.0).round();
    let source = "instructions of 4.2 bytes and 1.8 bytes of data for each, in lines of 64, which a path of that length does not find in the first cache";
    let fetched = Formula::cited(lines, 1.6, source).by(Formula::fact("family.l2_cycles"));
    path.formula().plus(fetched)
}

/// A byte there and back on a connection that stands.
pub(super) fn round_trip(point: &Point) -> Term {
    let two = hand_off(point, "switch.process.eventfd", 2.0).formula;
    let formula = TCP_PARTS.way().times(2.0).plus(two);
    term(Side::Software, "a byte there and back", formula)
}

/// To another machine: this end's calls, the SYN's way there and back as ping has it where it is waited for, and a round
/// trip of a byte where the connection is used.
fn predict_remote(calls: f64, path: &Path, is_used: bool) -> Prediction {
    let mut from_parts = vec![
        syscall::floors(calls),
        term(
            Side::Software,
            "this end's segments, sockets, timers",
            core_cycles(cold(path).times(0.5)),
        ),
    ];
    if path.source != FIN.source {
        let ping = Formula::part(
            "network.round_trip.icmp",
            &points::remote().with("bytes", 56).text(),
        );
        from_parts.push(term(
            Side::Hardware,
            "the SYN's way there and back, as ping has it",
            ping,
        ));
    }
    if is_used {
        let trip = Formula::part(
            "network.round_trip.tcp",
            &points::remote().with("bytes", 1).text(),
        );
        from_parts.push(term(Side::Hardware, "a byte there and back", trip));
    }
    Prediction {
        from_facts: Vec::new(),
        from_parts,
    }
}

/// So many calls more than the round trip's, what making a connection takes, and what else.
pub(super) fn predict(point: &Point, path: &Path, calls: f64, more: Vec<Term>) -> Prediction {
    if points::is_remote(point) {
        return predict_remote(calls, path, !more.is_empty());
    }
    let mut from_facts = syscall::floors_from_facts(calls);
    from_facts.push(term(
        Side::Software,
        "segments, sockets, timers",
        told_cycles(cold(path)),
    ));
    if !more.is_empty() {
        let and = TCP_PARTS.message.formula().times(2.0).plus(ACCEPT.formula());
        from_facts.push(term(
            Side::Software,
            "a byte there and back, accept",
            told_cycles(and),
        ));
        let switches = Formula::cited(3_000.0, 2.0, "two switches of some 1 500 instructions");
        from_facts.push(term(Side::Software, "two hand-offs", told_cycles(switches)));
    }
    let mut from_parts = vec![
        syscall::floors(calls),
        term(
            Side::Software,
            "segments, sockets, timers",
            core_cycles(cold(path)),
        ),
    ];
    if !points::is_on_one_cpu(point) {
        // Whoever reads there is asleep: the interrupt that wakes it leaves the guest.
        for terms in [&mut from_facts, &mut from_parts] {
            let exit = Formula::fact("hypervisor.exit_ns");
            terms.push(term(
                Side::Software,
                "the hypervisor takes the interrupt to the other CPU",
                exit,
            ));
        }
    }
    from_parts.extend(more);
    Prediction {
        from_facts,
        from_parts,
    }
}
