//! Bytes per second from one process to another, over pipes and Unix stream sockets, and within one task.

use super::byte_stream;
use measure::{Actors, Area, Operation, Point};
use quantity::Quantity;
use record::Profile;
use sys::stream::Carrier;

const STREAM: Operation = Operation {
    area: Area::Os,
    one_iteration: "one message of that many bytes read whole, while the other process keeps writing",
    quantity: Quantity::Bandwidth,
    method: "One process writes messages of random bytes without pause, the other reads them whole. A batch begins \
             and ends when a message has been read, and holds at least half a MiB: clock and count stop at the same \
             place (E41). Each message carries its number, which is looked at when it arrives, as is one word of the \
             rest; the last is compared byte by byte. In the end the reader reads what is left, and both must have \
             counted the same.",
    confounds: "With cpu=same writing and reading add up, and each side runs until the buffer is full or empty; on two \
                CPUs they overlap, and how often they wait for each other is the machine's mood. The messages stay \
                in the caches.",
    actors: Actors::TwoProcesses,
    points: stream_points,
    payload_bytes: |point| point.size("bytes").ok(),
    evidence: &[
        "answers = 1: every message came whole, with its number and the right word",
        "bytes.received_per_sent = 1: both sides counted the same bytes",
        "calls.write 0.85..1.15: the other process writes each message by one call",
        "calls.read 0.85..10000: each message is read by at least one call",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "< 64 bytes/cycle × [clock.frequency clock=core]: no core copies a payload at more than 64 bytes in a cycle here",
    ],
    spend_ns: 20_000_000,
    revision: 2,
    ..Operation::NEW
};

/// From process to process over a pipe.
pub static PIPE: Operation = Operation {
    id: "ipc.bandwidth.pipe",
    title: "bytes over a pipe to another process",
    sources: &[
        ("lmbench", "bw_pipe: 64 KiB messages, unpinned"),
        ("stress-ng", "--pipe: bytes and switches as assumed"),
    ],
    // A pipe holds 64 KiB before its writer waits (pipe(7)).
    predict: &[
        "definitions of a stream",
        "let told = (1000 cycles (×1.8: two calls) + copies) × cycle_ns",
        "bytes=..65535: let alone = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.pipe.self bytes=4KiB]",
        "bytes=64KiB..: let alone = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.pipe.self bytes=64KiB]",
        // Where a message fills the carrier it is two switches each time it is full. Where many fit, the scheduler
        // decides: at the one end the reader is let in at each message, which makes two, at the other when the carrier
        // is full; the number lies in the middle, and how far off it may be is the way to both ends.
        "bytes=..65535: let switches = {sqrt(4 * bytes / 64KiB)} (×{2 / sqrt(4 * bytes / 64KiB)}: between a \
         switch to the reader and back for each message and two for each time that the carrier is full)",
        "bytes=64KiB..: let switches = {2 * bytes / 64KiB}",
        "cpu=same: software t0 calls, copies and lines moved = {bytes} bytes × 1e9 ns/s / told",
        "cpu=same: software t1 the same in one task, switches, lines moved = {bytes} bytes × 1e9 ns/s / \
         (alone + [switch.process.pipe cpu=same] × switches)",
        // On two CPUs both sides work at once, and every line of the carrier goes from one to the other.
        "let lines = {bytes / 512} (×1.6: eight lines are on their way at once when a page is copied)",
        "let far = lines × 1.5 × family.l3_cycles × cycle_ns",
        "let moved = lines × 0.5 × [ipc.cache_line.round_trip cpu={cpu} method=cas]",
        "cpu!=same bytes=..65535: software t0 calls, copies and lines moved = {bytes} bytes × 1e9 ns/s / \
         (0.5 × told + far)",
        "cpu!=same bytes=..65535: software t1 the same in one task, switches, lines moved = {bytes} bytes × \
         1e9 ns/s / (0.5 × alone + moved)",
        // A message that fills a pipe makes both take turns: whoever writes wakes the reader when it is full, and whoever
        // reads the writer when it has read what it asked for (`pipe_write`, `pipe_read`).
        "let woken(n) = {n} × tables × cycle_ns + {n} × scheduler × cycle_ns + {n} × idle_exit + {n} × \
         wake_up_exits",
        "cpu!=same bytes=64KiB..: software t0 calls, copies and lines moved = {bytes} bytes × 1e9 ns/s / \
         (told + far + woken({2 * bytes / 64KiB}))",
        "cpu!=same bytes=64KiB..: software t1 the same in one task, switches, lines moved = {bytes} bytes × \
         1e9 ns/s / (alone + moved + {2 * bytes / 64KiB} × [switch.process.pipe cpu={cpu}])",
    ],
    headline: &[("bytes=64KiB cpu=same", "pipe bandwidth, same CPU")],
    run: |bench| byte_stream::between(bench, Carrier::Pipe),
    ..STREAM
};

/// From process to process over Unix stream sockets.
pub static UNIX_STREAM: Operation = Operation {
    id: "ipc.bandwidth.unix_stream",
    title: "bytes over a Unix stream socket to another process",
    sources: &[("lmbench", "bw_unix: 64 KiB messages, unpinned")],
    // A send buffer has 208 KiB, of which overhead takes some: a socket holds 160 KiB before its writer waits.
    predict: &[
        "definitions of a stream",
        "let told = (1000 cycles (×1.8: two calls) + copies) × cycle_ns",
        "bytes=..65535: let alone = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.unix_stream.self bytes=4KiB]",
        "bytes=64KiB..: let alone = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.unix_stream.self bytes=64KiB]",
        // Where a message fills the carrier it is two switches each time it is full. Where many fit, the scheduler
        // decides: at the one end the reader is let in at each message, which makes two, at the other when the carrier
        // is full; the number lies in the middle, and how far off it may be is the way to both ends.
        "bytes=..163839: let switches = {sqrt(4 * bytes / 160KiB)} (×{2 / sqrt(4 * bytes / 160KiB)}: between \
         a switch to the reader and back for each message and two for each time that the carrier is full)",
        "bytes=160KiB..: let switches = {2 * bytes / 160KiB}",
        "cpu=same: software t0 calls, copies and lines moved = {bytes} bytes × 1e9 ns/s / told",
        "cpu=same: software t1 the same in one task, switches, lines moved = {bytes} bytes × 1e9 ns/s / \
         (alone + [switch.process.pipe cpu=same] × switches)",
        // On two CPUs both sides work at once, and every line of the carrier goes from one to the other.
        "let lines = {bytes / 512} (×1.6: eight lines are on their way at once when a page is copied)",
        "let far = lines × 1.5 × family.l3_cycles × cycle_ns",
        "let moved = lines × 0.5 × [ipc.cache_line.round_trip cpu={cpu} method=cas]",
        "cpu!=same: software t0 calls, copies and lines moved = {bytes} bytes × 1e9 ns/s / (0.5 × told + \
         far)",
        "cpu!=same: software t1 the same in one task, switches, lines moved = {bytes} bytes × 1e9 ns/s / \
         (0.5 × alone + moved)",
    ],
    run: |bench| byte_stream::between(bench, Carrier::UnixStream),
    ..STREAM
};

const ALONE: Operation = Operation {
    area: Area::Os,
    one_iteration: "one message written and read back by the same task",
    quantity: Quantity::Bandwidth,
    method: "A task writes a message of random bytes and reads it back, each whole; nobody waits. Number, one word and \
             the last message are looked at as between processes.",
    confounds: "The kernel's pages for the bytes are the same ones every time, and near.",
    points: |_| Point::all("bytes=4KiB|64KiB"),
    payload_bytes: |point| point.size("bytes").ok(),
    evidence: &[
        "answers = 1: every message came back with its number",
        "linear",
        "calls: write 1, read 1",
        "undisturbed",
    ],
    bounds: &[
        "< 32 bytes/cycle × [clock.frequency clock=core]: no core copies a payload at more than 32 bytes in a cycle here",
    ],
    ..Operation::NEW
};

/// Through a pipe and back.
pub static PIPE_SELF: Operation = Operation {
    id: "ipc.bandwidth.pipe.self",
    title: "bytes through a pipe and back in one task",
    sources: &[("lmbench", "none: bw_pipe is between processes only")],
    predict: &[
        "definitions of a stream",
        "software t0 calls and two copies = {bytes} bytes × 1e9 ns/s / ((800 cycles (×1.6: two calls through \
         the file layer and the pipe: some 350 instructions each) + 2 × entry + copies) × cycle_ns)",
        "software t1 calls for one byte and two copies = {bytes} bytes × 1e9 ns/s / ([syscall.pipe.self] + \
         copies × cycle_ns)",
    ],
    run: |bench| byte_stream::alone(bench, Carrier::Pipe),
    ..ALONE
};

/// Through a pair of Unix stream sockets and back.
pub static UNIX_STREAM_SELF: Operation = Operation {
    id: "ipc.bandwidth.unix_stream.self",
    title: "bytes through a Unix stream socket and back in one task",
    sources: &[("lmbench", "none: bw_unix is between processes only")],
    predict: &[
        "definitions of a stream",
        "software t0 calls and two copies = {bytes} bytes × 1e9 ns/s / ((800 cycles (×1.6: two calls through \
         the file layer and the pipe: some 350 instructions each) + 2 × entry + copies + 2000 cycles (×1.8: \
         credentials, a buffer made, charged, queued, told of, taken and freed: 2 000 instructions beyond a \
         pipe)) × cycle_ns)",
        "software t1 calls for one byte and two copies = {bytes} bytes × 1e9 ns/s / ([syscall.pipe.self] + \
         (copies + 2000 cycles (×1.8: credentials, a buffer made, charged, queued, told of, taken and freed: \
         2 000 instructions beyond a pipe)) × cycle_ns)",
    ],
    run: |bench| byte_stream::alone(bench, Carrier::UnixStream),
    ..ALONE
};

/// Far places are asked for with the size that every tool has.
fn stream_points(profile: Profile) -> Vec<Point> {
    Point::of_profile(
        profile,
        "bytes=4KiB cpu=same; bytes=64KiB cpu=same|other|sibling|node",
        "bytes=1KiB|4KiB|16KiB cpu=same; bytes=64KiB cpu=same|other|sibling|node; bytes=1MiB cpu=same",
    )
}
