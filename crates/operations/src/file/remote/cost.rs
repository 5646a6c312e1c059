//! What the network, and the programs at its ends, add to a file: parts of predictions.

use crate::file::cost;
use measure::{core_cycles, term};
use record::{Formula, Side, Term};

/// A part of the same run: of the way to the peer, or where that was not measured of the way within this machine.
fn near_or_far(operation: &str, of: &str) -> Formula {
    let point = |path: &str, cpu: &str| format!("path={path}{cpu}{of}");
    Formula::First {
        of: vec![
            Formula::part(operation, &point("remote", "")),
            Formula::part(operation, &point("loopback", " cpu=other")),
        ],
    }
}

/// A message to the server and its answer, both small.
pub fn round_trip() -> Formula {
    near_or_far("network.round_trip.tcp", " bytes=64")
}

/// Nanoseconds for so many bytes at the rate of a stream.
pub fn on_the_way(bytes: f64) -> Formula {
    Formula::exactly(bytes * 1e9).over(near_or_far("network.bandwidth.tcp", ""))
}

/// The program behind a mount takes the request from the kernel and gives the answer back.
fn program() -> Formula {
    Formula::fact("remote.programs").by(Formula::part("ipc.pipe.round_trip", "cpu=other"))
}

/// What a request adds that brings so many bytes.
pub fn request(bytes: f64) -> Vec<Term> {
    vec![
        term(Side::Hardware, "a round trip of the network", round_trip()),
        term(Side::Hardware, "its bytes on their way", on_the_way(bytes)),
        term(Side::Software, "the program behind the mount", program()),
        term(Side::Hardware, "copied once more by that program", copied(bytes)),
    ]
}

/// What the program behind a mount gets from the network, it gives to the kernel by one more copy.
fn copied(bytes: f64) -> Formula {
    Formula::fact("remote.programs").by(cost::copy_of(bytes as u64, 1 << 30))
}

/// The same as one formula.
pub fn one_request(bytes: Formula) -> Formula {
    let way = Formula::exactly(1e9)
        .over(near_or_far("network.bandwidth.tcp", ""))
        .by(bytes);
    round_trip().plus(program()).plus(way)
}

/// The block is found in a cache and copied.
pub fn cached() -> Formula {
    Formula::part("file.read.cached", "order=random bytes=16MiB")
}

/// A page comes into the cache of this end.
pub fn new_page() -> Formula {
    core_cycles(cost::NEW_PAGE.formula())
}

/// What a request adds, by published numbers alone.
pub fn request_from_facts(bytes: f64) -> Vec<Term> {
    let trip = Formula::cited(
        80_000.0,
        3.0,
        "a small message over TCP and back within a building: 25 to 250 µs (switched Ethernet of 1 to 100 Gbit/s)",
    );
    let rate = Formula::cited(0.8, 8.0, "a byte at 10 Gbit/s: networks of 1 to 100 Gbit/s");
    vec![
        term(Side::Hardware, "a round trip of the network", trip),
        term(Side::Hardware, "its bytes on their way", rate.times(bytes)),
    ]
}
