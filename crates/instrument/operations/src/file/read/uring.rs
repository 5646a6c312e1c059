//! io_uring O_DIRECT reads at several queue depths.

use crate::file::DEVICE;
use measure::{Operation, takes};
use quantity::Quantity;
use record::Plot;
use workloads::file::uring;
use workloads::file::uring::QueuedRead;

/// io_uring.
pub static URING: Operation = Operation {
    id: "file.read.uring",
    title: "io_uring 4 KiB O_DIRECT read, queue depth n",
    one_iteration: "one O_DIRECT read of a block with n reads in flight, first and last word checked",
    method: "io_uring with one submission queue, without polling or registered buffers; random or sequential blocks. depth \
             reads are submitted by one call; then each call waits for at least one completion and resubmits as many. A \
             value is the time of 10 × depth reads (at least 32), from the first call to the last completion, divided \
             by their number.",
    confounds: "Time per block, not the latency of a block, which is depth times as long. Sequential reads in flight may merge \
                into one request. Caches below the device are not dropped.",
    sources: &[("fio", "io_uring, direct=1, bs=4k, iodepth=1 to 64")],
    parameters: takes::<QueuedRead>,
    points: &["depth=1|4|16|64; depth=4 block=1MiB; depth=16 access=sequential"],
    plot: Some(|| Plot::logarithmic("depth", "queue depth", Quantity::Count)),
    predict: &[
        "block=*: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: hardware t0 device at this depth = {max(10000, 70000 / depth)} ns (×2.5: a read of \
         4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk has a queue or two, each with \
         some 100 000 requests a second (virtio, a host thread); a physical drive has more)",
        "access!=*: let latency = [file.read.direct access=random file_size=256MiB]",
        "access=*: let latency = [file.read.direct access={access} file_size=64MiB]",
        // The lower bound of the throughput of a closed queue: a read waits for all others at the device (Zahorjan et al., Balanced
        // job bound analysis of queueing networks, CACM 1982).
        "depth!=64 block!=*: hardware t1 latency over depth = {1 / depth} × latency",
        "depth!=64 access!=* block!=*: hardware t1 waiting for the other reads = \
         {(depth - 1) / depth} × [file.read.uring depth=64]",
        // Reads of neighbours that are submitted together become one request (the block layer's plug).
        "access=*: hardware t1 the other blocks of the request = {(depth - 1) / depth / 256} × \
         [file.read.uring depth=4 block=1MiB]",
    ],
    evidence: &["blocks from the device(1.001)", "reads.deepest = {depth}: this many reads were in flight"],
    bounds: &["> {1 / 64} × [syscall.floor]: one call submits at most 64 reads"],
    run: uring::read_at_depth,
    ..DEVICE
};
