//! Files by their names, and their status, by the C library and by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use std::ffi::CStr;

/// The null device: it takes everything and gives nothing.
pub const DEV_NULL: &CStr = c"/dev/null";
/// The zero device: it gives zeros without end.
pub const DEV_ZERO: &CStr = c"/dev/zero";

/// The kernel's numbers of both devices (major, minor): the list of Linux's allocated devices.
const DEVICES: [(&CStr, u32, u32); 2] = [(DEV_NULL, 1, 3), (DEV_ZERO, 1, 5)];

/// For what a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Access {
    /// To be read.
    Read = libc::O_RDONLY | libc::O_CLOEXEC,
    /// To be written.
    Write = libc::O_WRONLY | libc::O_CLOEXEC,
}

/// Current directory, for calls that take a directory beside a name.
pub(crate) const HERE: usize = libc::AT_FDCWD as usize;

/// Opens a file that exists, closed on exec.
///
/// # Errors
/// When it cannot be opened.
#[inline(always)]
pub fn open(name: &CStr, access: Access) -> Result<Descriptor> {
    let arguments = [HERE, name.as_ptr() as usize, access as usize];
    // SAFETY: the name is a string that ends with a zero and lives through the call.
    unsafe { Descriptor::from_syscall::<{ libc::SYS_openat }, _>(arguments) }
}

/// Opens a file and closes it again, by the C library; gives the number that the descriptor had.
///
/// # Errors
/// When it cannot be opened or closed.
#[inline(always)]
pub fn open_and_close(name: &CStr, access: Access) -> Result<usize> {
    // SAFETY: the name is a string that ends with a zero and lives through the call.
    let number = unsafe { libc::open(name.as_ptr(), access as libc::c_int) };
    Error::check_errno("openat", number)?;
    // SAFETY: the kernel has just given us this descriptor; nobody else knows of it.
    Error::check_errno("openat", unsafe { libc::close(number) })?;
    Ok(number as usize)
}

/// The status of a file.
#[derive(Debug)]
pub struct Status(libc::stat);

impl Status {
    /// No status yet.
    fn empty() -> Self {
        // SAFETY: the structure is integers, for which zero is a value.
        Self(unsafe { std::mem::zeroed() })
    }

    /// What identifies a file: its device and its inode number.
    #[inline(always)]
    pub fn identity(&self) -> (u64, u64) {
        (self.0.st_dev, self.0.st_ino)
    }

    /// Whether it is the device that a name should stand for.
    fn is_device(&self, name: &CStr) -> bool {
        let kind = self.0.st_mode & libc::S_IFMT;
        let (major, minor) = (libc::major(self.0.st_rdev), libc::minor(self.0.st_rdev));
        kind == libc::S_IFCHR && DEVICES.contains(&(name, major, minor))
    }
}

/// The status of a file by its name, by the C library.
///
/// # Errors
/// When there is none.
#[inline(always)]
pub fn stat(name: &CStr) -> Result<Status> {
    let mut status = Status::empty();
    // SAFETY: the name ends with a zero, and the structure is valid for writing.
    Error::check_errno("newfstatat", unsafe { libc::stat(name.as_ptr(), &raw mut status.0) })?;
    Ok(status)
}

/// The status of an open file.
///
/// # Errors
/// When the call is denied.
#[inline(always)]
pub fn fstat(file: &Descriptor) -> Result<Status> {
    let mut status = Status::empty();
    let arguments = [file.number() as usize, &raw mut status.0 as usize];
    // SAFETY: the kernel's structure is the C library's on these architectures, and valid for writing.
    unsafe { arch::try_syscall::<{ libc::SYS_fstat }, _>(arguments) }.map(|_| status)
}

/// Opens one of the devices named here; `None` when something else stands in its place.
///
/// # Errors
/// When there is nothing, or it cannot be opened.
pub fn open_device(name: &CStr, access: Access) -> Result<Option<Descriptor>> {
    let device = open(name, access)?;
    let is_right = fstat(&device)?.is_device(name);
    Ok(is_right.then_some(device))
}

/// A buffer for the name of the current directory.
#[derive(Debug)]
pub struct DirectoryName([u8; DirectoryName::LENGTH]);

impl DirectoryName {
    const LENGTH: usize = 256;

    /// Makes the root the current directory, whose name is the same on every machine.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn at_root() -> Result<Self> {
        rustix::process::chdir(c"/").map_err(Error::in_call("chdir"))?;
        Ok(Self([0; Self::LENGTH]))
    }

    /// `getcwd` by the system-call instruction; gives whether the name is the root's.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn read_raw(&mut self) -> Result<bool> {
        self.0[0] = 0;
        let arguments = [self.0.as_mut_ptr() as usize, Self::LENGTH];
        // SAFETY: the buffer is valid for writing and of the length given.
        let length = unsafe { arch::try_syscall::<{ libc::SYS_getcwd }, _>(arguments) }?;
        // The kernel counts the zero at the end.
        Ok(length == 2 && self.0.starts_with(b"/\0"))
    }

    /// `getcwd` of the C library; gives whether the name is the root's.
    ///
    /// # Errors
    /// When it refuses.
    #[inline(always)]
    pub fn read_by_libc(&mut self) -> Result<bool> {
        self.0[0] = 0;
        // SAFETY: as above.
        let name = unsafe { libc::getcwd(self.0.as_mut_ptr().cast(), Self::LENGTH) };
        if name.is_null() {
            return Err(Error::last("getcwd"));
        }
        Ok(self.0.starts_with(b"/\0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn status_is_that_of_the_file() {
        let status = std::fs::metadata("/").unwrap();
        assert_eq!(stat(c"/").unwrap().identity(), (status.dev(), status.ino()));
        assert_eq!(stat(c"/no/such/file").unwrap_err(), Error { call: "newfstatat", errno: libc::ENOENT });
    }

    #[test]
    fn devices_are_distinguished_from_other_files() {
        let (null, root) = (stat(DEV_NULL).unwrap(), stat(c"/").unwrap());
        assert!(null.is_device(DEV_NULL) && !null.is_device(DEV_ZERO) && !root.is_device(DEV_NULL));
        let file = open_device(DEV_NULL, Access::Write).unwrap().unwrap();
        assert_eq!(fstat(&file).unwrap().identity(), null.identity());
        file.write_all(&[1]).unwrap();
    }

    #[test]
    fn a_closed_descriptor_number_is_reused() {
        let numbers: Vec<usize> =
            (0..2000).map(|_| open_and_close(DEV_NULL, Access::Read).unwrap()).collect();
        // Other tests open files meanwhile, but not thousands.
        assert!(numbers.iter().all(|&number| number < 1000));
    }
}
