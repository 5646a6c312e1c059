//! How much of a file stays in the cache: the second read of a file that grows, in a control group of known limit.

use super::DEVICE;
use super::workloads::cache_size;
use measure::{Actors, Operation, Point};
use quantity::Quantity;
use record::{Need, Profile};

/// What a child in a control group of a given limit reads.
pub(super) const LIMITED: Operation = Operation {
    actors: Actors::Children,
    needs: |point| {
        let bytes = point.size("memory_limit").unwrap_or(0);
        vec![Need::Directory, Need::Memory { bytes }]
    },
    ..DEVICE
};

/// The knee.
pub static CACHE_SIZE: Operation = Operation {
    id: "file.cache_size",
    title: "how much of a file stays in the cache, under a limit on memory, or of the whole machine",
    one_iteration: "one search for the largest part of a file whose second read comes from the cache",
    quantity: Quantity::Size,
    method: "A child in a memory control group of the given limit reads the last bytes of a file twice, by 256 KiB \
             without read-ahead, the cache of the file emptied before. The part doubles until the second read is \
             nearer to an uncached read than to a cached one (the medians of single reads, parted by their geometric \
             mean), then is halved in to 512 KiB: coarse, then fine. At the end three times the limit is read once, \
             and what the kernel itself counts as cached (cachestat) is compared. Nobody else's cache is touched; \
             the group is removed in every case. memory_limit=machine (thorough profile): the memory that is available, or the \
             limit of the group in which the run is. A file that is a quarter larger, but never more than a quarter of \
             what is free on the disk, is read once in order, then from its end backwards until what is read comes from \
             the device: what was read last is what stays. This pushes out what others had in the cache.",
    confounds: "The kernel keeps some of the group's memory for the child itself and in stocks of its CPUs. When a \
                part is a little larger than the cache, the kernel may keep some of it through the second read, so \
                that the time does not jump but climbs. A cache below the device (a host's) makes the uncached read \
                quicker, and does not move the knee.",
    sources: &[
        (
            "R0, R2, R3",
            "second read of a growing file on the whole machine, coarse then fine, by eye",
        ),
        ("lmbench", "none"),
    ],
    // Every size is read from the disk and again: some ten of them.
    spend_ns: 300_000_000,
    points: |profile| {
        Point::all(match profile {
            Profile::Thorough => "memory_limit=16MiB|32MiB|128MiB|machine",
            _ => "memory_limit=32MiB",
        })
    },
    spend_of: Some(cache_size::spend_ns),
    predict: &[
        "memory_limit!=machine: software t0 the limit, less what is not cache = {memory_limit} bytes − 1500000 bytes (×2: \
         a child's own pages, stacks and tables (0.5 MB), and 64 pages for each CPU that are charged in \
         advance (mm/memcontrol.c))",
        "memory_limit=machine: software t0 the memory that is available = min((limit.memory or else \
         memory.available), memory.available)",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "file.on_disk = 1: all of the file has extents of its own on a device",
        "knee.per_cached 0.95..1.05 (if consistent): the knee is where the kernel's own count of cached \
         pages says",
    ],
    bounds: &[
        "memory_limit!=machine: < {memory_limit} bytes: the group may not have more",
        "memory_limit=machine: < memory.total: the machine has no more memory",
    ],
    run: cache_size::find_size,
    ..LIMITED
};
