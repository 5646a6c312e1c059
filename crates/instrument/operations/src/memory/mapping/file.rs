//! Mappings of files: lmbench's mmap, sparse touches, munmap; and a file of one page.

use super::MAPPING;
use crate::memory::fault::WAITS;
use measure::{How, Operation, takes};
use record::Need;
use workloads::memory::WorkingSet;
use workloads::memory::mapped_files::{OnePage, map_and_read, map_one_page};

pub static FILE: Operation = Operation {
    id: "mapping.file",
    title: "mmap of a cached file, reads in its first tenth, munmap",
    one_iteration: "one mmap of a file, one read per 16 KiB of its first tenth, and its munmap",
    method: "As lmbench's lat_mmap: a cached file is mapped shared, read every 16 KiB in its first tenth, and unmapped. The \
             words must be the file's random data.",
    confounds: "lmbench writes: its pages become dirty and each write faults. Here fault-around serves most touches; \
                faults.minor counts the rest.",
    sources: &[("lmbench", "lat_mmap: µs per mapping, by size")],
    parameters: takes::<WorkingSet>,
    points: &["bytes=1MiB|16MiB"],
    // A tenth of the file is touched; each fault maps 64 KiB.
    predict: &[
        "floors(2)",
        "hardware exception and return, one in 64 KiB touched = {ceil(bytes / 10 / 65536)} × exception × cycle_ns",
        "software mapped, faults, unmapped = kernel({counted[mapping.file bytes=1MiB] - 2 * counted[syscall.floor] \
         - (counted[mapping.file bytes=16MiB] - counted[mapping.file bytes=1MiB]) / 15})",
        "software loop over the pages = entry_loop({bytes / 1MiB / 15 × (counted[mapping.file bytes=16MiB] \
         - counted[mapping.file bytes=1MiB])})",
    ],
    evidence: &[
        "answers = 1: every page held its random word",
        "calls: mmap 1, munmap 1",
        "undisturbed",
        "faults.minor 0.5..200: the touches faulted",
    ],
    bounds: &["floors(2)"],
    run: map_and_read,
    ..MAPPING
};

/// A file of one page, mapped and touched.
pub static ONE_PAGE: Operation = Operation {
    id: "mapping.file.one_page",
    title: "mmap of a file of one page and its first read",
    one_iteration: "one mmap of a file of 4 KiB and one read of its random word; the munmap is not timed",
    method: "A file of 4 KiB on a device is mapped shared and read, between two clock reads, and then unmapped. page_cache=cold: its \
             page was dropped from the page cache before (POSIX_FADV_DONTNEED) and found to be absent (cachestat); the read \
             waits for the device. page_cache=warm: it is cached.",
    confounds: "mmap itself causes no page fault: the first touch does. Caches below the device are not dropped.",
    sources: &[(
        "R4, 5.3",
        "a file of 4096 bytes, mmap, 1.3 ms, faults counted by ps; how often, and whether the page was cached, is not said",
    )],
    how: How::Each,
    gate: WAITS,
    parameters: takes::<OnePage>,
    points: &["page_cache=warm|cold"],
    needs: |_| vec![Need::Memory { bytes: 1 << 20 }],
    predict: &[
        "floors(1)",
        "t0 page fault",
        "software area made and linked = path(1500, 10) (×1.8: an area allocated, linked to the file and to the address space) × cycle_ns",
        "page_cache=warm: software t1 fault on a cached page = [fault.file.minor stride=64KiB fill_write=4KiB]",
        "page_cache=cold: software t1 major fault = [fault.file.major access=random]",
        "page_cache=cold: hardware t0 read of the device = 70000 ns (×2: a read of 4 KiB at depth 1 from flash: 50 to 100 µs \
         (specifications of NVMe drives of 2016 to 2024 and of clouds' local disks))",
    ],
    evidence: &[
        "answers = 1: the page held its random word",
        "file.on_disk = 1: the whole file has extents on a device",
        "page_cache=warm: faults.minor 0.99..2: each touch faulted",
        "page_cache=warm: faults.major = 0 (noise): no page was read from the disk",
        "page_cache=cold: cache.emptied = 1: the page was not cached before it was mapped",
        "page_cache=cold: faults.major 0.99..1.01: one major fault per touch",
        "page_cache=cold: device.bytes {0.999 * 4096}..1e9: the device read at least a page per touch",
        "calls.mmap 0.99..2: a mapping was made",
    ],
    bounds: &["floors(1)"],
    run: map_one_page,
    ..MAPPING
};
