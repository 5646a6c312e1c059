//! Connections to processes that share a port.

use super::connection::CONNECTION;
use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Gate, Plot};
use workloads::network::shared_port::{self, Acceptors};

/// A connection to one of several acceptors.
pub static SHARED_PORT: Operation = Operation {
    id: "network.connection.shared_port",
    revision: 1,
    title: "TCP connection accepted by one of n processes that share a port",
    one_iteration: "socket(), connect(), write 1 byte, read the reply, close(), of 32 connections open at a time",
    method: "n processes listen on one port (SO_REUSEPORT), on the CPUs after the worker's, round robin. The worker connects 32 times and \
             sends a byte on each, then reads the 32 echoes and resets the connections. A value is the time of a batch, divided by \
             32. Each acceptor counts what it accepts.",
    confounds: "The kernel chooses by a hash of addresses and ports, not by who waits: shares differ by chance, as \
                acceptors.most_per_mean shows, and a busy acceptor gets as many as an idle one. One client connects: more \
                acceptors than it keeps busy gain nothing.",
    sources: &[
        ("nginx", "listen … reuseport: a socket for each worker process"),
        ("netperf", "TCP_CRR: one connection at a time, a server process for each client"),
    ],
    // The worker waits for acceptors on other CPUs, and shares its own with one.
    actors: Actors::Children,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    parameters: takes::<Acceptors>,
    points: &["path=loopback acceptors=1|2|4"],
    predict: &[
        "t0 connection(5, open)",
        "software t0 accept and round trip of 1 byte = (2 × tcp_message + accept) × cycle_ns",
        // The acceptor's part overlaps where it has a CPU of its own; batches leave no hand-off for each.
        "let whole = [network.connection.connect_round_trip_close path=loopback cpu=same] − 2 × [switch.process.eventfd cpu=same]",
        "software t1 complete connection, its two ends on the CPUs in use = whole / min(2, cpus.allowed)",
    ],
    evidence: &[
        "answers = 1: the byte was echoed unchanged over each connection",
        "connections.accepted = 1: the acceptors together accepted every connection",
        "acceptors.used = 1: every acceptor accepted connections",
        "acceptors.most_per_mean 0.999..{min(acceptors, 2) + 0.001} (noise): no acceptor got more than twice its share",
        "calls.connect 0.95..1.05: one connect call per iteration",
        "undisturbed",
    ],
    bounds: &["floors(5)"],
    plot: Some(|| Plot::logarithmic("acceptors", "processes that accept", Quantity::Count)),
    run: shared_port::run,
    ..CONNECTION
};
