//! Counterparts of figures of files.
//!
//! What stands nowhere does not compare: reads line by line (R2 times whole files, the program a line), R2's readers (how
//! much each reads is not said), R0's second reads (seconds for a gigabyte), remote files whose size is not said, and
//! most of R0's competitors, of which few and many tell enough.

use super::counterpart::{Counterpart, at};

/// Places of files.
pub(super) const FILE: &[Counterpart] = &[
    // R0 prints the time of a block of 4 KiB under the size of the file.
    at(
        "file.read.uncached",
        "file=64KB order=sequential",
        "file.read.uncached",
        "access=sequential bytes=64KiB",
    ),
    at(
        "file.read.uncached",
        "file=1MB order=sequential",
        "file.read.uncached",
        "access=sequential bytes=1MiB",
    ),
    at(
        "file.read.uncached",
        "file=16MB order=sequential",
        "file.read.uncached",
        "access=sequential bytes=16MiB",
    ),
    at("file.read.uncached", "file=64MB order=random", "file.read.uncached", "access=random bytes=64MiB"),
    // R3's are means over files of 4 MB to 1 GB: 64 MiB is the middle by ratio.
    at("file.read.direct", "order=sequential", "file.read.direct", "access=sequential bytes=64MiB"),
    at("file.read.direct", "order=random", "file.read.direct", "access=random bytes=64MiB"),
    // A block of a file that the cache holds, read for the second time.
    at(
        "file.cache_size.sweep",
        "file=128MB..7168MB block=4KB",
        "file.read.reread",
        "memory_limit=32MiB bytes=8MiB",
    ),
    // The cache of the whole machine, not that of a group of 32 MiB.
    at("file.cache_size", "", "file.cache_size", "memory_limit=machine"),
    // R0's server had the files in its cache; the client's was emptied.
    at(
        "file.remote.smb",
        "file=16MB order=sequential",
        "file.remote.read.uncached",
        "access=sequential bytes=16MiB server_cache=warm",
    ),
    at(
        "file.remote.smb",
        "file=1MB order=sequential",
        "file.remote.read.uncached",
        "access=sequential bytes=1MiB server_cache=warm",
    ),
    at(
        "file.remote.smb",
        "file=16MB order=random",
        "file.remote.read.uncached",
        "access=random bytes=16MiB server_cache=warm",
    ),
    // Time of a block for one reader: R0's competitors read other files in its order.
    at(
        "file.contention",
        "competitors=0 order=sequential case=same",
        "file.contention",
        "access=sequential others=same competitors=0",
    ),
    at(
        "file.contention",
        "competitors=3 order=sequential case=same",
        "file.contention",
        "access=sequential others=same competitors=3",
    ),
    at(
        "file.contention",
        "competitors=15 order=sequential case=same",
        "file.contention",
        "access=sequential others=same competitors=15",
    ),
    at(
        "file.contention",
        "competitors=0 order=random case=same",
        "file.contention",
        "access=random others=same competitors=0",
    ),
    at(
        "file.contention",
        "competitors=3 order=random case=same",
        "file.contention",
        "access=random others=same competitors=3",
    ),
    at(
        "file.contention",
        "competitors=15 order=random case=same",
        "file.contention",
        "access=random others=same competitors=15",
    ),
    // R3's readers read files of their own by O_DIRECT.
    at(
        "file.contention",
        "processes=4 competitors=3",
        "file.contention",
        "access=sequential others=same competitors=3",
    ),
];
