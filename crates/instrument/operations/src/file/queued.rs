//! io_uring O_DIRECT writes, and reads and writes mixed, at several queue depths.

use super::read::uring::QUEUED;
use measure::Operation;
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
        "depth=1|16|64",
        "profile=thorough: depth=2|4|8|32|128|256; depth=1|16|64 block=16KiB|64KiB|256KiB; depth=1|4|16 block=1MiB",
    ],
    predict: &[
        "block!=*: hardware t0 device at this depth = {max(10000, 50000 / depth)} ns (×2.5: a write of \
         4 KiB at depth 1 to flash with a cache of its own: 20 to 100 µs; a virtual disk has a queue or two, each with \
         some 100 000 requests a second (virtio, a host thread); a physical drive has more)",
        "block=*: let t0 request = {max(10000, 50000 / depth)} ns (×2.5: as of 4 KiB)",
        "block=*: hardware t0 the slower of request and bytes = max(request, {block / 4096} × device_share)",
        // The bound of a closed queue, as for reads.
        "depth!=64 block!=*: hardware t1 latency over depth = {1 / depth} × [file.write.direct access=random]",
        "depth!=64 block!=*: hardware t1 waiting for the other writes = {(depth - 1) / depth} × [file.write.uring depth=64]",
        "block=*: hardware t1 the slowest of latency over depth, requests and bytes = max({1 / depth} × \
         [file.write.direct access=random], [file.write.uring depth=64], {block} bytes × 1e9 ns/s / \
         [file.write.rate cache=direct])",
    ],
    evidence: &[
        "answers = 1: every write was complete",
        "written",
        "requests.deepest = {depth}: this many writes were in flight",
        "requests for written blocks",
    ],
    run: |bench| request_at_depth(bench, Mix::Writes, Measured::Time),
    ..QUEUED
};

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
