//! io_uring O_DIRECT reads at several queue depths: the time per read, the latency of one, and its CPU time.

use crate::file::DEVICE;
use measure::{Operation, takes};
use quantity::Quantity;
use record::Plot;
use workloads::file::uring::{Measured, Mix, QueuedRequest, request_at_depth};

/// Common to requests with several in flight.
pub(in crate::file) const QUEUED: Operation = Operation {
    parameters: takes::<QueuedRequest>,
    plot: Some(|| Plot::logarithmic("depth", "queue depth", Quantity::Count)),
    bounds: &["> {1 / 256} × [syscall.floor]: one call submits at most 256 requests"],
    ..DEVICE
};

/// What requests at a load prove.
pub(in crate::file) const RATE_OF_PEAK: &str = "load=*: rate.of_peak {0.009 * load}..{0.0103 * load} (noise): requests were made at \
                                                this share of the peak that was measured just before";

/// What registered buffers prove.
pub(in crate::file) const REGISTERED: &str = "method=registered: unregistered.refused = 1: a request by the same address that did not \
                                              name the registration was refused";

/// Time per read.
pub static URING: Operation = Operation {
    id: "file.read.uring",
    title: "io_uring 4 KiB O_DIRECT read, queue depth n",
    one_iteration: "one O_DIRECT read of a block with n reads in flight, first and last word checked",
    method: "io_uring with one submission queue; random or sequential blocks. depth \
             reads are submitted by one call; then each call waits for at least one completion and resubmits as many. A \
             value is the time of 10 × depth reads (at least 32), from the first call to the last completion, divided \
             by their number. method=registered: buffers and file are registered with the ring; the program itself has no access at \
             the address that requests name, so that none succeeds but by the registration. method=polled: the kernel polls the \
             device for completions (IORING_SETUP_IOPOLL), where the driver has queues for it.",
    confounds: "Time per block, not the latency of a block, which is depth times as long. Sequential reads in flight may merge \
                into one request. Caches below the device are not dropped.",
    sources: &[
        ("fio", "io_uring, direct=1, bs=512 to 1m, iodepth=1 to 256"),
        ("fio", "fixedbufs and registerfiles: method=registered; hipri: method=polled"),
    ],
    points: &[
        "depth=1|4|16|64; depth=4 block=1MiB; depth=16 access=sequential; depth=16 method=registered; depth=1 method=polled",
        "profile=thorough: depth=2|8|32|128|256; depth=1|16|64 block=16KiB|64KiB|256KiB; depth=1|16 block=1MiB; \
         depth=1|64 method=registered; depth=16 method=polled; depth=1|16 block=512B",
    ],
    predict: &[
        "block=1MiB: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: hardware t0 device at this depth = {max(10000, 70000 / depth)} ns (×2.5: a read of \
         4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk has a queue or two, each with \
         some 100 000 requests a second (virtio, a host thread); a physical drive has more)",
        "block=..256KiB: let t0 request = {max(10000, 70000 / depth)} ns (×2.5: as of 4 KiB)",
        "block=..256KiB: hardware t0 the slower of request and bytes = max(request, {block / 4096} × device_share)",
        "access!=*: let latency = [file.read.direct access=random file_size=256MiB]",
        "access=*: let latency = [file.read.direct access={access} file_size=64MiB]",
        // The lower bound of the throughput of a closed queue: a read waits for all others at the device (Zahorjan et al., Balanced
        // job bound analysis of queueing networks, CACM 1982).
        "depth!=64 block!=* method!=*: hardware t1 latency over depth = {1 / depth} × latency",
        "depth!=64 access!=* block!=* method!=*: hardware t1 waiting for the other reads = \
         {(depth - 1) / depth} × [file.read.uring depth=64]",
        "block=..256KiB: hardware t1 the slowest of latency over depth, requests and bytes = max({1 / depth} × latency, \
         [file.read.uring depth=64], {block / 1048576} × [file.read.uring depth=4 block=1MiB])",
        // The device decides; what the kernel does for a request is less.
        "method=*: hardware t1 the same by plain requests = [file.read.uring depth={depth}]",
        // Reads of neighbours that are submitted together become one request (the block layer's plug).
        "access=*: hardware t1 the other blocks of the request = {(depth - 1) / depth / 256} × \
         [file.read.uring depth=4 block=1MiB]",
    ],
    evidence: &[
        "blocks from the device(1.001)",
        "requests.deepest = {depth}: this many reads were in flight",
        "access!=*: one request each",
        REGISTERED,
        "method=polled: requests.slept 0..0.1 (if consistent): the program did not sleep until an interrupt",
    ],
    run: |bench| request_at_depth(bench, Mix::Reads, Measured::Time),
    ..QUEUED
};

/// Latency of a read.
pub static LATENCY: Operation = Operation {
    id: "file.read.uring.latency",
    title: "latency of an io_uring 4 KiB O_DIRECT read, queue depth n",
    one_iteration: "one O_DIRECT read of a random block with n reads in flight, first and last word checked",
    method: "As file.read.uring. A value is the time of one read, from its entry in the submission queue until the program \
             takes its completion. load=: a trial first keeps the queue full, which gives the peak; then reads are due at \
             regular times, at this percentage of that rate, and a value is the time from when a read is due (open loop). The \
             program polls and does not sleep. Where every read is timed (--tail), the queue stays full for the trial: each read that \
             completes is replaced by one call, and each has its own times of entry and completion.",
    confounds: "The reads of the first call of a value are submitted together; with --tail none is. A completion that waits in the queue while the \
                program checks another block counts as latency.",
    sources: &[
        ("fio", "clat of io_uring, direct=1, bs=4k, iodepth=n"),
        ("fio", "rate_iops=n, io_submit_mode=offload: load=, at a rate that the user chooses"),
    ],
    points: &[
        "depth=16; depth=16 load=10|50|90",
        "profile=thorough: depth=1|4|64|256; depth=16 load=30|70|80",
    ],
    tail: &["depth=1|4|16|64"],
    predict: &[
        "load=*: hardware t0 read of the device = device_read",
        // Regular arrivals, service times as scattered as exponential ones (Kingman, The single server queue in heavy traffic, 1961):
        // a device that serves several reads at a time lets them wait less.
        "load=*: hardware t0 reads before it = {load / 2 / (100 - load) * max(10000, 70000 / depth)} ns (×2.5: as for \
         file.read.uring)",
        "load=*: hardware t1 one read = [file.read.direct access=random file_size=256MiB]",
        "load=*: hardware t1 wait for reads before it = {load / 2 / (100 - load)} × [file.read.uring depth={depth}]",
        "load!=*: hardware t0 reads of the queue = {depth * max(10000, 70000 / depth)} ns (×2.5: depth times the time per read of \
         file.read.uring)",
        // Little, A proof for the queuing formula L = λ W, Operations Research 1961.
        "load!=*: hardware t1 depth reads, one after the other = {depth} × [file.read.uring depth={depth}]",
    ],
    evidence: &[
        "blocks from the device(1.001)",
        "requests.deepest = {depth}: this many reads were in flight",
        "one request each",
        RATE_OF_PEAK,
    ],
    bounds: &["floor"],
    run: |bench| request_at_depth(bench, Mix::Reads, Measured::Latency),
    ..QUEUED
};

/// CPU time of a read.
pub static CPU: Operation = Operation {
    id: "file.read.uring.cpu",
    title: "CPU time of an io_uring 4 KiB O_DIRECT read, queue depth n",
    one_iteration: URING.one_iteration,
    method: "As file.read.uring. A value is the CPU time of the process (CLOCK_PROCESS_CPUTIME_ID) for 10 × depth reads (at least \
             32), divided by their number.",
    confounds: "Interrupts are counted for the task that they interrupt: where this CPU is idle or serves another task, the \
                completion is not included. The check of the block is included (20 ns).",
    sources: &[("fio", "usr_cpu and sys_cpu over iops, direct=1, bs=4k, iodepth=n")],
    points: &["depth=16; depth=16 method=registered", "profile=thorough: depth=1|64|256"],
    predict: &[
        "method!=*: floors({1 / depth})",
        "method!=*: request to the device",
        "method=*: t0 floors({1 / depth})",
        "method=*: t0 request to the device",
        "method=*: let pinned = 150 cycles (×1.8: a page of the program pinned and unpinned: some 200 instructions and 2 locked \
         ones) × cycle_ns",
        "method=*: software t1 the same without pinning the page = [file.read.uring.cpu depth={depth}] − pinned",
    ],
    evidence: URING.evidence,
    run: |bench| request_at_depth(bench, Mix::Reads, Measured::Cpu),
    ..QUEUED
};
