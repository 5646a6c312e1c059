//! Memory by mmap, never from an allocator: its alignment and its pages are known.

pub use crate::available::available;
pub use crate::caches::last_level_cache;
use crate::descriptor::Descriptor;
use crate::{Error, Result, random};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The size of the machine's base pages in bytes.
pub fn page_size() -> usize {
    // SAFETY: the call has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Bytes of a huge page where base pages have 4 KiB.
const HUGE: usize = 2 << 20;

/// An anonymous mapping of whole pages, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

impl Mapping {
    fn new(length: usize, sharing: MapFlags) -> Result<Self> {
        let length = length.max(1).next_multiple_of(page_size());
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing of ours.
        let start = unsafe { mmap_anonymous(null_mut(), length, READ_WRITE, sharing) };
        Self::at(start, length)
    }

    fn at(start: rustix::io::Result<*mut c_void>, length: usize) -> Result<Self> {
        let start = NonNull::new(start.map_err(Error::in_call("mmap"))?.cast());
        start.map(|start| Self { start, length }).ok_or(Error { call: "mmap", errno: 0 })
    }

    /// Memory that the kernel shares with this process by a descriptor, from an offset on.
    ///
    /// # Errors
    /// When there is no memory left.
    pub(crate) fn of_kernel(file: &Descriptor, offset: u64, length: usize) -> Result<Self> {
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a new mapping, at an address of the kernel's choice.
        Self::at(unsafe { mmap(null_mut(), length, READ_WRITE, flags, file, offset) }, length)
    }

    fn advise(&self, advice: Advice) -> rustix::io::Result<()> {
        // SAFETY: the range is ours, and none of the advice given here changes a byte of it.
        unsafe { madvise(self.start.as_ptr().cast(), self.length, advice) }
    }

    /// Private memory on base pages (huge pages are declined), not yet touched.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn private(length: usize) -> Result<Self> {
        let mapping = Self::new(length, MapFlags::PRIVATE)?;
        // A kernel without huge pages refuses the advice, which is as good.
        let _ = mapping.advise(Advice::LinuxNoHugepage);
        Ok(mapping)
    }

    /// Private memory on huge pages where it is large and the kernel gives them, not yet touched. It is longer
    /// than asked for: see [`Mapping::large_start`].
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn large(length: usize) -> Result<Self> {
        let room = if length < HUGE { 0 } else { HUGE };
        let mapping = Self::new(length.saturating_add(room), MapFlags::PRIVATE)?;
        // A kernel without huge pages refuses the advice: base pages serve.
        let _ = mapping.advise(Advice::LinuxHugepage);
        Ok(mapping)
    }

    /// The offset in the mapping at which `length` bytes begin, aligned to a huge page if they fill one and there is room.
    pub fn large_start(&self, length: usize) -> usize {
        let before = self.start.as_ptr().align_offset(HUGE);
        if length >= HUGE && before.saturating_add(length) <= self.length { before } else { 0 }
    }

    /// Memory that children made by fork share.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn shared(length: usize) -> Result<Self> {
        Self::new(length, MapFlags::SHARED)
    }

    /// Its length in bytes, a multiple of the page size.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Its bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is readable, writable, zero-filled, ours alone by `&mut`, and lives as long.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Its bytes, while nothing writes to them: not beside [`Mapping::words`].
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is readable, zero-filled and lives as long as `self`; the callers in this crate
        // own it alone and write to it through `bytes_mut` only, which needs `&mut self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// Writes a word that is not zero into every page, so that each page is resident and unlike the others.
    pub fn touch(&mut self, seed: u64) {
        // One call instead of a fault for every page; a kernel before 5.14 refuses, and each write faults.
        let _ = self.advise(Advice::LinuxPopulateWrite);
        let page = page_size();
        for (index, bytes) in self.bytes_mut().chunks_mut(page).enumerate() {
            let word = (seed ^ (index as u64).wrapping_mul(random::STEP)) | 1;
            if let Some(first) = bytes.first_chunk_mut::<8>() {
                *first = word.to_ne_bytes();
            }
        }
    }

    /// The memory as words of four bytes that several threads or processes may use at once, as futexes are. A
    /// word that is used through this view is not used through [`Mapping::words`].
    pub fn short_words(&self) -> &[AtomicU32] {
        // SAFETY: as for `words`; the alignment of a page is enough for words of four bytes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.length / 4) }
    }

    /// Where it starts, for objects of the C library that live in it.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The memory as words that several threads or processes may use at once.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is aligned to pages, zero-filled, and lives as long as `self`; atomics may be
        // shared. `bytes_mut` needs `&mut self`, so both views never exist at once.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.length / 8) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by us and nothing borrows it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

// SAFETY: the mapping is plain memory without ties to a thread.
unsafe impl Send for Mapping {}
// SAFETY: shared access is through atomics only.
unsafe impl Sync for Mapping {}

/// An empty list with capacity for `length` numbers, on huge pages if it is long, so that filling it takes few faults.
pub(crate) fn long_vec(length: usize) -> Vec<u32> {
    let more = if length * 4 < HUGE { 0 } else { HUGE / 4 };
    let mut list = Vec::with_capacity(length + more);
    let room = size_of_val(list.spare_capacity_mut());
    let start = list.as_mut_ptr() as usize;
    let (first, end) = (start.next_multiple_of(HUGE), (start + room) / HUGE * HUGE);
    if more > 0 && first < end {
        // SAFETY: whole huge pages within the list's own room; the advice changes no byte. One that is refused does no
        // harm.
        let _ = unsafe { madvise(first as *mut c_void, end - first, Advice::LinuxHugepage) };
    }
    list
}
