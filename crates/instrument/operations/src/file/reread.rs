//! Re-read of a part of a file under a memory limit: cached as long as the part fits.

use super::cache_size::LIMITED;
use measure::{Operation, takes};
use quantity::Quantity;
use record::Plot;
use workloads::file::cache_size;
use workloads::file::cache_size::RepeatedRead;

/// By size.
pub static REREAD: Operation = Operation {
    id: "file.read.reread",
    title: "4 KiB of a re-read of n bytes under a 32 MiB memory limit",
    one_iteration: "4 KiB of a 256 KiB read of a part that was read once before",
    method: "A child in a control group with a 32 MiB memory limit reads the last n bytes of a file twice, in 256 KiB reads \
             without readahead, after dropping the file's cache. The value is the median of the second reads per 4 KiB. \
             If the part fits, nothing may come from the device; at twice the limit almost all must. The knee is \
             file.cache_size, marked on the plot. Only this file's cache is dropped; the group is always removed.",
    confounds: "A part slightly larger than the cache evicts itself: completely under LRU, partly under better policies, so the \
                time rises gradually.",
    sources: &[
        ("R0, 6.1.3", "time per GB by file size, 1 to 6 GB"),
        (
            "R2, 6.1",
            "time of the second read of growing portions of one file of 32 GB; a jump at about 30 GB",
        ),
        ("R3, 6.1", "time per block by file size, 128 MB to 8 GB"),
    ],
    spend_ns: 60_000_000,
    parameters: takes::<RepeatedRead>,
    points: &[
        "profile=quick: memory_limit=32MiB file_size=16MiB|64MiB",
        "profile=thorough: memory_limit=32MiB file_size=4MiB|8MiB|12MiB|16MiB|20MiB|24MiB|26MiB|28MiB|30MiB|32MiB|36MiB|40MiB|48MiB|64MiB|96MiB",
        "profile=standard: memory_limit=32MiB file_size=8MiB|16MiB|24MiB|28MiB|32MiB|40MiB|64MiB",
    ],
    plot: Some(|| Plot {
        marks: Some("file.cache_size".to_owned()),
        ..Plot::logarithmic("file_size", "size of the part read twice", Quantity::Size)
    }),
    predict: &[
        // Without readahead pages are allocated one by one, anywhere in memory, so that reading them in their order costs what
        // reading in any order does.
        "hardware t1 4 KiB of scattered pages found and copied = [file.read.cached access=random file_size=16MiB] − {63 / 64} × \
         [syscall.floor]",
        "file_size=30MiB..: hardware t0 4 KiB of a stream from the device = device_share",
        "file_size=30MiB..: hardware t1 4 KiB of 1 MiB from the device = {1 / 256} × [file.read.direct \
         access=sequential file_size=64MiB block=1MiB]",
        // A 256 KiB read waits once, as one of 1 MiB: three quarters of a wait more per 64 blocks.
        "file_size=30MiB..: hardware t1 share of the wait for the device = {0.75 / 64} × [file.read.direct \
         access=sequential file_size=64MiB]",
        "file_size=30MiB..: software t1 page allocated in the cache = new_file_page",
    ],
    evidence: &[
        "answers = 1: every block had the expected content in both reads",
        // Part of the limit is used by the child and per-CPU charges, and some pages of a slightly larger part survive the second
        // read.
        "file_size=..24MiB: device.bytes 0..0.01: the second read came from the cache",
        "file_size=26MiB..48MiB: device.bytes 0..1.1: nothing was read from the device twice",
        "file_size=64MiB..: device.bytes 0.9..1.1: the second read came from the device",
        "cache.emptied = 1: nothing was cached before the first read",
    ],
    run: cache_size::read_twice,
    bounds: &[],
    ..LIMITED
};
