//! Opening what a result is written to.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::path::Path;

/// Opens a pipe, a terminal or a device for writing, without waiting for a reader of the pipe.
///
/// # Errors
/// When it cannot be opened: `ENXIO` of a pipe that no program reads, and of a socket.
pub fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::empty())?;
    // Writes wait for the reader as usual.
    rustix::fs::fcntl_setfl(&file, OFlags::WRONLY)?;
    Ok(File::from(file))
}
