//! Questions on files.

use super::question::{CostSplit, Derivation, Question, ratio, side, slope};

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "file_cache",
        asks: "How much slower is a block of a file from the disk than from the page cache?",
        derivations: &[ratio(
            side("a block from the disk", "file.read.uncached", "access=random bytes=64MiB"),
            side("one from the cache", "file.read.cached", "access=random bytes=16MiB"),
            "blocks of 4 KiB at random places; what lies below the device, such as a host's cache, may have had the block",
        )],
    },
    Question {
        id: "cache_of_memory",
        asks: "How much of the memory can hold files?",
        derivations: &[
            (
                Derivation::CacheCapacity {
                    held: side("The file cache", "file.cache_size", "memory_limit=machine"),
                },
                "what was in use by programs at the time could hold none",
            ),
            (
                Derivation::CacheCapacity {
                    held: side("The file cache", "file.cache_size", "memory_limit=32MiB"),
                },
                "a group of one small program; the thorough profile asks it of the whole machine",
            ),
        ],
    },
    Question {
        id: "sequential",
        asks: "How much slower is a block at a random offset of a file than the next one?",
        derivations: &[ratio(
            side("a block at a random place", "file.read.uncached", "access=random bytes=64MiB"),
            side("the next block", "file.read.uncached", "access=sequential bytes=16MiB"),
            "neither is in the cache at first, but in order the kernel reads ahead: most blocks are there when they are \
             asked for",
        )],
    },
    Question {
        id: "sequential_device",
        asks: "Is reading in order quicker for the disk itself, when nobody reads ahead?",
        derivations: &[ratio(
            side("a block at a random place", "file.read.direct", "access=random bytes=64MiB"),
            side("the next block", "file.read.direct", "access=sequential bytes=64MiB"),
            "one block at a time with O_DIRECT; readahead by the disk or the host and a disk that is faster in order look \
             the same",
        )],
    },
    Question {
        id: "contention",
        asks: "What does one more competitor cost who reads at the same time?",
        derivations: &[slope(
            "file.contention",
            "access=random others=same",
            "one more competitor",
            "a straight line, where a device that serves several at once costs nothing more for the first; beyond, the \
             device or the CPUs may be what is short",
        )],
    },
    Question {
        id: "remote",
        asks: "What does a block of a remote file cost more than one of a local file?",
        derivations: &[(
            Derivation::CostSplit(CostSplit {
                operation: "file.remote.penalty",
                fixed: "server_cache=warm",
                once: "a request to the file server",
                bytes: 4096.0,
            }),
            "both blocks are in a cache, one there and one here; the first part is round trips with all that answers \
             them, the programs at both ends included, the second is bytes on their way and copied",
        )],
    },
    Question {
        id: "remote_wire",
        asks: "How much of a remote read is the network?",
        derivations: &[ratio(
            side(
                "a remote read of 4 KiB from the server's cache",
                "file.remote.read.direct",
                "access=random bytes=16MiB server_cache=warm",
            ),
            side("a round trip to the other machine", "network.round_trip.tcp", "path=remote bytes=64B"),
            "if the peer is the file server; what is above one round trip is programs, the server's work and the bytes",
        )],
    },
    Question {
        id: "remote_server_cache",
        asks: "What does the file server's cache save?",
        derivations: &[ratio(
            side(
                "a remote read with the server's cache empty",
                "file.remote.read.direct",
                "access=random bytes=16MiB server_cache=cold",
            ),
            side(
                "one from its cache",
                "file.remote.read.direct",
                "access=random bytes=16MiB server_cache=warm",
            ),
            "what lies below the server's devices may have had the block",
        )],
    },
    Question {
        id: "remote_cache",
        asks: "What does this machine's cache spare of a remote read?",
        derivations: &[ratio(
            side(
                "a remote block from the server's cache",
                "file.remote.read.uncached",
                "access=random bytes=16MiB server_cache=warm",
            ),
            side("one from this machine's", "file.remote.read.cached", "access=random bytes=16MiB"),
            "blocks of 4 KiB at random places, nobody reads ahead",
        )],
    },
];
