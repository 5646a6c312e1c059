//! A file in memory that programs of this user open by a path, and that is gone with this process however that ends.

use crate::descriptor::{Descriptor, close};
use crate::{Error, Result};
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// A file in memory.
#[derive(Debug)]
pub struct MemoryFile {
    file: File,
}

impl MemoryFile {
    /// A file with this content; its name is for lists of open files only.
    ///
    /// # Errors
    /// When the kernel has no such files, or there is no memory.
    pub fn new(name: &str, content: &[u8]) -> Result<Self> {
        let file = memfd_create(name, MemfdFlags::CLOEXEC).map_err(Error::in_call("memfd_create"))?;
        let mut file = File::from(file);
        file.write_all(content).map_err(Error::in_call("write"))?;
        Ok(Self { file })
    }

    /// By what other programs open it while this process has it.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()))
    }
}

/// A file in memory with this content, open for reading and writing.
///
/// # Errors
/// When the kernel has no such files, or there is no memory.
pub fn open(name: &str, content: &[u8]) -> Result<Descriptor> {
    MemoryFile::new(name, content).map(|made| Descriptor::from(OwnedFd::from(made.file)))
}

/// Makes an empty file in memory and closes it, by one raw call each; gives the descriptor that it had.
///
/// # Errors
/// When the call is denied, or no descriptor is left.
#[inline(always)]
pub fn create_and_close() -> Result<i32> {
    let arguments = [c"empty".as_ptr() as usize, libc::MFD_CLOEXEC as usize];
    // SAFETY: the name lives through the call, which makes a descriptor.
    let file = unsafe { Descriptor::from_syscall::<{ libc::SYS_memfd_create }, _>(arguments) }?;
    let number = file.number();
    close(file)?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn other_programs_read_and_write_it_by_its_path() {
        let file = MemoryFile::new("of-this-test", b"content").unwrap();
        let path = file.path();
        assert_eq!(programs::command("cat").arg(&path).output().unwrap().stdout, b"content");
        std::fs::write(&path, b"other").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"other");
        drop(file);
        // Another test may have its number by now.
        let left =
            std::fs::read_link(&path).is_ok_and(|file| file.to_string_lossy().contains("of-this-test"));
        assert!(!left);
    }
}
