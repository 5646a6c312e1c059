//! Contention: one reader with concurrent readers or writers.

use super::DEVICE;
use crate::fit::line;
use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Plot, Scale};
use workloads::file::contention;
use workloads::file::contention::Contention;

/// Common to reads under contention.
pub const CONTENTION: Operation = Operation {
    actors: Actors::Children,
    spend_ns: 30_000_000,
    confounds: "The CPUs may be the bottleneck, not the device: with more readers than CPUs each read also waits for a CPU. No \
                process is pinned. Caches below the device are not dropped.",
    sources: &[
        (
            "R0, 6.4.1",
            "0 to 15 competitors in four cases, 4 MB each; they read twice as often, in order to overlap",
        ),
        ("R2, 6.4", "1 to 8 processes, 4 MB of a file each, F_NOCACHE"),
        ("R3, 6.4.1", "1 to 10 processes, O_DIRECT, a file of 128 MB each: the mean time of a block"),
        ("fio", "numjobs=1 to 16: a file for each job; with filename= one for all"),
    ],
    evidence: &[
        "answers = 1: every block of the main reader had the expected content",
        "from the device(1.001)",
        "competitors beside the reader",
    ],
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("competitors", "competitors", Quantity::Count)
    }),
    parameters: takes::<Contention>,
    ..DEVICE
};

/// Time per block.
pub static TIME: Operation = Operation {
    id: "file.contention",
    title: "one 4 KiB O_DIRECT `pread` with n competing readers or writers",
    one_iteration: "one O_DIRECT read of a block by the main reader, first and last word checked, while every competitor \
                    is active",
    method: "Each reader has its own 8 MiB of one file, each writer its own file of 1 MiB, all with O_DIRECT. Competitors \
             are processes; when each has completed a block (barrier), a common window of 30 ms is set, and all continue \
             until its end. Only blocks that begin and end within it count. Every competitor must be active before and \
             after it. A value is the mean time of the main reader's blocks in a sixth of the window. others=same: the \
             main reader's access pattern; mixed: half sequential, half random; write: all write.",
    points: &[
        "profile=quick: access=random others=same competitors=0|7",
        "profile=standard: access=sequential|random others=same competitors=0|1|3|7|15; \
         access=sequential|random others=mixed competitors=3|15; \
         access=random others=write competitors=3|15",
        "profile=thorough: access=sequential|random others=same competitors=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15; \
         access=sequential|random others=mixed competitors=1|2|3|4|5|6|7|8|9|10|11|12|13|14|15; \
         access=random others=write competitors=1|2|3|4|5|6|7|8|9|10|11|12|13|14|15",
    ],
    predict: &["read under contention"],
    fit: Some(|| line("competitors", "one more competitor", "no competitor")),
    headline: &[("access=random others=same competitors=3", "O_DIRECT read, contended")],
    run: contention::block_times,
    ..CONTENTION
};

/// Total throughput.
pub static TOTAL: Operation = Operation {
    id: "file.contention.total",
    title: "total throughput of concurrent readers",
    one_iteration: "one window of 30 ms of concurrent reads",
    quantity: Quantity::Bandwidth,
    method: "As file.contention: bytes of all readers within the window divided by its length.",
    points: &[
        "profile=quick: access=random others=same competitors=0|7",
        "profile=standard: access=random others=same competitors=0|1|3|7|15",
        "profile=thorough: access=random others=same competitors=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15",
    ],
    predict: &[
        "hardware t0 one block per reader and read time = {4096e9 * (1 + competitors) / max(70000, 10000 * \
         (1 + competitors))} bytes/s (×2.5: a read of 4 KiB in 70 µs per reader, up to 100 000 a second \
         in total)",
        "hardware t1 one block per reader and read time = {4096 * (1 + competitors)} bytes × 1e9 ns/s / \
         read_behind_others",
    ],
    bounds: &[
        "< {1024 * 4096} bytes × 1e9 ns/s / [syscall.floor]: a block takes at least a system call, and there \
         are fewer than 1024 CPUs",
    ],
    run: contention::total_rate,
    ..CONTENTION
};

/// Fairness.
pub static FAIRNESS: Operation = Operation {
    id: "file.contention.fairness",
    title: "fairness: blocks of the slowest reader over the mean",
    one_iteration: "one window of 30 ms of concurrent reads",
    quantity: Quantity::Ratio,
    method: "As file.contention: the fewest blocks of any reader within the window divided by the mean of all readers.",
    points: &[
        "profile=quick: access=random others=same competitors=7",
        "profile=standard: access=random others=same competitors=3|7|15",
        "profile=thorough: access=random others=same competitors=2|3|4|5|6|7|8|9|10|11|12|13|14|15",
    ],
    predict: &["software t0 nearly fair = 0.85 (×1.4: equal shares minus sampling noise of some \
         hundred reads each)"],
    bounds: &["< 1: a minimum does not exceed the mean"],
    run: contention::least_share,
    plot: None,
    ..CONTENTION
};

/// Each reader with a file of its own.
pub static OWN_FILES: Operation = Operation {
    id: "file.contention.own_files",
    revision: 2,
    title: "one 4 KiB `pread` with n competing readers, each with a file of its own",
    one_iteration: "one read of a block by the main reader, first and last word checked, while every competitor is active",
    method: "As file.contention, but every reader has a file of 4 MiB. cache=direct: O_DIRECT. cache=cold: through the \
             page cache, with readahead where a reader is sequential; each reader drops the cache of its own file before each lap, \
             outside the times.",
    confounds: "With readahead most blocks are copies from the cache, and a few wait for the device: the mean is the cost per block. \
                Prefetched data that is lost at process switches is one explanation of the rise (R0, 6.4.4): compare \
                cache=cold with cache=direct. Caches below the device are not dropped.",
    points: &[
        "profile=quick: cache=cold access=sequential others=same competitors=0|7",
        "profile=standard: cache=cold access=sequential others=same competitors=0|1|7|15; cache=direct access=random others=same competitors=7; \
         cache=cold access=sequential|random others=mixed competitors=3; cache=direct access=sequential others=same competitors=0|3|9",
        "profile=thorough: cache=cold|direct access=sequential|random others=same competitors=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15; \
         cache=cold access=sequential|random others=mixed competitors=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15",
    ],
    predict: &[
        "cache=direct: read under contention",
        "cache=cold access=random: read under contention",
        // Of mixed competitors those in random order take single blocks: little beside the windows that are read ahead.
        "others=same: let streams = {1 + competitors}",
        "others=mixed: let streams = {1 + competitors / 2}",
        "cache=cold access=sequential: hardware t0 share of a stream for each reader = streams × device_share",
        "cache=cold access=sequential: hardware t1 share of a stream for each reader = streams × \
         [file.read.uncached access=sequential file_size=16MiB]",
    ],
    evidence: &[
        "answers = 1: every block of the main reader had the expected content",
        "cache=direct: from the device(1.001)",
        "cache=cold: from the device(64)",
        "competitors beside the reader",
    ],
    run: contention::block_times,
    ..CONTENTION
};

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Parameters;
    use record::Profile;
    use workloads::file::contention::{Contention, MAX_COMPETITORS, is_of_own_files};

    #[test]
    fn readers_have_own_files_where_the_card_says_so() {
        for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
            assert!(OWN_FILES.points_of(profile).iter().all(is_of_own_files));
            let shared = TIME.points_of(profile);
            assert!(!shared.iter().any(is_of_own_files));
            let most = shared.iter().map(|point| Contention::read(point).unwrap().competitors).max();
            assert!(most <= Some(MAX_COMPETITORS));
        }
    }
}
