//! The penalty of remote against local reads, alternating.

use super::REMOTE;
use crate::fit::line;
use measure::{Operation, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::file::remote;
use workloads::file::remote::AlternatingRead;

/// The penalty.
pub static PENALTY: Operation = Operation {
    id: "file.remote.penalty",
    revision: 2,
    title: "remote read penalty per block: remote minus local `pread`",
    one_iteration: "one O_DIRECT pread of a block of the remote file and one of the same block of a local file; the \
                    difference of their times",
    method: "Blocks at random offsets of a remote and a local file, or with access=sequential adjacent ones, are read alternately, \
             each timed individually and checked; a value is the difference of a pair. server_cache=warm: the remote block is in the server's page \
             cache, the local one in the local page cache. server_cache=cold: both come from disks, the local one with \
             O_DIRECT; the remote block is then read again from the server's cache, and what that saves, the server's \
             disk, must take about as long as the local one. No block exceeds one request of any protocol. The linear fit over block sizes gives the cost per \
             request and per byte.",
    sources: &[
        (
            "R2, 6.3",
            "remote minus local times of whole files; what the network adds is called the network penalty",
        ),
        (
            "R3, 6.3.2",
            "remote minus local time per block of 4 KB, sequential and random, called the network penalty",
        ),
    ],
    parameters: takes::<AlternatingRead>,
    points: &[
        "profile=quick: block=4KiB|16KiB|64KiB server_cache=warm; block=4KiB server_cache=cold",
        "profile!=quick: block=4KiB|8KiB|16KiB|32KiB|64KiB server_cache=warm; block=4KiB server_cache=cold; \
         access=sequential block=4KiB server_cache=warm|cold",
    ],
    needs: |point| {
        let mut all = (REMOTE.needs)(point);
        all.push(Need::Directory);
        all
    },
    fit: Some(|| line("block", "a byte", "a request")),
    plot: Some(|| Plot::logarithmic("block", "block size", Quantity::Size)),
    predict: &[
        "request to the server({block} bytes)",
        // Beyond the disks at both ends, the server reads through its page cache.
        "server_cache=cold: software t1 page cache of the server = [file.read.cached access=random file_size=16MiB]",
    ],
    evidence: &[
        "blocks from the server",
        "server_cache=cold: disk.server_per_local 0.33..3 (if consistent): the disks at both ends take about as long for a \
         block, so that the difference is not theirs",
    ],
    bounds: &[],
    run: remote::read_alternating,
    ..REMOTE
};
