//! Buffers and files that are registered with a ring, so that the kernel takes pages and references once, not for each request.

use super::Ring;
use crate::descriptor::Descriptor;
use crate::memory::Mapping;
use crate::{Error, Result, arch};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

/// Operation codes of `io_uring_register` (linux/io_uring.h, Linux 5.1).
const BUFFERS: usize = 0;
const FILES: usize = 2;

/// What a ring has registered. Requests name the buffers by an address at which the program itself can no longer read or write,
/// so that no request succeeds but by the registration.
#[derive(Debug)]
pub(super) struct Registered {
    inaccessible: Mapping,
    files: Vec<i32>,
}

impl Registered {
    /// Registers `count` buffers of `block` bytes, and files; gives the memory by which the program reads and fills the buffers.
    ///
    /// # Errors
    /// When the kernel refuses, or the limit on locked memory is reached.
    pub(super) fn new(
        ring: &Ring,
        (block, count): (usize, usize),
        files: &[&Descriptor],
    ) -> Result<(Self, Mapping)> {
        let length = block * count;
        let made = memfd_create(c"oscope", MemfdFlags::CLOEXEC).map_err(Error::in_call("memfd_create"))?;
        let memory = Descriptor::from(made);
        ftruncate(&memory, length as u64).map_err(Error::in_call("ftruncate"))?;
        let [accessible, inaccessible] =
            [Mapping::of_kernel(&memory, 0, length)?, Mapping::of_kernel(&memory, 0, length)?];
        // Pairs of address and length: `struct iovec`.
        let buffers: Vec<[usize; 2]> =
            (0..count).map(|slot| [inaccessible.start() as usize + slot * block, block]).collect();
        let files: Vec<i32> = files.iter().map(|file| file.number()).collect();
        register(ring, BUFFERS, buffers.as_ptr() as usize, buffers.len())?;
        register(ring, FILES, files.as_ptr() as usize, files.len())?;
        // SAFETY: the whole mapping is ours; nothing in this process reads or writes it by this address again.
        let closed = unsafe { libc::mprotect(inaccessible.start().cast(), length, libc::PROT_NONE) };
        Error::check_errno("mprotect", closed)?;
        Ok((Self { inaccessible, files }, accessible))
    }

    /// The address of the byte at this offset of the buffers, as it was registered.
    pub(super) fn address(&self, offset: usize) -> u64 {
        (self.inaccessible.start() as usize + offset) as u64
    }

    /// The index of a file; that of no file where it is not registered.
    pub(super) fn index(&self, file: &Descriptor) -> u32 {
        let index = self.files.iter().position(|number| *number == file.number());
        index.unwrap_or(self.files.len()) as u32
    }
}

fn register(ring: &Ring, what: usize, list: usize, count: usize) -> Result<()> {
    let arguments = [ring.ring.number() as usize, what, list, count];
    // SAFETY: the list has `count` elements of the kernel's form and lives through the call; buffers in it outlive the ring, which
    // is dropped before them.
    unsafe { arch::try_syscall::<{ libc::SYS_io_uring_register }, _>(arguments) }.map(|_| ())
}
