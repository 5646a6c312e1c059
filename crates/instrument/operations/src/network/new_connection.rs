//! Transfers over new connections: the first one of a connection, and with connect and close.

use super::bandwidth::{EVERY_SIZE, TRANSFER};
use measure::{Actors, How, Operation, Parameters, takes};
use quantity::Quantity;
use record::Plot;
use workloads::network::connections::{TransferPart, transfers};
use workloads::network::messages::transfers::Transfer;

const NEW_CONNECTION: Operation = Operation {
    quantity: Quantity::Bandwidth,
    actors: Actors::TwoProcesses,
    how: How::Each,
    payload_bytes: |point| Transfer::read(point).ok().map(|all| all.bytes.bytes()),
    evidence: &[
        "answers = 1: every transfer was confirmed by its own last byte",
        "bytes.received_per_sent = 1: the receiver read every byte written",
        "connections.accepted = 1: every transfer had a connection of its own, whose end the server saw",
        "few retransmissions",
        "undisturbed",
    ],
    bounds: TRANSFER.bounds,
    spend_ns: 10_000_000,
    parameters: takes::<Transfer>,
    ..super::COMMON
};

/// The first transfer of a connection.
pub static COLD: Operation = Operation {
    id: "network.bandwidth.transfer.cold",
    title: "first TCP transfer of a new connection until the receiver confirms it",
    one_iteration: "write the transfer on a new connection, wait for the 1-byte confirmation of its last byte",
    method: "As network.bandwidth.transfer, but each transfer has a connection of its own, made before the clock starts and \
             reset after it stops: the congestion window is that of a new connection, ten segments by default. The timed \
             interval includes accept().",
    confounds: "Over loopback ten segments are 640 KiB, and nothing waits for the window. Over a network a transfer of n windows \
                waits for about log2(n) round trips.",
    sources: &[
        (
            "R0, 5.2.3 and 5.2.4",
            "2 KB to 32 MB: rise and fall attributed to slow start and congestion avoidance, untested (E50)",
        ),
        ("R2, 5.2", "the first ten of twenty rounds discarded as warm-up"),
    ],
    points: &[
        "profile!=thorough: path=loopback cpu=same bytes=2KiB|64KiB|1MiB|32MiB",
        "profile!=thorough: path=remote bytes=2KiB|64KiB|1MiB|32MiB",
        EVERY_SIZE,
    ],
    predict: &[
        "definitions of a transfer",
        "path=loopback: software t0 segments, copies, accept = {bytes} bytes × 1e9 ns/s / ((segments × tcp_message + {bytes} \
         bytes × stream_copy + accept) × cycle_ns)",
        "path=loopback: software t1 segments and bytes as in one task, two hand-offs, accept = {bytes} bytes × 1e9 ns/s / \
         (segments × tcp_way + {bytes} bytes × byte + 2 × [switch.process.eventfd {placement}] + accept × cycle_ns)",
        // Ten segments of 1 460 bytes, doubled with each round trip, as long as the link is not busy.
        "bytes=..14600: let rounds = 1",
        "bytes=14601..43800: let rounds = 2",
        "bytes=43801..102200: let rounds = 3",
        "bytes=102201..219000: let rounds = 4",
        "bytes=219001..919800: let rounds = 6",
        "bytes=919801..: let rounds = 7",
        "path=remote: hardware t1 round trips of slow start, or bytes at the rate of a stream = {bytes} bytes × 1e9 ns/s / \
         max(rounds × [network.round_trip.tcp path=remote bytes=64B], [network.round_trip.tcp path=remote bytes=64B] + \
         {bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=remote])",
    ],
    plot: Some(|| Plot {
        family: Some("network.bandwidth.transfer".to_owned()),
        ..Plot::logarithmic("bytes", "size of a transfer", Quantity::Size)
    }),
    run: |bench| transfers(bench, TransferPart::Transfer),
    ..NEW_CONNECTION
};

/// A connection for each transfer.
pub static WHOLE: Operation = Operation {
    id: "network.bandwidth.transfer.new_connection",
    title: "TCP transfer with connect and close of its connection",
    one_iteration: "socket(), connect(), write the transfer, read its confirmation, close()",
    method: "As network.bandwidth.transfer.cold, with connect and close within the timed interval, as in a program that \
             connects for each request.",
    confounds: "The next connection begins when the server is done, which is not timed. Ports stay in TIME_WAIT for a minute.",
    sources: &[
        ("R2, 5.2", "about 55 ms for 1 MB with a connection for each, probably remote: 26 ms without"),
        ("netperf", "TCP_CRR with a long request"),
    ],
    points: &["path=loopback cpu=same bytes=1MiB; path=remote bytes=1MiB"],
    predict: &[
        "definitions of a transfer",
        "path=loopback: software t0 segments, copies, connection = {bytes} bytes × 1e9 ns/s / ((segments × tcp_message + \
         {bytes} bytes × stream_copy + accept + open + fin) × cycle_ns)",
        "path=loopback: software t1 first transfer, connect and close = {bytes} bytes × 1e9 ns/s / ({bytes} bytes × 1e9 ns/s / \
         [network.bandwidth.transfer.cold path=loopback cpu={cpu} bytes={bytes}] + \
         [network.connection.connect path=loopback cpu={cpu}] + [network.connection.close path=loopback cpu={cpu}])",
        "path=remote: hardware t1 first transfer, connect and close = {bytes} bytes × 1e9 ns/s / ({bytes} bytes × 1e9 ns/s / \
         [network.bandwidth.transfer.cold path=remote bytes={bytes}] + [network.connection.connect path=remote] + \
         [network.connection.close path=remote])",
    ],
    run: |bench| transfers(bench, TransferPart::Connection),
    ..NEW_CONNECTION
};
