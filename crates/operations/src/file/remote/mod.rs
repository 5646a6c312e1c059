//! Files on a remote file system: the same reads as here, what the network adds to them, and names.

pub mod names;
pub mod penalty;
pub mod read;
mod server;

pub use server::Server;

use super::stock::Stock;
use super::walk::Walk;
use crate::memory::fault::WAITS;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use record::Need;
use sys::direct;
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;
use sys::traffic;

/// The parameter that says what is in the file server's cache, and its values.
const SERVER: &str = "server";
const WARM: &str = "warm";
const EMPTIED: &str = "emptied";

/// What the operations of this family have in common.
const REMOTE: Operation = Operation {
    area: Area::File,
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    needs,
    ..Operation::NEW
};

/// What must be said of all of them.
const CONFOUNDS: &str = "What the file server has in its cache decides: server=warm reads each block once before it is \
                         timed; server=emptied lets a peer on the server write out and drop the server's page cache, \
                         which needs `oscope serve --allow-drop-caches` there, and is left out otherwise. Below the \
                         server's devices nothing is emptied. A client's protocol, its options (see the mount) and \
                         encryption belong to the number. Where the mount goes through a program (FUSE), each request \
                         wakes it twice.";

fn needs(point: &Point) -> Vec<Need> {
    let mut all = vec![Need::RemoteDirectory];
    if is_emptied(point) {
        all.push(Need::ServerCache);
    }
    all
}

/// Whether the server's cache is emptied first.
fn is_emptied(point: &Point) -> bool {
    point.get(SERVER) == Some(EMPTIED)
}

/// Fewest and most reads of a trial that are timed one by one.
const READS: (usize, usize) = (8, 64);

/// Bytes that came over the network, around some work.
pub struct Traffic {
    before: Result<u64, String>,
}

impl Traffic {
    /// From now on.
    ///
    /// # Errors
    /// When no remote directory was named.
    pub fn begin(bench: &Bench<'_>) -> Result<Self, Failure> {
        let before = match bench.remote_directory()?.over_network {
            true => traffic::bytes_received()
                .ok_or_else(|| "the kernel does not tell what came over the network".to_owned()),
            false => Err("files of this kind of mount need not come over this machine's network".to_owned()),
        };
        Ok(Self { before })
    }

    /// Says how many bytes came for each that was asked for.
    pub fn tell(self, bench: &mut Bench<'_>, asked: f64) {
        let now = traffic::bytes_received().unwrap_or(0);
        match self.before {
            Ok(before) => bench.count("remote.bytes", now.saturating_sub(before) as f64, asked),
            Err(reason) => bench.cannot_count("remote.bytes", reason),
        }
    }
}

/// The next offsets of a walk, as many as a trial reads.
fn some(walk: &mut Walk, block: usize) -> Vec<u64> {
    // Large blocks take their time.
    let most = (READS.1 * super::BLOCK / block * 16).clamp(READS.0, READS.1);
    (0..most.min(walk.count())).map(|_| walk.take()).collect()
}

/// Reads these blocks once, so that whoever keeps what was read has them.
fn read_once(file: &TemporaryFile, offsets: &[u64], buffer: &mut Mapping) -> Result<(), Failure> {
    for offset in offsets {
        let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), *offset);
        super::read::device::right(file, read, buffer.bytes_mut(), *offset)?;
    }
    Ok(())
}

/// Brings the server's cache into the state that the point says: what was written is there, then each block is read
/// past the client's cache, or all of the server's cache is emptied.
fn prepare(
    bench: &Bench<'_>,
    stock: &Stock,
    server: &mut Server,
    past: &TemporaryFile,
    offsets: &[u64],
    buffer: &mut Mapping,
) -> Result<(), Failure> {
    if is_emptied(bench.point()) {
        stock.file.flush()?;
        return server.empty();
    }
    read_once(past, offsets, buffer)
}
