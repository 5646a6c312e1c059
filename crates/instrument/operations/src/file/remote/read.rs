//! Reads of blocks of a remote file: O_DIRECT, cold and warm client cache.

use super::REMOTE;
use crate::file::read::cached::plot;
use measure::{How, Operation, Rehearse, takes};
use workloads::file::remote;
use workloads::file::remote::{CachedRemoteRead, RemoteRead};

/// O_DIRECT.
pub static DIRECT: Operation = Operation {
    id: "file.remote.read.direct",
    title: "one 4 KiB O_DIRECT `pread` of a remote file",
    one_iteration: "one O_DIRECT pread of a block, first and last word checked",
    method: "A file of random data was written to the remote directory and synced in this run. Blocks of its last bytes are \
             read with O_DIRECT, sequentially or in random order, each timed individually. At least as many bytes must be \
             received over the network (kernel counters of the internet protocols). server_cache=warm: the same blocks \
             are read once before. block=1MiB, which a client may split into several requests, measures throughput. \
             server_cache=cold: a peer on the server drops its page cache before, and the server's devices must read as \
             many bytes.",
    sources: &[
        ("R0, 6.3", "files of 4 KB to 64 MB over SMB, as local ones: F_NOCACHE and purge"),
        (
            "R3, 6.3.1",
            "NFS, 4 KB a request; O_DIRECT was not supported, so the file cache was to be freed, by a command that as printed writes nothing",
        ),
        ("fio", "direct=1 bs=4k on a mounted directory"),
    ],
    parameters: takes::<RemoteRead>,
    spend_of: Some(remote::spend_ns),
    points: &[
        "access=sequential file_size=16MiB server_cache=warm",
        "profile=quick: access=random file_size=16MiB server_cache=warm",
        "profile=standard: access=random file_size=16MiB|1MiB|64KiB|4KiB server_cache=warm",
        "profile=thorough: access=random file_size=16MiB|4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|64MiB|256MiB|1GiB server_cache=warm",
        "access=random file_size=16MiB server_cache=cold",
        "access=sequential file_size=16MiB server_cache=warm block=1MiB",
    ],
    predict: &[
        "t0 cached read of a block(1)",
        "block!=*: request to the server(4096 bytes)",
        "block=*: request to the server({block} bytes)",
        "software t1 page cache of the server, as local = [file.read.cached access=random \
         file_size=16MiB]",
        "server_cache=cold: hardware t0 read of the device = device_read",
        "server_cache=cold: hardware t1 disk of the server, as local = [file.read.direct \
         access=random file_size=64MiB]",
    ],
    plot: Some(plot),
    evidence: &["blocks from the server"],
    run: remote::read_direct,
    ..REMOTE
};

/// Cold client cache.
pub static UNCACHED: Operation = Operation {
    id: "file.remote.read.uncached",
    title: "one 4 KiB `pread` of a remote file, cold client page cache",
    one_iteration: "one pread of a block from the file server through the page cache, first and last word checked",
    method: "As file.remote.read.direct, but through the client's page cache, dropped for this file (POSIX_FADV_DONTNEED) and \
             checked (cachestat or mincore). access=random: readahead disabled, each read timed individually. \
             access=sequential: with readahead; a pass over all blocks is timed and divided by their number, each with \
             a cold cache.",
    sources: &[
        ("R0, 6.3", "files of 4 KB to 64 MB over SMB, as local ones: F_NOCACHE and purge"),
        (
            "R3, 6.3.1",
            "NFS, 4 KB a request, after drop_caches, by a command that as printed writes nothing; on which side is not said",
        ),
        ("fio", "direct=0 invalidate=1 on a mounted directory: the cache is dropped once, before the job"),
    ],
    parameters: takes::<RemoteRead>,
    spend_of: Some(remote::spend_ns),
    points: &[
        "profile=quick: access=sequential|random file_size=16MiB server_cache=warm",
        "profile=thorough: access=sequential|random file_size=4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB|256MiB|1GiB server_cache=warm; \
         access=sequential file_size=16MiB server_cache=cold",
        "profile=standard: access=sequential file_size=16MiB|1MiB|64KiB|4KiB server_cache=warm; \
         access=sequential file_size=16MiB server_cache=cold; access=random file_size=16MiB server_cache=warm",
    ],
    plot: Some(plot),
    predict: &[
        "t0 cached read of a block(1)",
        "let cached = [file.read.cached access=random file_size=16MiB]",
        "access=random: request to the server(4096 bytes)",
        "access=random: software t1 page cache of the server = cached",
        "access=random: software t1 page allocated in the cache and copied = cached + new_file_page",
        // One request per readahead window; the next one is in flight while blocks are copied.
        "let ahead = remote.read_ahead_kib × 1024 bytes/KiB",
        "access=sequential: hardware t0 bytes over the network = transferred(4096 bytes)",
        "access=sequential: hardware t1 share of a request, or page allocated and copied = \
         max((server_trip + mount_program + transferred(ahead)) / (ahead / 4096 bytes), cached + new_file_page)",
    ],
    evidence: &[
        "blocks from the server",
        "cache.emptied = 1: nothing was cached at the client before the read",
    ],
    run: remote::read_uncached,
    ..REMOTE
};

/// Warm client cache.
pub static CACHED: Operation = Operation {
    id: "file.remote.read.cached",
    title: "one 4 KiB `pread` of a remote file, client page cache hit",
    one_iteration: "one pread of a 4 KiB block, first and last word checked",
    method: "As file.read.cached, with the file in the remote directory: all of it must be cached before the first batch and \
             after the last, and almost nothing may be received over the network.",
    confounds: "A client may revalidate the file with the server, at open or every few seconds, by mount options. Folio size as \
                for file.read.cached.",
    sources: &[("fio", "psync, bs=4k, pre_read=1")],
    parameters: takes::<CachedRemoteRead>,
    points: &["access=random file_size=16MiB"],
    how: How::Slope,
    rehearse: Rehearse::Calls,
    gate: Operation::GATE,
    predict: &[
        "t0 cached read of a block(1)",
        "software t1 the same for a local file = [file.read.cached access=random file_size=16MiB]",
    ],
    evidence: &[
        "answers = 1: every block had the expected content",
        "blocks from the cache",
        "calls: pread64 1",
        "remote.bytes 0..0.1 (noise): almost nothing was received over the network",
    ],
    run: remote::read_cached,
    ..REMOTE
};
