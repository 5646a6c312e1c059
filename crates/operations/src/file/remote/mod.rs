//! Files on a remote file system: the same reads as here, what the network adds to them, and names.

pub mod names;
pub mod penalty;
pub mod read;

use super::DEVICE;
use measure::{Operation, Point};
use record::Need;

/// The parameter that says what is in the file server's cache, and its value where nothing is.
const SERVER_CACHE: &str = "server_cache";
const COLD: &str = "cold";

/// What the operations of this family have in common.
const REMOTE: Operation = Operation { needs, ..DEVICE };

/// What must be said of all of them.
const CONFOUNDS: &str = "What the file server has in its cache decides: server_cache=warm reads each block once before it is \
                         timed; server_cache=cold lets a peer on the server write out and drop the server's page cache, \
                         which needs `oscope serve --allow-drop-caches` there, and is left out otherwise. Below the \
                         server's devices nothing is emptied. A client's protocol, its options (see the mount) and \
                         encryption belong to the number. Where the mount goes through a program (FUSE), each request \
                         wakes it twice.";

fn needs(point: &Point) -> Vec<Need> {
    let mut all = vec![Need::RemoteDirectory];
    if point.get(SERVER_CACHE) == Some(COLD) {
        all.push(Need::ServerCache);
    }
    all
}
