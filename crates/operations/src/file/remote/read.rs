//! Reads of blocks of a file on a remote file system: past this end's cache, through it emptied, and from it.

use super::{CONFOUNDS, REMOTE};
use crate::file::read::cached::plot;
use crate::file::workloads::remote;
use measure::{How, Operation, Point, Rehearse};
use record::Profile;

/// Past this end's cache.
pub static DIRECT: Operation = Operation {
    id: "file.remote.read.direct",
    title: "read of 4 KiB of a remote file past this machine's cache",
    one_iteration: "one pread of a block through O_DIRECT, whose first and last word must be what was written there",
    method: "A file of random data was written to the remote directory and synced in this run. Blocks of its last bytes \
             are read with O_DIRECT, in order or in random order, each timed alone. As many bytes must come over the \
             network (the kernel's count of what the internet protocols received). server_cache=warm: the same blocks are \
             read once before. block=1MiB reads larger pieces, which a client may split into several requests: the rate \
             of the whole way. server_cache=cold: a peer on the server writes out and drops its page cache before, and \
             the server's devices must give as many bytes.",
    confounds: CONFOUNDS,
    sources: &[
        (
            "R0, R1, R2",
            "files on NFS or SMB beside local ones, the caches of both ends full or unknown",
        ),
        ("R3", "a mounted directory of another laboratory's server"),
        ("fio", "direct=1 bs=4k on a mounted directory"),
    ],
    points: |profile| {
        let sizes = match profile {
            Profile::Quick => "16MiB",
            Profile::Standard => "16MiB|1MiB",
            Profile::Thorough => "16MiB|1MiB|64MiB",
        };
        Point::all(&format!(
            "access=sequential bytes=16MiB server_cache=warm; access=random bytes={sizes} server_cache=warm; \
             access=random bytes=16MiB server_cache=cold; \
             access=sequential bytes=16MiB server_cache=warm block=1MiB"
        ))
    },
    predict: &[
        "t0 cached read of a block(1)",
        "block!=*: request to the server(4096 bytes)",
        "block=*: request to the server({block} bytes)",
        "software t1 found and copied at the server, as it would be here = [file.read.cached access=random \
         bytes=16MiB]",
        "server_cache=cold: hardware t0 read of the device = device_read",
        "server_cache=cold: hardware t1 a block from a disk like this machine's = [file.read.direct \
         access=random bytes=64MiB]",
    ],
    plot: Some(plot),
    evidence: &["blocks from the server"],
    run: remote::read_past_the_cache,
    ..REMOTE
};

/// Through this end's cache, which was emptied.
pub static UNCACHED: Operation = Operation {
    id: "file.remote.read.uncached",
    title: "read of 4 KiB of a remote file that is not in this machine's cache",
    one_iteration: "one pread of a block that comes from the file server, whose first and last word must be what was \
                    written there",
    method: "As file.remote.read.direct, but through the cache of this machine, which is emptied for this file alone \
             (POSIX_FADV_DONTNEED) and found empty (cachestat, or mincore). access=random: the kernel is told to expect \
             random reads and each is timed alone. access=sequential: it reads ahead; all blocks are read in one pass, \
             which is timed to its end and divided by their number, and begins with the cache empty.",
    confounds: CONFOUNDS,
    sources: &[
        ("R0, R1, R2", "first read of a file on NFS or SMB"),
        ("fio", "direct=0 invalidate=1 on a mounted directory"),
    ],
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "access=sequential|random bytes=16MiB server_cache=warm",
            _ => {
                "access=sequential bytes=16MiB|1MiB server_cache=warm; \
                 access=sequential bytes=16MiB server_cache=cold; access=random bytes=16MiB server_cache=warm"
            }
        })
    },
    plot: Some(plot),
    predict: &[
        "t0 cached read of a block(1)",
        "let cached = [file.read.cached access=random bytes=16MiB]",
        "access=random: request to the server(4096 bytes)",
        "access=random: software t1 found and copied at the server = cached",
        "access=random: software t1 a page more in the cache, and copied = cached + new_file_page",
        // One request brings as much as the kernel reads ahead; the next one is under way while blocks are copied.
        "let ahead = remote.read_ahead_kib × 1024 bytes/KiB",
        "access=sequential: hardware t0 its bytes on their way = transferred(4096 bytes)",
        "access=sequential: hardware t1 its share of a request, or a page more in the cache and copied = \
         max((server_trip + mount_program + transferred(ahead)) / (ahead / 4096 bytes), cached + new_file_page)",
    ],
    evidence: &[
        "blocks from the server",
        "cache.emptied = 1: nothing of it was in this machine's cache before it was read",
    ],
    run: remote::read_uncached,
    ..REMOTE
};

/// From this end's cache.
pub static CACHED: Operation = Operation {
    id: "file.remote.read.cached",
    title: "read of 4 KiB of a remote file that is in this machine's cache",
    one_iteration: "one pread of a block of 4 KiB, whose first and last word must be what was written there",
    method: "As file.read.cached, of the file in the remote directory: all of it must be in the cache before the first batch \
             and after the last, and next to nothing may come over the network.",
    confounds: "A client may ask the server whether the file has changed before it trusts its cache: when it is opened, or \
                every few seconds, by its options. What the cache is made of hides in it, as for file.read.cached.",
    sources: &[
        (
            "R0, R1, R2",
            "second read of a file on NFS or SMB, which may have come from either cache",
        ),
        ("fio", "psync, bs=4k, after a first pass"),
    ],
    points: |_| Point::all("access=random bytes=16MiB"),
    how: How::Slope,
    rehearse: Rehearse::Calls,
    gate: Operation::GATE,
    predict: &[
        "t0 cached read of a block(1)",
        "software t1 the same of a local file = [file.read.cached access=random bytes=16MiB]",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "blocks from the cache",
        "calls: pread64 1",
        "remote.bytes 0..0.1 (noise): next to nothing came over the network",
    ],
    run: remote::read_cached,
    ..REMOTE
};
