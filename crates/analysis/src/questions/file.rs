//! Questions on files.

use super::{Question, Way, side};

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "file_cache",
        asks: "How much dearer is a block of a file from the disk than from the kernel's cache?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block from the disk",
                    "file.read.uncached",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "one from the cache",
                    "file.read.cached",
                    "order=random bytes=16MiB",
                ),
            },
            "blocks of 4 KiB at random places; what lies below the device, such as a host's cache, may have had the block",
        )],
    },
    Question {
        id: "sequential",
        asks: "How much dearer is a block at a random place of a file than the next one?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block at a random place",
                    "file.read.uncached",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "the next block",
                    "file.read.uncached",
                    "order=sequential bytes=16MiB",
                ),
            },
            "neither is in the cache at first, but in order the kernel reads ahead: most blocks are there when they are \
             asked for",
        )],
    },
    Question {
        id: "sequential_device",
        asks: "Is reading in order quicker for the disk itself, when nobody reads ahead?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block at a random place",
                    "file.read.direct",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "the next block",
                    "file.read.direct",
                    "order=sequential bytes=64MiB",
                ),
            },
            "one block at a time, past the cache; a disk or a host that reads ahead by itself is not told apart from one \
             that is quicker in order",
        )],
    },
    Question {
        id: "contention",
        asks: "What does one more competitor cost who reads at the same time?",
        ways: &[(
            Way::Slope {
                operation: "file.contention",
                fixed: "order=random others=same",
                words: "one more competitor",
            },
            "a straight line, where a device that serves several at once costs nothing more for the first; beyond, the \
             device or the CPUs may be what is short",
        )],
    },
];
