//! A cold file read sequentially through a mapping: readahead of the kernel.

use super::WAITS;
use super::major::MAJOR;
use measure::{Operation, takes};
use workloads::memory::cold_pages::{MappedPasses, read_in_order};

pub static READAHEAD: Operation = Operation {
    id: "fault.file.readahead",
    title: "sequential read of a 16 MiB file through a mapping, cold page cache",
    one_iteration: "one read of every page of a 16 MiB file that is not in the page cache; the random words must be correct",
    method: "A file as for fault.file.major, mapped without advice or with MADV_SEQUENTIAL and touched page by page from \
             its start. The kernel detects the order and reads ahead: most pages are cached when touched, so a page \
             costs the device's throughput and not its latency.",
    confounds: "The readahead window is a setting of the device (read_ahead_kb, 128 by default); faults.major counts the \
                waits.",
    sources: &[(
        "R0, 4.4.4",
        "strides of one page through a file made by ftruncate: the system reads ahead, it says (E21)",
    )],
    gate: WAITS,
    parameters: takes::<MappedPasses>,
    points: &["advice=none|sequential"],
    predict: &[
        "t0 page fault",
        "software t1 4096 touches of cached pages = 4096 × [fault.file.minor stride=4KiB fill_write=1MiB]",
        "hardware t1 16 MiB from the device, one request at a time = 16 × \
         [file.read.direct access=sequential file_size=64MiB block=1MiB]",
        "hardware t0 16 MiB from the device = {16777216 / 1.2} ns (×2.5: 1.2 GB/s: one request of 128 KiB at a time from \
         flash (specifications of NVMe drives, clouds' local disks))",
    ],
    evidence: &[
        "pages from a device",
        "device.bytes {0.99 * 16777216}..{1.5 * 16777216}: the device read all that was touched",
        "faults.major 0.5..1024 (noise): the kernel waited for the device for some pages only",
    ],
    run: read_in_order,
    headline: &[],
    ..MAJOR
};
