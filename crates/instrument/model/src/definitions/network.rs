//! Messages, streams and connections over internet sockets.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    // Paths through the layers exceed L1: a nanosecond per instruction there, measured by messages of TCP within one task.
    "t1 network_pace = ([network.round_trip.tcp.self path=loopback bytes=64B] − 4 × [syscall.floor]) \
     / {counted[network.round_trip.tcp.self path=loopback bytes=64B] - 4 * counted[syscall.floor]}",
    "t0 network(instructions) = kernel(instructions)",
    "t1 network(instructions) = counted_work(instructions) × network_pace",
    // A message of 64 bytes, one way, without the two calls.
    "tcp_message = network({(counted[network.round_trip.tcp.self path=loopback bytes=64B] - 4 * counted[syscall.floor]) / 2}) \
     / cycle_ns",
    "udp_message = network({(counted[network.round_trip.udp.self path=loopback bytes=64B] - 4 * counted[syscall.floor]) / 2}) \
     / cycle_ns",
    // Every byte is copied into the kernel and out of it, both ways.
    "socket_copies(bytes) = {bytes} bytes × (4 × 0.1 cycles/byte (×2: rep movsb between memory in L2: 8 to 16 \
     bytes a cycle) + {2 / 4096} × 300 cycles/byte (×2: a page of the socket's fragment allocated, charged and freed: some \
     300 instructions and 6 locked ones))",
    // One way in one task: a short message, and each further byte of a longer one: two copies and their pages.
    "tcp_way = 0.5 × [network.round_trip.tcp.self path=loopback bytes=64B]",
    "tcp_byte = ([network.round_trip.tcp.self path=loopback bytes=16KiB] \
     − [network.round_trip.tcp.self path=loopback bytes=64B]) / {2 * (16384 - 64)} bytes",
    // A byte of a stream: two copies, its share of the largest segment over loopback (MTU 65 536 minus headers and timestamps),
    // and once from memory: more is in flight than L2 holds, so the receiver reads evicted lines. The sender writes to pages
    // that the receiver has just freed, which the kernel reuses first: those are cached.
    "stream_copy = {2 / 8} cycles/byte (×2: rep movsb from L2 into pages from the last-level cache: 6 to 12 \
     bytes a cycle, each way)",
    "t0 stream_byte = (stream_copy + {300 / 4096} cycles/byte (×2: a page allocated, charged and freed: some 300 \
     instructions and 6 locked ones) + tcp_message / 65484 bytes) × cycle_ns",
    "t1 stream_byte = tcp_byte + tcp_way / 65484 bytes + byte_from_memory",
    "byte_from_memory = 1e9 ns/s / [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    "t0 line_of_the_other_cpu = 1.5 × family.l3_cycles × cycle_ns",
    "t1 line_of_the_other_cpu = 0.5 × [ipc.cache_line.round_trip cpu={cpu} method=cas]",
    "byte_of_the_other_cpu = line_of_the_other_cpu × {1 / 64 / 12} (×1.4: twelve lines in flight while a page is copied: \
     the fill buffers of an L1 cache, ten to sixteen from Haswell to Golden Cove) / 1 byte",
    "open = cold_path({counted[network.connection.connect path=loopback cpu=same] - counted[syscall.floor]})",
    "fin = cold_path({counted[network.connection.close path=loopback cpu=same] - counted[syscall.floor]})",
    "accept = cold_path(3000)",
];

pub const TERMS: &[Group] = &[
    (
        // A transfer that does not fit L2 with its copy goes through memory.
        "definitions of a transfer",
        &[
            "let segments = {ceil(bytes / 65484) + 1}",
            "bytes=..2MiB: let byte = tcp_byte",
            "bytes=2097153..: let byte = stream_byte",
        ],
    ),
    (
        "messages within one task(message)",
        &[
            "floors(4)",
            "software protocol, both ways = 2 × message × cycle_ns",
            "software copies and their pages = socket_copies({bytes}) × cycle_ns",
        ],
    ),
    (
        // Ping to the peer, what programs add to ping over loopback, and the additional transfer time at the rates of streams.
        "round trip over the network(here)",
        &[
            "hardware network round trip, from ping = [network.round_trip.icmp path=remote bytes=56B]",
            "software programs, from loopback minus ping = here − [network.round_trip.icmp path=loopback bytes=56B]",
            "bytes=65..: hardware transfer both ways, from the rates of streams = \
             max(0, {2 * bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=remote] \
             − {2 * bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=loopback cpu=same])",
        ],
    ),
    (
        "connection(calls, work)",
        &[
            "path=loopback: floors(calls)",
            "path=loopback: software segments, sockets, timers = work × cycle_ns",
            "path=remote: t1 floors(calls)",
            "path=remote: software t1 local share of segments, sockets, timers = 0.5 × work × cycle_ns",
        ],
    ),
    (
        "round trip on a new connection",
        &[
            "path=loopback: software t0 round trip of 1 byte, accept = (2 × tcp_message + accept) × cycle_ns",
            "path=loopback: software t0 two hand-offs = 3000 cycles (×2: two switches of some 1 500 instructions) × cycle_ns",
        ],
    ),
    (
        // The reader on the other CPU sleeps: its wake-up interrupt exits the guest.
        "wake-up of the other CPU",
        &["cpu=other: software wake-up interrupt through the hypervisor = vm_exit"],
    ),
    (
        "round trip of the first byte",
        &[
            "path=remote: hardware round trip of the SYN, from ping = [network.round_trip.icmp path=remote bytes=56B]",
            "path=remote: hardware round trip of 1 byte = [network.round_trip.tcp path=remote bytes=1B]",
            "path=loopback: software round trip of 1 byte = \
             [network.round_trip.tcp.self path=loopback bytes=64B] + 2 × [switch.process.eventfd {placement}]",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "round trips on one machine(switches, writes, reads)",
        &[
            "exchange of processes(1.95, switches)",
            "cpu=same: linear",
            "calls of both sides: write 2..{writes}, read 2..{reads}",
        ],
    ),
    ("every message echoed", &["answers = 1: every message was echoed unchanged and in order"]),
    (
        // The handler of the network device may also preempt the client.
        "sleeps of the client(most)",
        &["switches.voluntary 0..{most} (if consistent): the client slept only until its reply arrived"],
    ),
    (
        "segments(most)",
        &[
            "segments.out 0.999..{most + 0.001} (if consistent): each message was one segment",
            "segments.in 0.999..{most + 0.001} (if consistent): each reply was one segment, none missing or additional",
        ],
    ),
    ("no retransmissions", &["retransmissions = 0 (noise): no segment was retransmitted"]),
    (
        // Per segment: a receiver without the CPU for a while is probed by a duplicate segment.
        "few retransmissions",
        &["retransmissions 0..0.05 (noise): almost no segment was retransmitted"],
    ),
    (
        "every block received",
        &["answers = 1: every block was received whole, in order and with the correct words"],
    ),
    ("same byte count", &["bytes.received_per_sent = 1: both ends counted the same bytes"]),
    (
        "steady rate",
        &["steady = 1 (noise): the rate was steady within the first quarter of the windows", "undisturbed"],
    ),
    // Shares of one CPU or of the time; two clocks may differ.
    (
        "CPU shares",
        &[
            "cpu.receiver 0..1.1 (quiet, if consistent): the receiver used at most one CPU",
            "cpu.sender 0..1.1 (quiet, if consistent): the sender used at most one CPU",
        ],
    ),
    (
        "sender limits",
        &[
            "limited.window 0..1.1 (quiet, if consistent): by the sender's kernel, the receive window limited it for \
             at most all of the time",
            "limited.buffer 0..1.1 (quiet, if consistent): by the sender's kernel, the send buffer limited it for at \
             most all of the time",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    (
        // On one CPU four calls are sequential; on two CPUs those of one side.
        "calls of a round trip",
        &["cpu!=other|sibling|node: floors(4)", "cpu=other|sibling|node: floors(2)"],
    ),
    (
        // In and out on one CPU; one flow per CPU has as many cores.
        "copies of all cores",
        &[
            "< 64 bytes/cycle × [clock.frequency clock=core] × cpus.allowed: no core copies a payload at more than 64 bytes per \
             cycle",
        ],
    ),
    ("speed of the link", &["path=remote: < network.peer.speed: no link carries more than its speed"]),
];
