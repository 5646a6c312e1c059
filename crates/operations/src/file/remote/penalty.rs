//! What a block of a remote file costs more than the same of a local one, read in turn.

use super::{CONFOUNDS, REMOTE};
use crate::file::workloads::remote;
use measure::{Operation, Point};
use quantity::Quantity;
use record::{Fit, Need, Plot, Profile};

/// The difference.
pub static PENALTY: Operation = Operation {
    id: "file.remote.penalty",
    title: "what a block of a remote file costs more than one of a local file",
    one_iteration: "one pread of a block of the remote file past this machine's cache, and one of the same block of a \
                    local file; the difference of their times",
    method: "Blocks at random places of a remote and of a local file are read in turn, each timed alone and checked; a \
             value is the difference of a pair. server_cache=warm: the remote block lies in the file server's cache, the \
             local one in this machine's. No block is larger than what every protocol brings by one request. server_cache=cold: the remote block lies on the server's disk, the local one is \
             read with O_DIRECT from this machine's. The line through the sizes tells what a request costs whatever \
             it brings, and what each byte costs on its way.",
    confounds: CONFOUNDS,
    sources: &[(
        "R0, R1, R2",
        "the ratio of remote to local reads of 4 KiB to 16 MiB, caches not under control",
    )],
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "block=4KiB|16KiB|64KiB server_cache=warm; block=4KiB server_cache=cold",
            _ => "block=4KiB|8KiB|16KiB|32KiB|64KiB server_cache=warm; block=4KiB server_cache=cold",
        })
    },
    needs: |point| {
        let mut all = (REMOTE.needs)(point);
        all.push(Need::Directory);
        all
    },
    fit: Some(|| Fit {
        parameter: "block".to_owned(),
        unit: 1,
        per_unit: false,
        slope: "a byte".to_owned(),
        intercept: "a request".to_owned(),
    }),
    plot: Some(|| Plot::logarithmic("block", "bytes of a block", Quantity::Size)),
    predict: &[
        "request to the server({block} bytes)",
        // Beyond what the disks cost at both ends, the server goes through its cache.
        "server_cache=cold: software t1 the server's cache = [file.read.cached access=random bytes=16MiB]",
    ],
    evidence: &["blocks from the server"],
    bounds: &[],
    run: remote::read_alternating,
    ..REMOTE
};
