//! Bandwidth of pipes and Unix stream sockets, between two processes and within one task.

use measure::{Actors, Operation, Parameters, takes};
use quantity::Quantity;
use sys::pipe::Carrier;
use workloads::os::byte_stream;
use workloads::os::byte_stream::ByteStream;

const STREAM: Operation = Operation {
    one_iteration: "one message read completely while the other process keeps writing",
    quantity: Quantity::Bandwidth,
    method: "One process writes messages of random bytes continuously, the other reads them. A batch begins and ends with a \
             complete message and holds at least 512 KiB: clock and count stop at the same place (E41). The number and \
             one word of each message are checked on arrival, the last message byte by byte. At the end the reader \
             drains the stream, and both counts must agree.",
    confounds: "With cpu=same writing and reading are serial, and each side runs until the buffer is full or empty. On two CPUs \
                they overlap, and the number of waits varies. The messages stay in the caches.",
    actors: Actors::TwoProcesses,
    // Other placements have the size that every tool uses.
    parameters: takes::<ByteStream>,
    points: &[
        "profile!=thorough: bytes=4KiB cpu=same",
        "profile=thorough: bytes=1KiB|4KiB|16KiB cpu=same",
        "bytes=64KiB cpu=same|other|sibling|node; bytes=64KiB cpu=other idle=busy|polling",
        "profile=thorough: bytes=1MiB cpu=same",
    ],
    payload_bytes: |point| ByteStream::read(point).ok().map(|all| all.bytes.bytes()),
    evidence: &[
        "answers = 1: every message was complete, with the right number and word",
        "bytes.received_per_sent = 1: both sides counted the same bytes",
        "calls.write 0.85..1.15: one write per message",
        "calls.read 0.85..10000: at least one read per message",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "< 64 bytes/cycle × [clock.frequency clock=core]: no core copies this payload at more than 64 bytes per cycle",
    ],
    spend_ns: 20_000_000,
    revision: 2,
    ..super::COMMON
};

/// From process to process over a pipe.
pub static PIPE: Operation = Operation {
    id: "ipc.bandwidth.pipe",
    title: "pipe bandwidth between two processes",
    sources: &[
        ("lmbench", "bw_pipe: 64 KiB messages, unpinned"),
        ("stress-ng", "--pipe: MB per second written, 4 KiB at a time by default"),
    ],
    // A pipe holds 64 KiB before its writer waits (pipe(7)).
    predict: &[
        "definitions of a stream",
        "bytes=..65535: let single_task = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.pipe.self bytes=4KiB]",
        "bytes=64KiB..: let single_task = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.pipe.self bytes=64KiB]",
        "bytes=..65535: let switches = switches_within(65536)",
        "bytes=64KiB..: let switches = {2 * bytes / 64KiB}",
        "cpu=same: stream on one CPU",
        "cpu!=same bytes=..65535: stream between CPUs",
        // A message that fills a pipe makes both alternate: the writer wakes the reader when the pipe is full, the reader
        // the writer when its read is complete (`pipe_write`, `pipe_read`).
        "idle!=*: let wake_up = idle_exit + wake_up_exits",
        "idle=busy: let wake_up = interrupt + vm_exit",
        "idle=polling: let wake_up = 2 × 1.5 × family.l3_cycles × cycle_ns",
        "let wake_ups(n) = {n} × tables × cycle_ns + {n} × scheduler × cycle_ns + {n} × wake_up",
        "cpu!=same bytes=64KiB..: software t0 system calls, copies, line transfers = {bytes} bytes × 1e9 ns/s / \
         (calls + transfer + wake_ups({2 * bytes / 64KiB}))",
        "cpu!=same bytes=64KiB..: software t1 the same by one task, switches, line transfers = {bytes} bytes × \
         1e9 ns/s / (single_task + moved + {2 * bytes / 64KiB} × [switch.process.pipe {placement}])",
    ],
    headline: &[("bytes=64KiB cpu=same", "pipe bandwidth, same CPU")],
    run: |bench| byte_stream::between(bench, Carrier::Pipe),
    ..STREAM
};

/// From process to process over Unix stream sockets.
pub static UNIX_STREAM: Operation = Operation {
    id: "ipc.bandwidth.unix_stream",
    title: "Unix stream socket bandwidth between two processes",
    sources: &[("lmbench", "bw_unix: 64 KiB messages, unpinned")],
    // A send buffer has 208 KiB, of which overhead takes some: a socket holds 160 KiB before its writer waits.
    predict: &[
        "definitions of a stream",
        "bytes=..65535: let single_task = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.unix_stream.self bytes=4KiB]",
        "bytes=64KiB..: let single_task = {bytes} bytes × 1e9 ns/s / [ipc.bandwidth.unix_stream.self bytes=64KiB]",
        "bytes=..163839: let switches = switches_within(163840)",
        "bytes=160KiB..: let switches = {2 * bytes / 160KiB}",
        "cpu=same: stream on one CPU",
        "cpu!=same: stream between CPUs",
    ],
    run: |bench| byte_stream::between(bench, Carrier::UnixStream),
    ..STREAM
};

const SELF: Operation = Operation {
    one_iteration: "one message written and read back by one task",
    quantity: Quantity::Bandwidth,
    method: "A task writes a message of random bytes and reads it back. Number, one word and the last message are checked as \
             between processes.",
    confounds: "The kernel reuses the same pages, which stay in the caches.",
    parameters: takes::<ByteStream>,
    points: &["bytes=4KiB|64KiB"],
    payload_bytes: |point| ByteStream::read(point).ok().map(|all| all.bytes.bytes()),
    evidence: &[
        "answers = 1: every message came back with its number",
        "linear",
        "calls: write 1, read 1",
        "undisturbed",
    ],
    bounds: &[
        "< 32 bytes/cycle × [clock.frequency clock=core]: no core copies this payload twice at more than 32 bytes per cycle",
    ],
    ..super::COMMON
};

/// Through a pipe and back.
pub static PIPE_SELF: Operation = Operation {
    id: "ipc.bandwidth.pipe.self",
    title: "pipe bandwidth, write + read by one task",
    sources: &[("lmbench", "none: bw_pipe is between processes only")],
    predict: &[
        "definitions of a stream",
        "software t0 calls and two copies = {bytes} bytes × 1e9 ns/s / ((800 cycles (×1.6: two calls through \
         the file layer and the pipe: some 350 instructions each) + 2 × entry + copies) × cycle_ns)",
        "software t1 calls for one byte and two copies = {bytes} bytes × 1e9 ns/s / ([syscall.pipe.self] + \
         copies × cycle_ns)",
    ],
    run: |bench| byte_stream::within_one_task(bench, Carrier::Pipe),
    ..SELF
};

/// Through a pair of Unix stream sockets and back.
pub static UNIX_STREAM_SELF: Operation = Operation {
    id: "ipc.bandwidth.unix_stream.self",
    title: "Unix stream socket bandwidth, write + read by one task",
    sources: &[("lmbench", "none: bw_unix is between processes only")],
    predict: &[
        "definitions of a stream",
        "software t0 calls and two copies = {bytes} bytes × 1e9 ns/s / ((800 cycles (×1.6: two calls through \
         the file layer and the pipe: some 350 instructions each) + 2 × entry + copies + 2000 cycles (×1.8: \
         credentials, a buffer allocated, charged, queued, announced, dequeued and freed: 2 000 instructions \
         beyond a pipe)) × cycle_ns)",
        "software t1 calls for one byte and two copies = {bytes} bytes × 1e9 ns/s / ([syscall.unix.self] + \
         copies × cycle_ns)",
    ],
    run: |bench| byte_stream::within_one_task(bench, Carrier::UnixStream),
    ..SELF
};
