//! Names in a directory: files made, removed, renamed, looked up, by raw calls relative to an open directory.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, direct};
use rustix::fs::{IFlags, Mode, OFlags};
use std::ffi::{CStr, CString};
use std::path::Path;

/// An open directory, in which names are looked up.
#[derive(Debug)]
pub struct Folder(Descriptor);

/// A name that was made before: a short text that ends with a zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(CString);

/// For what a file is opened by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Opening {
    /// To be read.
    Read = libc::O_RDONLY | libc::O_CLOEXEC,
    /// To be written; it keeps its content.
    Write = libc::O_WRONLY | libc::O_CLOEXEC,
    /// To be written from its beginning: what it held is discarded.
    Truncate = libc::O_WRONLY | libc::O_TRUNC | libc::O_CLOEXEC,
    /// To be written; it must be new.
    Create = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC,
}

impl Name {
    /// The name of this number behind some letters.
    pub fn new(letters: &str, number: u64) -> Self {
        // Letters without a zero byte, which is what callers give, always make a name.
        Self(CString::new(format!("{letters}{number}")).unwrap_or_default())
    }
}

impl Folder {
    /// Opens a directory.
    ///
    /// # Errors
    /// When there is none, or it may not be read.
    pub fn open(path: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(Error::in_call("openat"));
        opened.map(|folder| Self(folder.into()))
    }

    /// The open directory.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// Waits until its names are on the device.
    ///
    /// # Errors
    /// When the device fails.
    #[inline(always)]
    pub fn sync(&self) -> Result<()> {
        direct::sync_all(&self.0)
    }

    /// Asks that folders made in this one lie far apart (FS_TOPDIR_FL), each with the numbers of its files beside it: what has
    /// happened in one of them does not slow the next. Only ext2, ext3 and ext4 know of it; whether it was taken.
    pub fn spread(&self) -> bool {
        let flags = rustix::fs::ioctl_getflags(&self.0);
        flags.is_ok_and(|flags| rustix::fs::ioctl_setflags(&self.0, flags | IFlags::TOPDIR).is_ok())
    }

    #[inline(always)]
    fn call<const NUMBER: i64>(&self, name: &CStr, more: [usize; 3]) -> Result<usize> {
        let arguments = [self.0.number() as usize, name.as_ptr() as usize, more[0], more[1], more[2]];
        // SAFETY: the name ends with a zero; what else is named is an integer or a structure of the caller's.
        unsafe { arch::try_syscall::<NUMBER, _>(arguments) }
    }

    /// Makes a new file with these bytes in it: opened, written if there are any, and closed; whether all were taken.
    ///
    /// # Errors
    /// When it is there already, or the kernel refuses.
    #[inline(always)]
    pub fn create(&self, name: &Name, bytes: &[u8]) -> Result<bool> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let made = self.call::<{ libc::SYS_openat }>(&name.0, [flags as usize, 0o600, 0])?;
        let mut written = Ok(bytes.len());
        if !bytes.is_empty() {
            let arguments = [made, bytes.as_ptr() as usize, bytes.len()];
            // SAFETY: the bytes live through the call, which only reads them.
            written = unsafe { arch::try_syscall::<{ libc::SYS_write }, _>(arguments) };
        }
        // SAFETY: the kernel has just given us this descriptor; nobody else knows of it.
        unsafe { arch::try_syscall::<{ libc::SYS_close }, _>([made]) }?;
        Ok(written? == bytes.len())
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When it is not there, or is and should be new, or the kernel refuses.
    #[inline(always)]
    pub fn open_file(&self, name: &Name, how: Opening) -> Result<Descriptor> {
        let arguments = [self.0.number() as usize, name.0.as_ptr() as usize, how as usize, 0o600];
        // SAFETY: the name ends with a zero and lives through the call.
        unsafe { Descriptor::from_syscall::<{ libc::SYS_openat }, _>(arguments) }
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When it is not there.
    #[inline(always)]
    pub fn remove(&self, name: &Name) -> Result<()> {
        self.call::<{ libc::SYS_unlinkat }>(&name.0, [0; 3]).map(|_| ())
    }

    /// Gives a file another name.
    ///
    /// # Errors
    /// When it is not there.
    #[inline(always)]
    pub fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        let more = [self.0.number() as usize, to.0.as_ptr() as usize, 0];
        self.call::<{ libc::SYS_renameat2 }>(&from.0, more).map(|_| ())
    }

    /// The number and the length of a file.
    ///
    /// # Errors
    /// When it is not there ([`Error::is_missing`]).
    #[inline(always)]
    pub fn stat(&self, name: &Name) -> Result<(u64, u64)> {
        // SAFETY: the structure is integers, for which zero is a value.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        let more = [&raw mut status as usize, libc::AT_SYMLINK_NOFOLLOW as usize, 0];
        self.call::<{ libc::SYS_newfstatat }>(&name.0, more)?;
        Ok((status.st_ino, u64::try_from(status.st_size).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_found_renamed_and_removed() {
        let path = std::env::temp_dir().join(format!("oscope-names-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        let folder = Folder::open(&path).unwrap();
        let asked = folder.spread();
        assert_eq!(folder.spread(), asked, "asked twice, the answer is the same");
        let (one, two) = (Name::new("f", 1), Name::new("f", 2));
        assert_eq!(folder.create(&one, b"text"), Ok(true));
        assert!(folder.create(&one, b"").is_err());
        let (number, length) = folder.stat(&one).unwrap();
        assert_eq!(length, 4);
        for (how, left) in [(Opening::Read, 4), (Opening::Write, 4), (Opening::Truncate, 0)] {
            drop(folder.open_file(&one, how).unwrap());
            assert_eq!(folder.stat(&one), Ok((number, left)), "{how:?}");
        }
        assert!(folder.open_file(&one, Opening::Create).is_err());
        drop(folder.open_file(&two, Opening::Create).unwrap());
        folder.remove(&two).unwrap();
        assert!(folder.open_file(&two, Opening::Read).is_err_and(|error| error.is_missing()));
        folder.rename(&one, &two).unwrap();
        assert_eq!(folder.stat(&two), Ok((number, 0)));
        assert!(folder.stat(&one).is_err_and(|error| error.is_missing()));
        folder.remove(&two).unwrap();
        assert!(folder.remove(&two).is_err());
        std::fs::remove_dir(&path).unwrap();
    }
}
