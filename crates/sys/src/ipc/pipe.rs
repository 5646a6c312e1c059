//! Pipes and FIFOs, one byte at a time, by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::fs::{self, Mode, OFlags};
use rustix::pipe::PipeFlags;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The end of a pipe to read from.
#[derive(Debug)]
pub struct ReadEnd(Descriptor);

/// The end of a pipe to write to.
#[derive(Debug)]
pub struct WriteEnd(Descriptor);

/// A new pipe, closed on exec.
///
/// # Errors
/// When no descriptor is left.
pub fn pipe() -> Result<(ReadEnd, WriteEnd)> {
    let ends = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(Error::of("pipe2"))?;
    Ok((ReadEnd(ends.0.into()), WriteEnd(ends.1.into())))
}

/// A new FIFO in this folder, opened at both ends. Its name is removed at once.
///
/// # Errors
/// When the folder cannot be written to, or no descriptor is left.
pub fn fifo(folder: &Path) -> Result<(ReadEnd, WriteEnd)> {
    let name = folder.join(format!("oscope-fifo-{}-{}", std::process::id(), next_number()));
    fs::mkfifoat(fs::CWD, &name, Mode::RUSR | Mode::WUSR).map_err(Error::of("mkfifo"))?;
    let open = |how| {
        let opened = fs::open(&name, how | OFlags::CLOEXEC, Mode::empty());
        opened.map(Descriptor::from).map_err(Error::of("open"))
    };
    // An end by itself would wait for the other one: a descriptor for both goes first.
    let ends = open(OFlags::RDWR).and_then(|both| {
        let ends = (ReadEnd(open(OFlags::RDONLY)?), WriteEnd(open(OFlags::WRONLY)?));
        drop(both);
        Ok(ends)
    });
    let unlinked = fs::unlink(&name).map_err(Error::of("unlink"));
    ends.and_then(|ends| unlinked.map(|()| ends))
}

/// Numbers for names that this process makes.
fn next_number() -> u32 {
    static MADE: AtomicU32 = AtomicU32::new(0);
    MADE.fetch_add(1, Ordering::Relaxed)
}

impl WriteEnd {
    /// Writes one byte.
    ///
    /// # Errors
    /// When the reader is gone.
    #[inline(always)]
    pub fn write_byte(&self, byte: u8) -> Result<()> {
        self.0.write_all(&[byte])
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// The descriptor, for those who use ends of all kinds.
    pub fn into_descriptor(self) -> Descriptor {
        self.0
    }
}

impl ReadEnd {
    /// Reads one byte.
    ///
    /// # Errors
    /// When the writer is gone (errno 0: end of file).
    #[inline(always)]
    pub fn read_byte(&self) -> Result<u8> {
        let mut byte = [0];
        self.0.read_all(&mut byte).map(|()| byte[0])
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// The descriptor, for those who use ends of all kinds.
    pub fn into_descriptor(self) -> Descriptor {
        self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_fifo_carries_bytes_and_leaves_no_name() {
        let folder = std::env::temp_dir().join(format!("oscope-fifo-test-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (reader, writer) = fifo(&folder).unwrap();
        let left = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir(&folder).unwrap();
        writer.write_byte(7).unwrap();
        assert_eq!((reader.read_byte().unwrap(), left), (7, 0));
        drop(writer);
        assert_eq!(reader.read_byte().unwrap_err().errno, 0, "the end of the file");
    }
}
