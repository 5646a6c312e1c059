//! Files on a remote file system: reads, their penalty against local ones, directory operations.

pub mod names;
pub mod penalty;
pub mod read;

use super::DEVICE;
use measure::{Operation, Point};
use record::Need;
use workloads::file::remote::ServerCache;

/// Common to operations on remote files.
const REMOTE: Operation = Operation {
    confounds: "The file server's cache dominates: server_cache=warm reads each block once before it is timed; \
                server_cache=cold has a peer on the server drop its page cache, which needs `oscope serve \
                --allow-drop-caches` there and is skipped otherwise. Caches below the server's devices are not \
                dropped. Protocol, mount options and encryption are included. With a FUSE mount each request \
                wakes its daemon twice.",
    needs,
    ..DEVICE
};

fn needs(point: &Point) -> Vec<Need> {
    let mut all = vec![Need::RemoteDirectory];
    if matches!(point.optional("server_cache"), Ok(Some(ServerCache::Cold))) {
        all.push(Need::ServerCache);
    }
    all
}
