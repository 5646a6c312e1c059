//! Memory by mmap, never from an allocator: its alignment and its pages are known.

pub use crate::available::available;
pub use crate::caches::last_level_cache;
use crate::{Error, Result, random};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The size of the machine's base pages in bytes.
pub fn page_size() -> usize {
    // SAFETY: the call has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Bytes of a huge page where base pages have 4 KiB.
const HUGE: usize = 2 << 20;

/// An anonymous mapping of whole pages, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

impl Mapping {
    fn new(length: usize, sharing: libc::c_int) -> Result<Self> {
        let length = length.max(1).next_multiple_of(page_size());
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, sharing | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::last("mmap"));
        }
        NonNull::new(start.cast()).map(|start| Self { start, length }).ok_or(Error { call: "mmap", errno: 0 })
    }

    /// Private memory on base pages (huge pages are declined), not yet touched.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn private(length: usize) -> Result<Self> {
        let mapping = Self::new(length, libc::MAP_PRIVATE)?;
        // SAFETY: the range is ours. A kernel without huge pages refuses the advice, which is as good.
        let _ =
            unsafe { libc::madvise(mapping.start.as_ptr().cast(), mapping.length, libc::MADV_NOHUGEPAGE) };
        Ok(mapping)
    }

    /// Private memory on huge pages where it is large and the kernel gives them, not yet touched. It is longer
    /// than asked for: see [`Mapping::large_start`].
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn large(length: usize) -> Result<Self> {
        let room = if length < HUGE { 0 } else { HUGE };
        let mapping = Self::new(length.saturating_add(room), libc::MAP_PRIVATE)?;
        // SAFETY: the range is ours. A kernel without huge pages refuses the advice: base pages serve.
        let _ = unsafe { libc::madvise(mapping.start.as_ptr().cast(), mapping.length, libc::MADV_HUGEPAGE) };
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
        Self::new(length, libc::MAP_SHARED)
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
        // SAFETY: the range is ours, and populating it changes no byte.
        let _ = unsafe { libc::madvise(self.start.as_ptr().cast(), self.length, libc::MADV_POPULATE_WRITE) };
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
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
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
        let _ = unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
    list
}

/// How many of the pages that back this range are resident now.
///
/// # Errors
/// When the call is denied.
pub fn resident_pages(mapping: &Mapping) -> Result<usize> {
    let mut pages = vec![0_u8; mapping.length.div_ceil(page_size())];
    // SAFETY: the range is mapped and the vector has one byte for each of its pages.
    let result =
        unsafe { libc::mincore(mapping.start.as_ptr().cast(), mapping.length, pages.as_mut_ptr().cast()) };
    if result != 0 {
        return Err(Error::last("mincore"));
    }
    Ok(pages.iter().filter(|&&page| page & 1 != 0).count())
}
