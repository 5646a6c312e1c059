//! Pipes, one byte at a time, by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result};

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
