//! The second read of a part of a file under a limit on memory: from the cache as long as the part fits.

use super::cache_size::LIMITED;
use super::workloads::cache_size;
use measure::{Operation, Point};
use quantity::Quantity;
use record::{Plot, Profile};

/// By the size of the part.
pub static SECOND: Operation = Operation {
    id: "file.read.reread",
    title: "second read of a part of a file, by the size of the part, in a group of 32 MiB of memory",
    one_iteration: "4 KiB of a read of 256 KiB of a part that was read once before",
    method: "A child in a memory control group of 32 MiB reads the last bytes of a file twice, in order by 256 KiB \
             without read-ahead, the cache of the file emptied before. The value is the median of the second reads for \
             4 KiB. Where the part fits, nothing may come from the device; where it is twice the limit, nearly all \
             must. The knee between them is what file.cache_size finds, whose value is marked on the plot. Nobody else's \
             cache is touched; the group is removed in every case.",
    confounds: "A part that is a little larger than the cache is pushed out by itself, all of it where the kernel drops \
                what was read longest ago, and some of it where it is cleverer: the time does not jump but climbs.",
    sources: &[(
        "R0, R2, R3",
        "time per block by file size on the whole machine, the knee told by eye",
    )],
    spend_ns: 60_000_000,
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "memory_limit=32MiB bytes=16MiB|64MiB",
            _ => "memory_limit=32MiB bytes=8MiB|16MiB|24MiB|28MiB|32MiB|40MiB|64MiB",
        })
    },
    plot: Some(|| Plot {
        marks: Some("file.cache_size".to_owned()),
        ..Plot::logarithmic("bytes", "size of the part that is read twice", Quantity::Size)
    }),
    predict: &[
        // From pages of the cache, each once, to a buffer that the second cache holds.
        "bytes=..28MiB: hardware t1 4 KiB copied = 4096 bytes × 1e9 ns/s / [memory.bandwidth.copy \
         method=widest bytes=128MiB cpus=1]",
        "bytes=..28MiB: software t1 its share of a call = {1 / 64} × find_page",
        "bytes=32MiB..: hardware t0 4 KiB of a stream from the device = device_share",
        "bytes=32MiB..: hardware t1 4 KiB of 1 MiB from the device = {1 / 256} × [file.read.direct \
         access=sequential bytes=64MiB block=1MiB]",
        // A call of 256 KiB waits once, as one of 1 MiB does: three quarters of a wait more for 64 blocks.
        "bytes=32MiB..: hardware t1 its share of the wait for the device = {0.75 / 64} × [file.read.direct \
         access=sequential bytes=64MiB]",
        "bytes=32MiB..: software t1 a page more in the cache = new_file_page",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it, and was read twice",
        // The kernel keeps some of the limit for the child and its CPUs, and some pages of a part that is a little too
        // large stay through the second read.
        "bytes=..24MiB: device.bytes 0..0.01: the second read came from the cache",
        "bytes=28MiB..40MiB: device.bytes 0..1.1: nothing was read twice from the device",
        "bytes=64MiB..: device.bytes 0.9..1.1: the second read came from the device",
        "cache.emptied = 1: nothing of it was in the cache before it was read first",
    ],
    run: cache_size::read_twice,
    bounds: &[],
    ..LIMITED
};
