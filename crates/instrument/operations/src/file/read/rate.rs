//! Rates of large sequential reads, as hdparm gives them: from the page cache, and from the device.

use crate::file::DEVICE;
use measure::{Operation, takes};
use quantity::Quantity;
use workloads::file::device;
use workloads::file::device::Passes;

/// Rates.
pub static RATE: Operation = Operation {
    id: "file.read.rate",
    title: "rate of sequential 2 MiB reads of a file",
    one_iteration: "one pass over 64 MiB by `pread` of 2 MiB, first and last word of each read checked",
    quantity: Quantity::Bandwidth,
    method: "The last 64 MiB of the run's test file are read 2 MiB at a time, as hdparm reads a disk. cache=cold: its page cache \
             is dropped before each pass, and the kernel reads ahead (hdparm -t). cache=warm: the file is cached (hdparm -T, \
             which measures memory and not the disk).",
    confounds: "Caches below the device are not dropped: the disk's own, or that of a virtual machine's host. hdparm reads the disk \
                itself, from its beginning, where a rotating disk is fastest.",
    sources: &[
        ("R2, 2", "2280.2 MB/s, among the specifications, without a source"),
        (
            "R4, 2",
            "hdparm -t of three disks: 158, 385, 526 MB/s, given as transfer rates; hdparm is to determine the latency, it says",
        ),
        (
            "hdparm",
            "-t: 2 MiB at a time of a device, for three seconds; -T: its first 2 MiB again and again, for two",
        ),
    ],
    parameters: takes::<Passes>,
    points: &["cache=cold|warm"],
    predict: &[
        "cache=cold: hardware t0 stream from the device = 4096 bytes × 1e9 ns/s / device_share",
        "cache=cold: hardware t1 the device with four reads in flight, or copies = min(1048576 bytes × 1e9 ns/s / \
         [file.read.uring depth=4 block=1MiB], 4096 bytes × 1e9 ns/s / [file.read.cached access=sequential file_size=16MiB])",
        "cache=warm: hardware t0 read from memory = by_latency(family.memory_ns)",
        "cache=warm: hardware t1 pages copied from memory = [memory.bandwidth.copy method=string bytes=128MiB cpus=1]",
    ],
    evidence: &[
        "answers = 1: every read had the expected content",
        "cache=cold: from the device(1.001)",
        "cache=cold: cache.emptied = 1: nothing was cached before the pass",
        "cache=warm: nothing from a device",
    ],
    bounds: &[
        "cache=warm: < 64 bytes/cycle × [clock.frequency clock=core]: no core stores more than 64 bytes per cycle",
    ],
    run: device::read_rate,
    ..DEVICE
};
