//! A cold file read through a mapping, sequentially and at a stride: readahead of the kernel.

use super::major::MAJOR;
use measure::{How, Operation, takes};
use record::Need;
use workloads::memory::cold_pages::{MappedPasses, StridedTouches, read_in_order, touch_with_readahead};

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
        "strides of one page through a file made by ftruncate: the system reads ahead, it says (perhaps E21)",
    )],
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

/// Touches at a stride, with readahead.
pub static STRIDE: Operation = Operation {
    id: "fault.file.readahead.stride",
    revision: 1,
    title: "touch of a cold file at a stride, with readahead",
    one_iteration: "one read of a page at a stride through a file that was not in the page cache; the value of a pass is its mean",
    method: "The last n bytes of the run's test file in --dir, mapped without advice. A pass drops the page cache of the file, checks \
             that it is empty, and reads up to 100 pages at the stride from the beginning; its time is divided by the touches. \
             The kernel reads a window of the device around each missing page (128 KiB by default), so that touches at small strides \
             find their page cached.",
    confounds: "The readahead window is a setting of the device (read_ahead_kb). After 100 misses in a row the kernel reads single \
                pages. Caches below the device are not dropped.",
    sources: &[(
        "R0, 4.4.1",
        "strides of 1 to 65 536 pages through 1 GB made by ftruncate, after purge; 100 touches, or as many as fit (perhaps E21)",
    )],
    how: How::Values,
    parameters: takes::<StridedTouches>,
    points: &[
        "profile!=thorough: stride=4KiB|64KiB|1MiB file_size=256MiB",
        "profile=thorough: stride=4KiB|64KiB|1MiB file_size=256MiB; \
         stride=4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB|256MiB file_size=1GiB",
    ],
    needs: |_| vec![Need::Directory],
    spend_ns: 60_000_000,
    spend_of: None,
    // A window reaches 64 KiB beyond the missing page: 65536 / stride touches find their page in it.
    predict: &[
        "let misses = {min(1, stride / 65536)}",
        "t0 page fault",
        "software t1 fault on a cached page = [fault.file.minor stride=64KiB fill_write=4KiB]",
        "hardware t0 window read from the device = misses × 150000 ns (×2: 128 KiB at depth 1 from flash: 100 to 250 µs)",
        "hardware t1 window read from the device = misses × ([file.read.direct access=sequential file_size=64MiB] \
         + 0.125 (×1.5: 128 KiB of 1 MiB) × [file.read.direct access=sequential file_size=64MiB block=1MiB])",
    ],
    evidence: &[
        "pages from a device",
        "device.bytes {0.99 * 4096}..1e9: the device read all that was touched",
    ],
    run: touch_with_readahead,
    ..READAHEAD
};
