//! io_uring O_DIRECT writes, and reads and writes mixed, at several queue depths.

use super::read::uring::{QUEUED, RATE_OF_PEAK, REGISTERED};
use measure::Operation;
use quantity::Quantity;
use record::Plot;
use workloads::file::uring::{Measured, Mix, request_at_depth};

/// Writes.
pub static WRITES: Operation = Operation {
    id: "file.write.uring",
    title: "io_uring 4 KiB O_DIRECT write, queue depth n, overwrite",
    one_iteration: "one O_DIRECT write of a block with n writes in flight",
    method: "As file.read.uring: random blocks of a 64 MiB file, allocated and synced before, are overwritten. First and last word \
             of each block are new in each write; at the end every written block is read back and both are checked.",
    confounds: "The device may complete a write in a volatile cache: nothing is flushed. A flash drive writes faster until its cache \
                is full; the state of the drive is that of its earlier use.",
    sources: &[("fio", "io_uring, direct=1, rw=randwrite, bs=4k to 1m, iodepth=1 to 256, overwrite=1")],
    points: &[
        "depth=1|16|64; depth=16 method=registered",
        "profile=thorough: depth=2|4|8|32|128|256; depth=1|16|64 block=16KiB|64KiB|256KiB; depth=1|4|16 block=1MiB; \
         depth=1|64 method=registered; depth=1|16 block=512B",
    ],
    predict: &[
        "block!=*: hardware t0 device at this depth = {max(10000, 50000 / depth)} ns (×2.5: a write of \
         4 KiB at depth 1 to flash with a cache of its own: 20 to 100 µs; a virtual disk has a queue or two, each with \
         some 100 000 requests a second (virtio, a host thread); a physical drive has more)",
        "block=*: let t0 request = {max(10000, 50000 / depth)} ns (×2.5: as of 4 KiB)",
        "block=*: hardware t0 the slower of request and bytes = max(request, {block / 4096} × device_share)",
        // The bound of a closed queue, as for reads.
        "depth!=64 block!=* method!=*: hardware t1 latency over depth = {1 / depth} × [file.write.direct access=random]",
        "method=*: hardware t1 the same by plain requests = [file.write.uring depth={depth}]",
        "depth!=64 block!=* method!=*: hardware t1 waiting for the other writes = {(depth - 1) / depth} × [file.write.uring depth=64]",
        "block=*: hardware t1 the slowest of latency over depth, requests and bytes = max({1 / depth} × \
         [file.write.direct access=random], [file.write.uring depth=64], {block} bytes × 1e9 ns/s / \
         [file.write.rate cache=direct])",
    ],
    evidence: &[
        "answers = 1: every write was complete",
        "written",
        "requests.deepest = {depth}: this many writes were in flight",
        "requests for written blocks",
        REGISTERED,
    ],
    run: |bench| request_at_depth(bench, Mix::Writes, Measured::Time),
    ..QUEUED
};

/// Latency of a write.
pub static WRITE_LATENCY: Operation = Operation {
    id: "file.write.uring.latency",
    title: "latency of an io_uring 4 KiB O_DIRECT write, queue depth n, overwrite",
    method: "As file.write.uring, timed as file.read.uring.latency: from the entry in the submission queue until the program takes the \
             completion, and with load= from when a write is due, at this percentage of the rate of a full queue, which the trial \
             measures first.",
    confounds: WRITES.confounds,
    sources: &[
        ("fio", "clat of io_uring, direct=1, rw=randwrite, bs=4k, iodepth=n, overwrite=1"),
        ("fio", "rate_iops=n, io_submit_mode=offload: load=, at a rate that the user chooses"),
    ],
    points: BY_LOAD,
    tail: &["depth=16"],
    plot: Some(by_load),
    predict: &[
        "load=*: hardware t0 write to the device = 50000 ns (×2.5: as for file.write.uring at depth 1)",
        // As for reads: regular arrivals, scattered service times.
        "load=*: hardware t0 writes before it = {load / 2 / (100 - load) * max(10000, 50000 / depth)} ns (×2.5: as for file.write.uring)",
        "load=*: hardware t1 one write = [file.write.direct access=random]",
        "load=*: hardware t1 wait for writes before it = {load / 2 / (100 - load)} × [file.write.uring depth={depth}]",
        "load!=*: hardware t0 writes of the queue = {depth * max(10000, 50000 / depth)} ns (×2.5: depth times the time per write)",
        "load!=*: hardware t1 depth writes, one after the other = {depth} × [file.write.uring depth={depth}]",
    ],
    evidence: &[
        "answers = 1: every write was complete",
        "written",
        "requests.deepest = {depth}: this many writes were in flight",
        "requests for written blocks",
        RATE_OF_PEAK,
    ],
    bounds: &["floor"],
    run: |bench| request_at_depth(bench, Mix::Writes, Measured::Latency),
    ..WRITES
};

/// CPU time of a write.
pub static WRITE_CPU: Operation = Operation {
    id: "file.write.uring.cpu",
    title: "CPU time of an io_uring 4 KiB O_DIRECT write, queue depth n, overwrite",
    method: "As file.write.uring. A value is the CPU time of the process (CLOCK_PROCESS_CPUTIME_ID) for 10 × depth writes (at least \
             32), divided by their number.",
    confounds: "Interrupts are counted for the task that they interrupt: where this CPU is idle or serves another task, the \
                completion is not included. Marking the block is included (20 ns).",
    sources: &[(
        "fio",
        "usr_cpu and sys_cpu over iops, direct=1, rw=randwrite, bs=4k, iodepth=n, overwrite=1",
    )],
    points: &["depth=16", "profile=thorough: depth=1|64; depth=16 method=registered"],
    predict: &["floors({1 / depth})", "request to the device"],
    run: |bench| request_at_depth(bench, Mix::Writes, Measured::Cpu),
    ..WRITES
};

/// The loads of a latency over the achieved rate.
const BY_LOAD: &[&str] = &["depth=16 load=10|50|90", "profile=thorough: depth=16 load=30|70|80; depth=16"];

fn by_load() -> Plot {
    Plot::logarithmic("load", "requests per second, in percent of the peak", Quantity::Count)
}

/// Seven reads to three writes.
pub static MIXED: Operation = Operation {
    id: "file.mixed.uring",
    title: "io_uring 4 KiB O_DIRECT request, 70 % reads, queue depth n",
    one_iteration: "one O_DIRECT read or overwrite of a random block with n requests in flight, seven reads to three writes",
    method: "As file.read.uring and file.write.uring in one queue: of ten requests, seven read the test file and three overwrite \
             another file of 64 MiB, evenly mixed.",
    confounds: "Reads and writes are of two files: of one file, some file systems lock out reads while a block is written. The \
                rest as for file.write.uring.",
    sources: &[("fio", "io_uring, direct=1, rw=randrw, rwmixread=70, bs=4k, iodepth=n")],
    points: &["depth=16", "profile=thorough: depth=1|4|64|256; depth=16 block=64KiB"],
    predict: &[
        "block!=*: hardware t0 device at this depth = {max(10000, 64000 / depth)} ns (×2.5: 0.7 reads of 70 µs and 0.3 writes of \
         50 µs at depth 1; a virtual disk takes some 100 000 requests a second)",
        "block=*: let t0 request = {max(10000, 64000 / depth)} ns (×2.5: as of 4 KiB)",
        "block=*: hardware t0 the slower of request and bytes = max(request, {block / 4096} × device_share)",
        "depth=1|16|64 block!=*: hardware t1 seven reads of ten = 0.7 × [file.read.uring depth={depth}]",
        "depth=1|16|64 block!=*: hardware t1 three writes of ten = 0.3 × [file.write.uring depth={depth}]",
    ],
    evidence: &[
        "answers = 1: every read block had the expected content, and every write was complete",
        "from the device(1.001)",
        "blocks.right = 1: at the end every block had the last data written",
        "requests.deepest = {depth}: this many requests were in flight",
        "requests for written blocks",
    ],
    run: |bench| request_at_depth(bench, Mix::Mixed, Measured::Time),
    ..QUEUED
};

/// Latency of a request of a mix.
pub static MIXED_LATENCY: Operation = Operation {
    id: "file.mixed.uring.latency",
    title: "latency of an io_uring 4 KiB O_DIRECT request, 70 % reads, queue depth n",
    method: "As file.mixed.uring, timed as file.read.uring.latency. Reads and writes count alike.",
    confounds: MIXED.confounds,
    sources: &[
        ("fio", "clat of io_uring, direct=1, rw=randrw, rwmixread=70, bs=4k, iodepth=n"),
        ("fio", "rate_iops=n, io_submit_mode=offload: load=, at a rate that the user chooses"),
    ],
    points: BY_LOAD,
    tail: &["depth=16"],
    plot: Some(by_load),
    predict: &[
        "load=*: hardware t0 request to the device = 64000 ns (×2.5: as for file.mixed.uring at depth 1)",
        "load=*: hardware t0 requests before it = {load / 2 / (100 - load) * max(10000, 64000 / depth)} ns (×2.5: as for \
         file.mixed.uring)",
        // More than half of the requests are reads.
        "load=*: hardware t1 one read = [file.read.direct access=random file_size=256MiB]",
        "load=*: hardware t1 wait for requests before it = {load / 2 / (100 - load)} × [file.mixed.uring depth={depth}]",
        "load!=*: hardware t0 requests of the queue = {depth * max(10000, 64000 / depth)} ns (×2.5: depth times the time per request)",
        "load!=*: hardware t1 depth requests, one after the other = {depth} × [file.mixed.uring depth={depth}]",
    ],
    evidence: &[
        "answers = 1: every read block had the expected content, and every write was complete",
        "from the device(1.001)",
        "blocks.right = 1: at the end every block had the last data written",
        "requests.deepest = {depth}: this many requests were in flight",
        "requests for written blocks",
        RATE_OF_PEAK,
    ],
    bounds: &["floor"],
    run: |bench| request_at_depth(bench, Mix::Mixed, Measured::Latency),
    ..MIXED
};
