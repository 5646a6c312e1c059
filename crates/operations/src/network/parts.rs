//! What the kernel does for a segment or a datagram, and how round trips are made of it.

use super::points;
use crate::os::exchange::{hand_off, hand_off_from_facts};
use crate::os::syscall::{self, Path};
use measure::{Point, core_cycles, term, told_cycles};
use record::{Bound, Formula, Prediction, Side, Term};

/// A protocol, and what a message of one byte takes on its way from the one program to the other, beyond the two
/// calls themselves: counted in the sources of Linux 6.
pub struct Protocol {
    /// The operation that measures a message there and one back by one task.
    pub alone: &'static str,
    /// The longer one of its two sizes.
    pub longer: u64,
    /// Whether what is longer than a frame is cut by the card, or on the last step to it.
    pub cut_late: bool,
    /// What the kernel executes for a message.
    pub message: Path,
}

/// TCP over loopback.
pub const TCP: Protocol = Protocol {
    alone: "network.round_trip.tcp.self",
    longer: 16_384,
    cut_late: true,
    message: Path {
        instructions: 7_000.0,
        locked: 36.0,
        within: 1.6,
        source: "a segment queued, cut, given headers, timed (1900); through the layers of the protocol down to the interface and up again in the softirq (2300); found, checked, the acknowledgement in it dealt with, what it acknowledges freed (1800); taken, window looked at (1000)",
    },
};

/// UDP over loopback.
pub const UDP: Protocol = Protocol {
    alone: "network.round_trip.udp.self",
    longer: 8_192,
    cut_late: false,
    message: Path {
        instructions: 4_600.0,
        locked: 26.0,
        within: 1.6,
        source: "a datagram allocated, charged, given headers (1200); through the layers of the protocol down to the interface and up again in the softirq (2000); socket found, queued, charged (700); taken, freed (700)",
    },
};

/// Bytes of data in the largest segment over loopback: its MTU of 65 536 less headers and time stamps.
pub const SEGMENT: f64 = 65_484.0;

/// The one size that all have.
pub const SMALL: u64 = 64;

/// Every byte is copied into the kernel and out of it, there and back.
fn copies(bytes: f64, cycles: fn(Formula) -> Formula) -> Term {
    let byte = Formula::cited(
        0.1,
        2.0,
        "rep movsb between memory in the second cache: 8 to 16 bytes a cycle",
    );
    let page = Formula::cited(
        300.0,
        2.0,
        "a page of the socket's fragment got, charged, and given back: some 300 instructions and 6 locked ones",
    );
    let formula = byte.times(4.0).plus(page.times(2.0 / 4096.0)).times(bytes);
    term(Side::Software, "copies, and pages for them", cycles(formula))
}

impl Protocol {
    /// A message there and one back by one task: four calls, two ways through the protocol, four copies.
    pub fn predict_alone(&self, point: &Point) -> Prediction {
        let bytes = points::bytes(point);
        let path = || self.message.formula().times(2.0);
        let mut from_facts = syscall::floors_from_facts(4.0);
        from_facts.push(term(
            Side::Software,
            "two ways through the protocol",
            told_cycles(path()),
        ));
        from_facts.push(copies(bytes, told_cycles));
        let from_parts = if bytes > SMALL as f64 {
            let small = points::loopback().with("bytes", SMALL).text();
            vec![
                term(
                    Side::Software,
                    "the same with a short message",
                    Formula::part(self.alone, &small),
                ),
                copies(bytes - SMALL as f64, core_cycles),
            ]
        } else {
            vec![
                syscall::floors(4.0),
                term(
                    Side::Software,
                    "two ways through the protocol",
                    core_cycles(path()),
                ),
                copies(bytes, core_cycles),
            ]
        };
        Prediction {
            from_facts,
            from_parts,
        }
    }

    /// What one task takes for this many bytes, on the line through the two sizes at which it was measured.
    fn alone_at(&self, bytes: f64) -> Formula {
        let at = |bytes: u64| {
            let point = points::loopback().with("bytes", bytes);
            Formula::part(self.alone, &point.text())
        };
        if bytes <= SMALL as f64 {
            return at(SMALL);
        }
        if bytes == self.longer as f64 {
            return at(self.longer);
        }
        let share = (bytes - SMALL as f64) / (self.longer - SMALL) as f64;
        let line = at(SMALL).plus(at(self.longer).minus(at(SMALL)).times(share));
        // What does not fit one segment takes the way through the protocol again.
        let more = (bytes / SEGMENT).ceil() - 1.0;
        if more > 0.0 {
            line.plus(at(SMALL).times(more))
        } else {
            line
        }
    }

    /// What one more byte takes one way by one task, in nanoseconds: two copies, and the pages for them.
    pub fn byte(&self) -> Formula {
        let at = |bytes: u64| Formula::part(self.alone, &points::loopback().with("bytes", bytes).text());
        let bytes = 2.0 * (self.longer - SMALL) as f64;
        at(self.longer).minus(at(SMALL)).over(Formula::exactly(bytes))
    }

    /// What a short message takes one way by one task, in nanoseconds.
    pub fn way(&self) -> Formula {
        Formula::part(self.alone, &points::loopback().with("bytes", SMALL).text()).times(0.5)
    }

    /// A round trip: what one task takes for the same messages, and two hand-offs.
    pub fn predict(&self, point: &Point) -> Prediction {
        let twice = |term: Term| Term {
            formula: term.formula.times(2.0),
            ..term
        };
        let mut from_facts = self.predict_alone(point).from_facts;
        from_facts.extend(hand_off_from_facts(point).into_iter().map(twice));
        Prediction {
            from_facts,
            from_parts: vec![
                term(
                    Side::Software,
                    "the calls of both sides and the protocol, by one task",
                    self.alone_at(points::bytes(point)),
                ),
                hand_off(point, "switch.process.eventfd", 2.0),
            ],
        }
    }
}

/// On one CPU four calls are made one after another and the CPU is handed over twice; on two those of one side are
/// made, and a side waits while the other one works.
pub fn at_least(point: &Point) -> Vec<Bound> {
    let same = points::is_on_one_cpu(point);
    syscall::at_least_floors(if same { 4.0 } else { 2.0 })
}
