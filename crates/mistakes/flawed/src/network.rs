//! Round trips, bandwidth and connections.

use crate::method::FlawedMethod;
use measure::{Actors, Bench, How, Operation, Parameters, Rehearse, Result, choice, parameters, takes};
use operations::bases::{AT_SERVER, CONNECTION, NETWORK};
use quantity::Quantity;
use record::{Gate, Plot};
use workloads::network::connections::{self, ServerPart};
use workloads::network::messages::transfers::Transfer;
use workloads::network::messages::{Message, round_trips};
use workloads::network::streams::acknowledged::send_stream;
use workloads::network::streams::first_data::receive_transfers;
use workloads::network::streams::{Flow, Variant, stream};

const SOCKETS: Operation =
    Operation { actors: Actors::TwoProcesses, points: &["path=loopback cpu=same"], ..NETWORK };

const STREAM: Operation = Operation {
    how: How::Values,
    quantity: Quantity::Bandwidth,
    rehearse: Rehearse::Nothing,
    spend_ns: 60_000_000,
    one_iteration: "bytes received in a window of some milliseconds",
    evidence: &["every block received", "same byte count"],
    ..SOCKETS
};

/// Nagle on, message in two writes.
pub static TWO_WRITES: FlawedMethod = FlawedMethod {
    wrong: "Nagle's algorithm delays the second part until the first is acknowledged, which the receiver delays",
    right: ("network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
    card: Operation {
        id: "network.round_trip.tcp.two_writes",
        title: "TCP round trip in two writes with Nagle's algorithm (wrong)",
        one_iteration: "write 32 bytes, write 32 bytes, read the 64-byte reply",
        method: "TCP_NODELAY is not set, and a message is sent in two parts, like header and body: the second waits \
                 for the acknowledgement of the first, which the receiver delays.",
        confounds: "It measures the delayed-acknowledgement timer of TCP, 40 ms in Linux.",
        sources: &[(
            "RFC 896, RFC 1122",
            "Nagle's algorithm and delayed acknowledgements: harmless in one write, not in two",
        )],
        how: How::Each,
        gate: Gate { cpu_share: None, ..Operation::GATE },
        parameters: takes::<Message>,
        points: &["path=loopback cpu=same bytes=64B"],
        evidence: &["answers = 1: every message was echoed unchanged", "undisturbed"],
        run: round_trips::in_two_writes,
        ..SOCKETS
    },
};

/// The fastest window.
pub static PEAK: FlawedMethod = FlawedMethod {
    wrong: "the maximum of several windows is reported (E31): it grows with their number",
    right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    card: Operation {
        id: "network.bandwidth.tcp.peak",
        title: "TCP throughput of the fastest window (wrong)",
        method: "As network.bandwidth.tcp, but only the fastest window of a trial, of some milliseconds, counts. window=1s: the fastest of \
                 five windows of a second. counted=acknowledged: this end sends, and the bytes count that its kernel has seen \
                 acknowledged in each second (TCP_INFO); otherwise it receives, and the bytes count that it has read.",
        confounds: "The maximum grows with the number of windows.",
        sources: &[(
            "R3, 5.3.1",
            "the fastest second of 5 GB, by the bytes newly acknowledged in each by tcpdump (E31)",
        )],
        parameters: takes::<Peak>,
        points: &[
            "path=loopback cpu=same; path=remote",
            "profile=thorough: path=loopback cpu=same window=1s; path=remote window=1s",
            "profile=thorough: path=loopback cpu=same window=1s counted=acknowledged; path=remote window=1s counted=acknowledged",
        ],
        spend_of: Some(|point| match Peak::read(point) {
            Ok(Peak { window: Some(Second::One), .. }) => SECONDS as u64 * 1_000_000_000,
            _ => STREAM.spend_ns,
        }),
        predict: &[
            "path=loopback: software t1 a stream, by all its windows = [network.bandwidth.tcp path=loopback cpu=same]",
            "path=remote: hardware t1 a stream, by all its windows = [network.bandwidth.tcp path=remote]",
        ],
        bounds: &["speed of the link"],
        run: measure_peak,
        ..STREAM
    },
};

/// Windows of a second in a trial.
const SECONDS: usize = 5;

fn measure_peak(bench: &mut Bench<'_>) -> Result<()> {
    let Peak { window, counted } = bench.parameters()?;
    let windows = if window.is_some() { SECONDS } else { Variant::CORRECT.windows };
    if counted.is_some() {
        let rates = send_stream(bench, windows)?;
        report_fastest(bench, &rates);
        return Ok(());
    }
    let report: fn(&mut Bench<'_>, &Flow) = |bench, flow| report_fastest(bench, &flow.rates);
    stream(bench, Variant { report, windows, ..Variant::CORRECT })
}

fn report_fastest(bench: &mut Bench<'_>, rates: &[f64]) {
    bench.values(vec![rates.iter().copied().fold(0.0, f64::max)]);
}

choice! {
    /// The bytes that count, if not those that this end has read.
    enum Counted {
        /// Those of its own that were acknowledged.
        Acknowledged = "acknowledged",
    }
}

choice! {
    /// The length of a window, if not some milliseconds.
    enum Second {
        /// A second.
        One = "1s",
    }
}

parameters! {
    /// The fastest window of a stream.
    struct Peak {
        /// Its length.
        window: Option<Second> = None,
        /// The bytes that count.
        counted: Option<Counted> = None,
    }
}

/// The clock starts at the first data.
pub static FIRST_DATA: FlawedMethod = FlawedMethod {
    wrong: "bytes received before the clock started count (E41): of a short transfer nearly all of them",
    right: ("network.bandwidth.transfer", "path=loopback cpu=same bytes=32KiB"),
    card: Operation {
        id: "network.bandwidth.transfer.from_first_data",
        title: "TCP transfer timed by the receiver from its first data (wrong)",
        one_iteration: "one transfer of n bytes, from the return of its first read to that of its last one",
        method: "The server sends continuously over a new connection. The client reads, by reads of at most 64 KiB and of half of the \
                 transfer, and starts its clock when the first read has returned; all n bytes count.",
        confounds: "What has been received when the clock starts depends on buffers and on the sizes of reads: bandwidth has a maximum at \
                    some size. The congestion window is that of a new connection.",
        sources: &[(
            "R0, 5.2",
            "2 KB to 32 MB by factors of 4, local and remote; the client's clock started at the first data, which probably count (E41)",
        )],
        parameters: takes::<Transfer>,
        points: &[
            "profile!=thorough: path=loopback cpu=same bytes=2KiB|32KiB|512KiB|8MiB; path=remote bytes=2KiB|32KiB|512KiB|8MiB",
            "profile=thorough: path=loopback cpu=same bytes=2KiB|8KiB|32KiB|128KiB|512KiB|2MiB|8MiB|32MiB; \
             path=remote bytes=2KiB|8KiB|32KiB|128KiB|512KiB|2MiB|8MiB|32MiB",
        ],
        plot: Some(|| Plot {
            family: Some("network.bandwidth.transfer".to_owned()),
            ..Plot::logarithmic("bytes", "size of a transfer", Quantity::Size)
        }),
        predict: &[
            "path=loopback: software t1 a stream = [network.bandwidth.tcp path=loopback cpu=same]",
            "path=remote: hardware t1 a stream = [network.bandwidth.tcp path=remote]",
        ],
        evidence: &["answers = 1: every transfer was received whole", "same byte count"],
        run: receive_transfers,
        ..STREAM
    },
};

/// accept() with its wait.
pub static ACCEPT_WITH_WAIT: FlawedMethod = FlawedMethod {
    wrong: "accept() waits for its client: the result is when the client came (E40)",
    right: ("network.connection.accept.server", "path=loopback cpu=same"),
    card: Operation {
        id: "network.connection.accept.wait",
        title: "accept() with the wait for its client, timed by the server (wrong)",
        one_iteration: "wait for a connection and accept() it, by the server's clock",
        method: "As network.connection.accept.server, with the wait for the connection before accept(); the client pauses 2 ms \
                 before each connection.",
        confounds: "The result is the pause of the client.",
        sources: &[(
            "R2, 5.3",
            "accept() until it returns, local and remote, 2.1 to 3.3 s: probably until the client was started (E40)",
        )],
        predict: &[
            "software the pause of the client = 2e6 ns (×1.3: and the slack of its timer, the connection before, the query)",
        ],
        run: |bench| connections::at_server(bench, ServerPart::AcceptWithWait),
        ..AT_SERVER
    },
};

/// Bytes received before the clock started.
pub static EARLY: FlawedMethod = FlawedMethod {
    wrong: "bytes received before the clock started count (E41): more than arrived in the measured time",
    right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    card: Operation {
        id: "network.bandwidth.tcp.before_clock",
        title: "TCP throughput including bytes received before the clock started (wrong)",
        method: "As network.bandwidth.tcp, but bytes received before the clock started count.",
        confounds: "The shorter the interval, the larger the error.",
        sources: &[(
            "R0, 5.2",
            "of transfers: the clock started at the first data, which probably count: 22.5 MB/s over a link of 144 Mbit/s (E35, E41)",
        )],
        run: |bench| {
            let counts_early = true;
            stream(bench, Variant { counts_early, ..Variant::CORRECT })
        },
        ..STREAM
    },
};
/// Reference: the server starts within the interval.
pub static NO_BARRIER: FlawedMethod = FlawedMethod {
    wrong: "the start of the server is within the interval (E40): no barrier before the clock starts",
    right: ("network.connection.first_byte", "path=loopback cpu=same"),
    card: Operation {
        id: "network.connection.no_barrier",
        title: "connect to first byte, without a barrier (wrong)",
        one_iteration: "fork an accepting process, connect(), write 1 byte, read the reply",
        method: "The server is started within the interval and may not have called accept() when the connection is made.",
        confounds: "Includes the start of the process, its page faults and its wait for the CPU.",
        sources: &[("many", "a server started by the client's script, without a barrier")],
        points: &["path=loopback cpu=same"],
        run: connections::run_without_barrier,
        ..CONNECTION
    },
};
