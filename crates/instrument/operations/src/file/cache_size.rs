//! Page-cache capacity: the second read of a growing file, in a control group of known limit.

use super::DEVICE;
use measure::{Actors, Operation, Parameters, Point, takes};
use quantity::Bytes;
use quantity::Quantity;
use record::{Need, Plot};
use workloads::file::cache_size;
use workloads::file::cache_size::{CacheSearch, MemoryLimit};

/// The memory limit of a point's control group; none for the whole machine.
fn group_limit(point: &Point) -> Option<Bytes> {
    match CacheSearch::read(point).ok()?.memory_limit {
        MemoryLimit::Group(limit) => Some(limit),
        MemoryLimit::Machine => None,
    }
}

/// Reads of a child in a control group with a memory limit.
pub(super) const LIMITED: Operation = Operation {
    actors: Actors::Children,
    needs: |point| {
        let bytes = group_limit(point).map_or(0, Bytes::bytes);
        vec![Need::Directory, Need::Memory { bytes }]
    },
    ..DEVICE
};

/// The knee of the second read.
pub static CACHE_SIZE: Operation = Operation {
    id: "file.cache_size",
    title: "page-cache capacity for one file, under a memory limit or of the whole machine",
    one_iteration: "one search for the largest part of a file whose second read is served from the page cache",
    quantity: Quantity::Size,
    method: "A child in a control group with the memory limit reads the last bytes of a file twice in 256 KiB reads without \
             readahead, after dropping the file's cache. The size doubles until the second read is uncached (median \
             above the geometric mean of cached and uncached reads), then is bisected to 512 KiB. Finally three times \
             the limit is read once and compared with the kernel's count of cached pages (cachestat). Only this file's \
             cache is dropped; the group is always removed. memory_limit=machine (thorough profile): the available \
             memory, or the limit of the run's own group. A file 25 % larger (skipped where that is more than a quarter of \
             the free disk space) is read once in order, then backward until reads come from the device. This evicts other programs' \
             cached pages. method=growing: parts of that file that grow by an eighth of the available memory are read twice each, \
             whole and with readahead, until the second read takes longer than the geometric mean of the first and second read \
             of the smallest; three more sizes bisect that step. The second reads by size are in the record as a curve. \
             method=eleven_reads: the same with eleven reads of each part, of which the first is left out and the mean of the other \
             ten counts.",
    confounds: "Some of the group's memory is used by the child itself and by per-CPU charges. If the part slightly exceeds \
                the cache, some of it may survive the second read: the time rises gradually. A cache below the device \
                (a host's) makes uncached reads faster but does not move the knee.",
    sources: &[
        (
            "R0, 6.1",
            "second read of files of 1, 1.5, 2, 3, 4 and 6 GB, then in steps of 0.1 GB; read off a plot",
        ),
        ("R2, 6.1", "second read of growing portions of one file of 32 GB; read off a plot"),
        (
            "R3, 6.1",
            "eleven reads of files of 128 MB to 8 GB, in steps of 128 MB: the mean of the last ten, read off a plot",
        ),
        ("lmbench", "none"),
    ],
    // About ten sizes are each read from the device and again.
    spend_ns: 300_000_000,
    parameters: takes::<CacheSearch>,
    points: &[
        "profile=thorough: memory_limit=16MiB|32MiB|128MiB|machine; memory_limit=machine method=growing|eleven_reads",
        "profile!=thorough: memory_limit=32MiB",
    ],
    spend_of: Some(cache_size::spend_ns),
    predict: &[
        "memory_limit!=machine: software t0 limit minus non-cache memory = {memory_limit} bytes − 1500000 bytes (×2: \
         a child's own pages, stacks and tables (0.5 MB), and 64 pages for each CPU that are charged in \
         advance (mm/memcontrol.c))",
        "memory_limit=machine: software t0 available memory = min((limit.memory or else \
         memory.available), memory.available)",
    ],
    evidence: &[
        "answers = 1: every block had the expected content",
        "file.on_disk = 1: the whole file has extents on a device",
        "method!=*: knee.per_cached 0.95..1.05 (if consistent): the knee agrees with the kernel's count of cached \
         pages",
        // A part slightly larger than the cache evicts itself, and the first slow second read may be that of one still mostly cached.
        "method=*: knee.per_cached 0.8..1.2 (if consistent): the knee agrees with the kernel's count of cached pages",
    ],
    bounds: &[
        "memory_limit!=machine: < {memory_limit} bytes: the memory limit of the group",
        "memory_limit=machine: < memory.total: the machine has no more memory",
    ],
    curve: Some(|| Plot {
        marks: Some("file.cache_size".to_owned()),
        ..Plot::logarithmic("bytes", "size of the part read again", Quantity::Size)
    }),
    run: cache_size::find_size,
    ..LIMITED
};
