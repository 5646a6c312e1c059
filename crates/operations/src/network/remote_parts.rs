//! What round trips to another machine should take: what ping takes to it, what programs add to that on this one, and
//! the bytes.

use super::parts::{Protocol, SMALL};
use super::points;
use crate::os::syscall::Path;
use measure::{Point, core_cycles, term};
use record::{Formula, Prediction, Side, Term};

/// Bytes of a datagram that a frame of Ethernet carries beside the header of IP.
const FRAGMENT: f64 = 1_480.0;

/// The header of a datagram.
const HEADER: f64 = 8.0;

/// What the kernel executes for each further fragment of a datagram.
const ONE_MORE: Path = Path {
    instructions: 3_000.0,
    locked: 18.0,
    within: 1.8,
    source: "a fragment allocated, filled, given headers (900); through IP, the queue of the interface and up again in the softirq (1500); held until the others have come (600)",
};

/// The way there and back as ping has it, what programs add to that on one machine, and what the bytes take longer.
pub fn over_the_network(point: &Point, parts: &Protocol, operation: &str) -> Prediction {
    let ping = |path: Point| Formula::part("network.round_trip.icmp", &path.with("bytes", 56).text());
    let bytes = point.get("bytes").unwrap_or("1");
    let here = Formula::part(operation, &points::loopback_same().with("bytes", bytes).text());
    let mut from_parts = vec![
        term(
            Side::Hardware,
            "the way there and back, as ping has it",
            ping(points::remote()),
        ),
        term(
            Side::Software,
            "what two programs add to ping over loopback",
            here.plus(ping(points::loopback()).times(-1.0)),
        ),
    ];
    let bytes = points::bytes(point);
    if bytes > SMALL as f64 {
        from_parts.push(bytes_there_and_back(bytes));
    }
    let more = ((bytes + HEADER) / FRAGMENT).ceil() - 1.0;
    if more > 0.0 && !parts.cut_late {
        from_parts.push(term(
            Side::Software,
            "further fragments of the datagram, there and back",
            core_cycles(ONE_MORE.formula().times(2.0 * more)),
        ));
    }
    Prediction {
        from_facts: Vec::new(),
        from_parts,
    }
}

/// What bytes take longer there and back than within this machine, at the pace of streams.
fn bytes_there_and_back(bytes: f64) -> Term {
    let nanos = |path: Point| {
        let rate = Formula::part("network.bandwidth.tcp", &path.text());
        Formula::exactly(2.0 * bytes * 1e9).over(rate)
    };
    let longer = nanos(points::remote()).minus(nanos(points::loopback_same()));
    term(
        Side::Hardware,
        "the bytes there and back, by what a stream to there is slower than one on this machine",
        Formula::Maximum {
            of: vec![Formula::exactly(0.0), longer],
        },
    )
}
