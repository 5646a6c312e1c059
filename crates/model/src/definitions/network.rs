//! Messages, streams and connections over sockets of the internet family.

use super::Group;

pub const FORMULAS: &[&str] = &[
    // What a message of one byte takes one way, beyond the two calls themselves: counted in the sources of Linux 6.
    "tcp_message = path(7000, 36) (×1.6: a segment queued, cut, given headers, timed (1900); through the layers of the \
     protocol down to the interface and up again in the softirq (2300); found, checked, the acknowledgement in it dealt \
     with, what it acknowledges freed (1800); taken, window looked at (1000))",
    "udp_message = path(4600, 26) (×1.6: a datagram allocated, charged, given headers (1200); through the layers of the \
     protocol down to the interface and up again in the softirq (2000); socket found, queued, charged (700); taken, freed \
     (700))",
    // Every byte is copied into the kernel and out of it, both ways.
    "socket_copies(bytes) = {bytes} bytes × (4 × 0.1 cycles/byte (×2: rep movsb between memory in the second cache: 8 to 16 \
     bytes a cycle) + {2 / 4096} × 300 cycles/byte (×2: a page of the socket's fragment got, charged, and given back: some \
     300 instructions and 6 locked ones))",
    // One way by one task: a short message, and one more byte of a longer one, which is two copies and the pages for them.
    "tcp_way = 0.5 × [network.round_trip.tcp.self path=loopback bytes=64B]",
    "tcp_byte = ([network.round_trip.tcp.self path=loopback bytes=16KiB] \
     − [network.round_trip.tcp.self path=loopback bytes=64B]) / {2 * (16384 - 64)} bytes",
    // A byte of a stream: two copies, its share of the way of the largest segment over loopback (its MTU of 65 536 less
    // headers and time stamps), and once from memory: more is on its way than a second cache holds, so the receiver reads
    // what has left it. The sender writes to pages that the receiver has just given back, for the kernel hands out first
    // what came back last: those are near.
    "stream_copy = {2 / 8} cycles/byte (×2: rep movsb from the second cache into pages that come from the last: 6 to 12 \
     bytes a cycle, each way)",
    "t0 stream_byte = (stream_copy + {300 / 4096} cycles/byte (×2: a page got, charged and given back: some 300 \
     instructions and 6 locked ones) + tcp_message / 65484 bytes) × cycle_ns",
    "t1 stream_byte = tcp_byte + tcp_way / 65484 bytes + byte_from_memory",
    "byte_from_memory = 1e9 ns/s / [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    "t0 line_of_the_other_cpu = 1.5 × family.l3_cycles × cycle_ns",
    "t1 line_of_the_other_cpu = 0.5 × [ipc.cache_line.round_trip cpu={cpu} method=cas]",
    "byte_of_the_other_cpu = line_of_the_other_cpu × {1 / 64 / 12} (×1.4: twelve lines are on their way at once when a page \
     is copied: the fill buffers of a first cache, ten to sixteen from Haswell to Golden Cove) / 1 byte",
    // Paths that were not walked for a while: their instructions and what those touch come from the second cache.
    "fetched(instructions) = {round(instructions × 6 / 64)} (×1.6: instructions of 4.2 bytes and 1.8 bytes of data for \
     each, in lines of 64, which a path of that length does not find in the first cache) × family.l2_cycles",
    "open = path(15000, 110) (×1.6: a port chosen, a route looked up, the SYN sent (3000); through the layers down and up \
     three times (6500); a request kept, answered, made a socket of, hashed and queued (4000); the answer dealt with, timers \
     (1500)) + fetched(15000)",
    "fin = path(7500, 60) (×1.6: the file given up, the FIN queued and sent (1500); down and up twice, with the \
     acknowledgement (4300); the other side's state changed and its reader woken (1000), timers (700)) + fetched(7500)",
    "accept = path(3000, 24) (×1.6: a socket's inode, file and descriptor allocated and entered (2500), the queue's lock and \
     head (500))",
];

pub const TERMS: &[Group] = &[
    (
        "messages of one task(message)",
        &[
            "floors(4)",
            "software two ways through the protocol = 2 × message × cycle_ns",
            "software copies, and pages for them = socket_copies({bytes}) × cycle_ns",
        ],
    ),
    (
        // What ping takes to there, what programs add to that on one machine, and what the bytes take longer than within
        // this machine, at the pace of streams.
        "round trip over the network(here)",
        &[
            "hardware network round trip, as measured by ping = [network.round_trip.icmp path=remote bytes=56B]",
            "software what two programs add to ping over loopback = here − [network.round_trip.icmp path=loopback bytes=56B]",
            "bytes=65..: hardware both transfers of the bytes, by what a stream to there is slower than one on this machine = \
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
            "path=remote: software t1 this end's segments, sockets, timers = 0.5 × work × cycle_ns",
        ],
    ),
    (
        "use of a connection",
        &[
            "path=loopback: software t0 round trip of one byte, accept = (2 × tcp_message + accept) × cycle_ns",
            "path=loopback: software t0 two hand-offs = 3000 cycles (×2: two switches of some 1 500 instructions) × cycle_ns",
        ],
    ),
    (
        // Whoever reads there is asleep: the interrupt that wakes it leaves the guest.
        "wake-up of the other CPU",
        &["cpu=other: software the hypervisor takes the interrupt to the other CPU = hypervisor.exit_ns"],
    ),
    (
        "round trip of the first byte",
        &[
            "path=remote: hardware round trip of the SYN, as measured by ping = [network.round_trip.icmp path=remote bytes=56B]",
            "path=remote: hardware round trip of one byte = [network.round_trip.tcp path=remote bytes=1B]",
            "path=loopback: software round trip of one byte = \
             [network.round_trip.tcp.self path=loopback bytes=64B] + 2 × [switch.process.eventfd cpu={cpu}]",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "round trips on one machine(switches, writes, reads)",
        &[
            "every word came back",
            "cpu=same: linear",
            "switches of both sides(1.95, switches)",
            "calls of both sides: write 2..{writes}, read 2..{reads}",
            "processes(2)",
            "placed",
            "undisturbed",
        ],
    ),
    (
        "every message came back",
        &["answers = 1: every message came back as it went, byte by byte, each after the one before"],
    ),
    (
        // Whoever serves the network device may take the CPU from the near end besides.
        "sleeps of the near end(most)",
        &["switches.voluntary 0..{most} (if consistent): the near end slept only until its answer came"],
    ),
    (
        "segments(most)",
        &[
            "segments.out 0.999..{most + 0.001} (if consistent): each message went as a segment of its own",
            "segments.in 0.999..{most + 0.001} (if consistent): each answer came as a segment of its own, and none was kept \
             or invented",
        ],
    ),
    (
        "nothing was sent again",
        &["retransmissions = 0 (noise): no segment was lost and sent again"],
    ),
    (
        // Of a segment: a receiver that does not get the CPU for a while is probed by a segment that it has already.
        "little was sent again",
        &["retransmissions 0..0.05 (noise): nearly no segment was sent again"],
    ),
    (
        "every block came",
        &["answers = 1: every block came whole, after the one before, with the right words in it"],
    ),
    (
        "every byte was counted",
        &["bytes.received_per_sent = 1: both ends counted the same bytes"],
    ),
    (
        "steady stream",
        &[
            "steady = 1 (noise): the stream found its pace in the first quarter of the windows",
            "undisturbed",
        ],
    ),
    // Shares of one CPU or of the time, which may be off by what two clocks differ.
    (
        "shares of the CPUs",
        &[
            "cpu.receiver 0..1.1 (quiet, if consistent): the receiver had no more than one CPU",
            "cpu.sender 0..1.1 (quiet, if consistent): the sender had no more than one CPU",
        ],
    ),
    (
        "shares of the time held back",
        &[
            "limited.window 0..1.1 (quiet, if consistent): the receiver's window held data back for no more than all of the \
             time, by the sender's kernel",
            "limited.buffer 0..1.1 (quiet, if consistent): the sender's socket lacked room for no more than all of the time, \
             by its kernel",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    (
        // On one CPU four calls are made one after another; on two those of one side are.
        "calls of a round trip",
        &[
            "cpu!=other|sibling|node: floors(4)",
            "cpu=other|sibling|node: floors(2)",
        ],
    ),
    (
        // In and out on one CPU; a flow for each CPU has as many cores.
        "copies of all cores",
        &[
            "< 64 bytes/cycle × [clock.frequency clock=core] × cpus.allowed: no core copies a payload at more than 64 bytes in a \
             cycle",
        ],
    ),
];
