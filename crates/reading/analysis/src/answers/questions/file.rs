//! Questions on files.

use super::question::{CostSplit, Derivation, Question, ratio, side, slope};

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "file_cache",
        asks: "How much slower is a 4 KiB read of a file from the disk than from the page cache?",
        derivations: &[ratio(
            side("a read from the disk", "file.read.uncached", "access=random file_size=64MiB"),
            side("one from the cache", "file.read.cached", "access=random file_size=16MiB"),
            "4 KiB blocks at random offsets; a cache below the device, such as the host's, may have served the block",
        )],
    },
    Question {
        id: "cache_of_memory",
        asks: "How much of the memory can the page cache use?",
        derivations: &[
            (
                Derivation::CacheCapacity {
                    held: side("The page cache", "file.cache_size", "memory_limit=machine"),
                },
                "memory that programs used at the time was not available to it",
            ),
            (
                Derivation::CacheCapacity {
                    held: side("The page cache", "file.cache_size", "memory_limit=32MiB"),
                },
                "measured in a cgroup with one small program; the thorough profile measures the whole machine",
            ),
        ],
    },
    Question {
        id: "sequential",
        asks: "How much slower is a random read of a file than a sequential one?",
        derivations: &[ratio(
            side("a random read", "file.read.uncached", "access=random file_size=64MiB"),
            side("a sequential one", "file.read.uncached", "access=sequential file_size=16MiB"),
            "both with a cold cache; readahead brings most blocks of a sequential read before they are requested",
        )],
    },
    Question {
        id: "sequential_device",
        asks: "Are sequential reads faster than random ones without readahead?",
        derivations: &[ratio(
            side("a random read", "file.read.direct", "access=random file_size=64MiB"),
            side("a sequential one", "file.read.direct", "access=sequential file_size=64MiB"),
            "one block at a time with O_DIRECT; readahead inside the disk or by the host cannot be distinguished from \
             a disk with faster sequential reads",
        )],
    },
    Question {
        id: "contention",
        asks: "How much slower is a read for each additional concurrent reader?",
        derivations: &[slope(
            "file.contention",
            "access=random others=same",
            "one more concurrent reader",
            "a straight line; a device that serves several requests at once costs nothing more for the first readers; \
             beyond that the device or the CPUs are the bottleneck",
        )],
    },
    Question {
        id: "remote",
        asks: "How much more does a 4 KiB block of a remote file cost than one of a local file?",
        derivations: &[(
            Derivation::CostSplit(CostSplit {
                operation: "file.remote.penalty",
                fixed: "server_cache=warm",
                once: "a request to the file server",
                bytes: 4096.0,
            }),
            "both blocks are cached, one on the server and one here; the first part is round trips, including the \
             programs at both ends, the second is transfer and copying",
        )],
    },
    Question {
        id: "remote_wire",
        asks: "How much of a remote read is the network?",
        derivations: &[ratio(
            side(
                "a remote read of 4 KiB from the server's cache",
                "file.remote.read.direct",
                "access=random file_size=16MiB server_cache=warm",
            ),
            side("a round trip to the other machine", "network.round_trip.tcp", "path=remote bytes=64B"),
            "if the peer is the file server; the rest is software at both ends, the server's work and the transfer",
        )],
    },
    Question {
        id: "remote_server_cache",
        asks: "What does the file server's cache save?",
        derivations: &[ratio(
            side(
                "a remote read with a cold server cache",
                "file.remote.read.direct",
                "access=random file_size=16MiB server_cache=cold",
            ),
            side(
                "one with a warm server cache",
                "file.remote.read.direct",
                "access=random file_size=16MiB server_cache=warm",
            ),
            "a cache below the server's devices may have served the block",
        )],
    },
    Question {
        id: "remote_cache",
        asks: "What does this machine's page cache save on a remote read?",
        derivations: &[ratio(
            side(
                "a remote block from the server's cache",
                "file.remote.read.uncached",
                "access=random file_size=16MiB server_cache=warm",
            ),
            side("one from this machine's", "file.remote.read.cached", "access=random file_size=16MiB"),
            "4 KiB blocks at random offsets, no readahead",
        )],
    },
];
