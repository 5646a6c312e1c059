//! A file in memory whose pages the kernel sends itself.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use rustix::fs::{MemfdFlags, memfd_create};

/// A file without a name in memory, gone with its descriptor.
#[derive(Debug)]
pub struct MemoryFile(Descriptor);

impl MemoryFile {
    /// By what it is open.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// A file that holds these bytes.
    ///
    /// # Errors
    /// When there is no memory left or the call is denied.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let made = memfd_create(c"oscope", MemfdFlags::CLOEXEC).map_err(Error::in_call("memfd_create"))?;
        let file = Descriptor::from(made);
        file.write_repeatedly(bytes)?;
        Ok(Self(file))
    }

    /// Sends `bytes` bytes from an offset on, by as many calls of sendfile as it takes.
    ///
    /// # Errors
    /// When the other end is gone, or the file ends before (errno 0).
    #[inline(always)]
    pub fn send(&self, to: &Descriptor, start: u64, bytes: usize) -> Result<()> {
        let mut place = start.cast_signed();
        let mut left = bytes;
        while left > 0 {
            let arguments = [to.number() as usize, self.0.number() as usize, (&raw mut place) as usize, left];
            // SAFETY: the place is valid for reading and writing; the rest are integers.
            match unsafe { arch::try_syscall::<{ libc::SYS_sendfile }, _>(arguments) }? {
                0 => return Err(Error { call: "sendfile", errno: 0 }),
                more => left -= more.min(left),
            }
        }
        Ok(())
    }
}
