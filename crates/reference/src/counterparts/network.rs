//! Counterparts of figures of the network.
//!
//! What stands nowhere does not compare: transfers of a size that is not measured here, peaks over sizes, what is derived.

use super::counterpart::{Counterpart, at, counterpart};

/// Places of the network.
pub(super) const NETWORK: &[Counterpart] = &[
    // The reports pinned nothing, so what they call loopback may be either: one CPU or two.
    at(
        "round_trip.tcp",
        "bytes=64 peer=loopback",
        "network.round_trip.tcp",
        "path=loopback cpu=same bytes=64B",
    ),
    at(
        "round_trip.tcp",
        "bytes=64 peer=loopback",
        "network.round_trip.tcp",
        "path=loopback cpu=other bytes=64B",
    ),
    // 56 bytes are as many segments as 64.
    at(
        "round_trip.tcp",
        "bytes=56 peer=loopback",
        "network.round_trip.tcp",
        "path=loopback cpu=same bytes=64B",
    ),
    at(
        "round_trip.tcp",
        "bytes=56 peer=loopback",
        "network.round_trip.tcp",
        "path=loopback cpu=other bytes=64B",
    ),
    at("round_trip.tcp", "bytes=64 peer=remote", "network.round_trip.tcp", "path=remote bytes=64B"),
    at("round_trip.tcp", "bytes=56 peer=remote", "network.round_trip.tcp", "path=remote bytes=64B"),
    // ping sends 56 bytes unless asked; R0's 64 are those with the header of ICMP.
    at("round_trip.icmp", "peer=loopback", "network.round_trip.icmp", "path=loopback bytes=56B"),
    at("round_trip.icmp", "peer=remote", "network.round_trip.icmp", "path=remote bytes=56B"),
    // R3 took from tcpdump when a segment and its acknowledgement passed.
    at(
        "round_trip.tcp.acknowledgement",
        "peer=loopback",
        "network.acknowledge.packets",
        "path=loopback cpu=same segment=data",
    ),
    at(
        "connection.setup.wire",
        "peer=loopback",
        "network.acknowledge.packets",
        "path=loopback cpu=same segment=syn",
    ),
    at(
        "connection.teardown.wire",
        "peer=loopback",
        "network.acknowledge.packets",
        "path=loopback cpu=same segment=fin",
    ),
    at(
        "bandwidth.tcp",
        "transfer=2KB peer=loopback",
        "network.bandwidth.transfer",
        "path=loopback cpu=same bytes=2KiB",
    ),
    at(
        "bandwidth.tcp",
        "block=1MB peer=loopback",
        "network.bandwidth.transfer",
        "path=loopback cpu=same bytes=1MiB",
    ),
    at(
        "bandwidth.tcp",
        "transfer=32768KB peer=loopback",
        "network.bandwidth.transfer",
        "path=loopback cpu=same bytes=32MiB",
    ),
    at("bandwidth.tcp", "transfer=2KB peer=remote", "network.bandwidth.transfer", "path=remote bytes=2KiB"),
    at("bandwidth.tcp", "block=1MB peer=remote", "network.bandwidth.transfer", "path=remote bytes=1MiB"),
    at(
        "bandwidth.tcp",
        "transfer=32768KB peer=remote",
        "network.bandwidth.transfer",
        "path=remote bytes=32MiB",
    ),
    // The fastest second of a long stream, which stands marked as such.
    at("bandwidth.tcp", "transfer=5GB peer=loopback", "network.bandwidth.tcp", "path=loopback cpu=same"),
    at("bandwidth.tcp", "transfer=5GB peer=loopback", "network.bandwidth.tcp", "path=loopback cpu=other"),
    at("bandwidth.tcp", "transfer=5GB peer=remote", "network.bandwidth.tcp", "path=remote"),
    at("connection.connect", "peer=loopback", "network.connection.connect", "path=loopback cpu=same"),
    at("connection.connect", "peer=loopback", "network.connection.connect", "path=loopback cpu=other"),
    at("connection.connect", "peer=remote", "network.connection.connect", "path=remote"),
    at("connection.close", "peer=loopback", "network.connection.close", "path=loopback cpu=same"),
    at("connection.close", "peer=loopback", "network.connection.close", "path=loopback cpu=other"),
    at("connection.close", "peer=remote", "network.connection.close", "path=remote"),
    // R2's accept waits for the client to be started by hand, and so does the reference method for its barrier.
    counterpart("connection.accept", "peer=loopback", "network.connection.no_barrier"),
];
