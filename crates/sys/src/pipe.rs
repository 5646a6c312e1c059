//! Pipes and FIFOs, one byte at a time, by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use std::ffi::CString;
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
    let mut ends = [0; 2];
    // SAFETY: `ends` is valid for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(Error::last("pipe2"));
    }
    let [read_end, write_end] = ends.map(|end| Descriptor::from_result("pipe2", end as isize));
    Ok((ReadEnd(read_end?), WriteEnd(write_end?)))
}

/// A new FIFO in this folder, opened at both ends. Its name is removed at once.
///
/// # Errors
/// When the folder cannot be written to, or no descriptor is left.
pub fn fifo(folder: &Path) -> Result<(ReadEnd, WriteEnd)> {
    let path = folder.join(format!("oscope-fifo-{}-{}", std::process::id(), next_number()));
    let name = CString::new(path.into_os_string().into_encoded_bytes()).unwrap_or_default();
    // SAFETY: the name ends with zero.
    if unsafe { libc::mkfifo(name.as_ptr(), 0o600) } != 0 {
        return Err(Error::last("mkfifo"));
    }
    let open = |how: libc::c_int| {
        // SAFETY: as above; the call makes a descriptor.
        let opened = unsafe { libc::open(name.as_ptr(), how | libc::O_CLOEXEC) };
        if opened < 0 {
            return Err(Error::last("open"));
        }
        Descriptor::from_result("open", opened as isize)
    };
    // An end by itself would wait for the other one: a descriptor for both goes first.
    let ends = open(libc::O_RDWR).and_then(|both| {
        let ends = (ReadEnd(open(libc::O_RDONLY)?), WriteEnd(open(libc::O_WRONLY)?));
        drop(both);
        Ok(ends)
    });
    // SAFETY: as above.
    let unlinked = unsafe { libc::unlink(name.as_ptr()) };
    match (ends, unlinked) {
        (Ok(_), -1) => Err(Error::last("unlink")),
        (ends, _) => ends,
    }
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
