//! Pages of memory that are touched one by one, and the calls that change what is mapped: all raw.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, memory::page_size};
use std::ptr::NonNull;

/// Advice on pages for madvise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Advice {
    /// Takes the pages out of the mapping.
    DontNeed = libc::MADV_DONTNEED,
    /// Faults in every page for writing (Linux 5.14).
    PopulateWrite = libc::MADV_POPULATE_WRITE,
    /// Frees the pages when memory is short, unless they are written before (Linux 4.5).
    Free = libc::MADV_FREE,
    /// The first to be reclaimed (Linux 5.4).
    Cold = libc::MADV_COLD,
    /// Huge pages are welcome.
    HugePage = libc::MADV_HUGEPAGE,
    /// Huge pages are declined.
    NoHugePage = libc::MADV_NOHUGEPAGE,
    /// Made huge pages at once (Linux 6.1).
    Collapse = libc::MADV_COLLAPSE,
    /// No read-ahead.
    Random = libc::MADV_RANDOM,
    /// Far read-ahead.
    Sequential = libc::MADV_SEQUENTIAL,
    /// As if nothing had been advised.
    Normal = libc::MADV_NORMAL,
}

/// How the pages of a mapped file are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Sharing {
    /// The file's own, seen by all.
    Shared = libc::MAP_SHARED,
    /// The file's until they are written, and this process's then.
    Private = libc::MAP_PRIVATE,
}

const READ_WRITE: usize = (libc::PROT_READ | libc::PROT_WRITE) as usize;
const ANONYMOUS: usize = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;

/// Whole pages, unmapped when dropped. Nobody holds references into them: they are read and written one word
/// at a time.
#[derive(Debug)]
pub struct Pages {
    start: NonNull<u8>,
    length: usize,
}

#[inline(always)]
fn mmap(place: usize, length: usize, protection: usize, flags: usize, file: i32) -> Result<usize> {
    let arguments = [place, length, protection, flags, file as usize];
    // SAFETY: callers of this module ask for a place of the kernel's choice, or for one that is theirs.
    unsafe { arch::try_syscall::<{ libc::SYS_mmap }, _>(arguments) }
}

#[inline(always)]
fn munmap(start: usize, length: usize) -> Result<()> {
    // SAFETY: callers of this module name a range that is theirs and that nothing borrows.
    unsafe { arch::try_syscall::<{ libc::SYS_munmap }, _>([start, length]) }.map(|_| ())
}

/// How many base pages of a range of addresses are in memory now.
pub(crate) fn resident_pages(start: usize, length: usize) -> Result<usize> {
    let mut pages = vec![0_u8; length.div_ceil(page_size())];
    let arguments = [start, length, pages.as_mut_ptr() as usize];
    // SAFETY: the vector has one byte for each page of the range, of which nothing is read.
    unsafe { arch::try_syscall::<{ libc::SYS_mincore }, _>(arguments) }?;
    Ok(pages.iter().filter(|&&page| page & 1 != 0).count())
}

impl Pages {
    fn new(length: usize, flags: usize, file: i32) -> Result<Self> {
        let length = length.max(1).next_multiple_of(page_size());
        let start = mmap(0, length, READ_WRITE, flags, file)?;
        let start = NonNull::new(start as *mut u8).ok_or(Error { call: "mmap", errno: 0 })?;
        Ok(Self { start, length })
    }

    /// Private memory on base pages (huge pages are declined), not yet touched.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn anonymous(length: usize) -> Result<Self> {
        let pages = Self::new(length, ANONYMOUS, -1)?;
        let arguments = [pages.address(), pages.length, libc::MADV_NOHUGEPAGE as usize];
        // SAFETY: the range is ours. A kernel without huge pages refuses the advice, which is as good.
        let _ = unsafe { arch::syscall::<{ libc::SYS_madvise }, _>(arguments) };
        Ok(pages)
    }

    /// Private memory that begins at a multiple of `page` and for which huge pages are welcome, not yet touched.
    ///
    /// # Errors
    /// When there is no memory left, or the kernel has no huge pages (EINVAL).
    pub fn huge(length: usize, page: usize) -> Result<Self> {
        let mut pages = Self::new(length.saturating_add(page), ANONYMOUS, -1)?;
        let before = pages.address().next_multiple_of(page) - pages.address();
        pages.unmap_front(before)?;
        let all = 0..pages.length;
        pages.advise(all, Advice::HugePage)?;
        Ok(pages)
    }

    /// Private memory whose pages the mapping call has all faulted in (MAP_POPULATE).
    ///
    /// # Errors
    /// When there is no memory left.
    #[inline(always)]
    pub fn populated(length: usize) -> Result<Self> {
        Self::new(length, ANONYMOUS | libc::MAP_POPULATE as usize, -1)
    }

    /// The first `length` bytes of a file, open for reading and writing, which must not be cut while they are
    /// mapped.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    #[inline(always)]
    pub fn of_file(file: &Descriptor, length: usize, sharing: Sharing) -> Result<Self> {
        Self::new(length, sharing as usize, file.number())
    }

    /// The address at which they begin.
    #[inline(always)]
    pub(crate) fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// Length in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether a word at this offset lies within the pages.
    #[inline(always)]
    fn holds(&self, offset: usize) -> bool {
        offset.is_multiple_of(8) && offset < self.length
    }

    /// Reads the word at an offset, a multiple of 8, by one load; `None` outside.
    #[inline(always)]
    pub fn read(&self, offset: usize) -> Option<u64> {
        // SAFETY: the word is aligned and within the mapping, which is readable; there are no references to it.
        self.holds(offset).then(|| unsafe { self.start.as_ptr().add(offset).cast::<u64>().read_volatile() })
    }

    /// Writes the word at an offset, a multiple of 8, by one store; whether it then holds the value.
    #[inline(always)]
    pub fn write(&self, offset: usize, value: u64) -> bool {
        if !self.holds(offset) {
            return false;
        }
        // SAFETY: as for `read`, and the mapping is writable.
        unsafe { self.start.as_ptr().add(offset).cast::<u64>().write_volatile(value) };
        self.read(offset) == Some(value)
    }

    /// Copies bytes from an offset on into a buffer; whether they all lie within.
    #[inline(always)]
    pub fn copy_out(&self, offset: usize, buffer: &mut [u8]) -> bool {
        let fits = offset.checked_add(buffer.len()).is_some_and(|end| end <= self.length);
        if fits {
            // SAFETY: the range lies within the mapping, which is readable, and the buffer is elsewhere; nobody
            // holds references into the mapping, and this process writes to it by single words only.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    self.start.as_ptr().add(offset),
                    buffer.as_mut_ptr(),
                    buffer.len(),
                )
            };
            std::hint::black_box(&mut *buffer);
        }
        fits
    }

    /// Whether a range of bytes lies within, and where it begins.
    #[inline(always)]
    fn place(&self, call: &'static str, range: &std::ops::Range<usize>) -> Result<(usize, usize)> {
        if range.start <= range.end && range.end <= self.length {
            return Ok((self.address() + range.start, range.end - range.start));
        }
        Err(Error { call, errno: libc::EINVAL })
    }

    /// Gives advice on a range of whole pages.
    ///
    /// # Errors
    /// When the kernel refuses or does not know it (EINVAL).
    #[inline(always)]
    pub fn advise(&self, range: std::ops::Range<usize>, advice: Advice) -> Result<()> {
        let (start, length) = self.place("madvise", &range)?;
        // SAFETY: the range is ours, and nobody holds references into it.
        unsafe { arch::try_syscall::<{ libc::SYS_madvise }, _>([start, length, advice as usize]) }.map(|_| ())
    }

    /// Locks all pages in memory and unlocks them: two calls.
    ///
    /// # Errors
    /// When the limit on locked memory is too low.
    #[inline(always)]
    pub fn lock_and_unlock(&self) -> Result<()> {
        let range = [self.address(), self.length];
        // SAFETY: the range is ours; no byte of it changes.
        unsafe {
            arch::try_syscall::<{ libc::SYS_mlock }, _>(range)?;
            arch::try_syscall::<{ libc::SYS_munlock }, _>(range).map(|_| ())
        }
    }

    /// Waits until the file has what was written to the pages.
    ///
    /// # Errors
    /// When the file cannot be written.
    #[inline(always)]
    pub fn synchronize(&self) -> Result<()> {
        let arguments = [self.address(), self.length, libc::MS_SYNC as usize];
        // SAFETY: the range is ours; no byte of it changes.
        unsafe { arch::try_syscall::<{ libc::SYS_msync }, _>(arguments) }.map(|_| ())
    }

    /// Whether the first page is in memory, by one `mincore`.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn is_first_resident(&self) -> Result<bool> {
        let mut page = 0_u8;
        let arguments = [self.address(), page_size(), &raw mut page as usize];
        // SAFETY: there is room for the one byte of a page.
        unsafe { arch::try_syscall::<{ libc::SYS_mincore }, _>(arguments) }?;
        Ok(page & 1 != 0)
    }

    /// How many base pages of a range are in memory now: for a file, in the cache of it.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn resident(&self, range: std::ops::Range<usize>) -> Result<usize> {
        let (start, length) = self.place("mincore", &range)?;
        resident_pages(start, length)
    }

    /// Unmaps the first bytes, whole pages; the rest begins at offset 0 then. At least one page must stay.
    ///
    /// # Errors
    /// When the kernel refuses, or nothing would stay.
    #[inline(always)]
    pub fn unmap_front(&mut self, length: usize) -> Result<()> {
        let refused = Error { call: "munmap", errno: libc::EINVAL };
        if length >= self.length {
            return Err(refused);
        }
        if length > 0 {
            let start = self.address();
            munmap(start, length)?;
            self.start = NonNull::new((start + length) as *mut u8).ok_or(refused)?;
            self.length -= length;
        }
        Ok(())
    }

    /// Makes all pages read-only and writable again: two mprotect calls.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn protect_and_unprotect(&mut self) -> Result<()> {
        for protection in [libc::PROT_READ as usize, READ_WRITE] {
            let arguments = [self.address(), self.length, protection];
            // SAFETY: the range is ours, and it is writable again when the loop is over.
            unsafe { arch::try_syscall::<{ libc::SYS_mprotect }, _>(arguments) }?;
        }
        Ok(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // A range that was mapped by us can be unmapped.
        let _ = munmap(self.address(), self.length);
    }
}

// SAFETY: the mapping is plain memory without ties to a thread.
unsafe impl Send for Pages {}

/// Maps private memory at a place of the kernel's choice and unmaps it: two calls.
///
/// # Errors
/// When there is no memory left.
#[inline(always)]
pub fn map_and_unmap(length: usize) -> Result<()> {
    munmap(mmap(0, length, READ_WRITE, ANONYMOUS, -1)?, length)
}

/// Touched memory that mremap moves between two addresses.
#[derive(Debug)]
pub struct MovablePages {
    here: Pages,
    /// Where nothing is while it moves, and an empty reservation otherwise.
    there: Pages,
}

impl MovablePages {
    /// Memory of this length, every page touched, and a place for it to go.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(length: usize, seed: u64) -> Result<Self> {
        let here = Pages::anonymous(length)?;
        for offset in (0..here.length).step_by(page_size()) {
            here.write(offset, seed ^ offset as u64);
        }
        let there = Pages::anonymous(length)?;
        Ok(Self { here, there })
    }

    /// Moves it `times` times; gives how often the pages were at the right address afterwards. Only for processes with
    /// one thread: meanwhile nothing holds the place where it was.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn move_repeatedly(&mut self, times: u64, seed: u64) -> Result<u64> {
        let mut moved = false;
        let result = self.move_times(times, seed, &mut moved);
        // Whatever became of it, a place that is left must not be unmapped later as if it were ours.
        let held = if moved { self.hold() } else { Ok(()) };
        held.and(result)
    }

    fn move_times(&mut self, times: u64, seed: u64, moved: &mut bool) -> Result<u64> {
        let (length, last) = (self.here.length, self.here.length - page_size());
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as usize;
        let mut right = 0;
        for _ in 0..times {
            let arguments = [self.here.address(), length, length, flags, self.there.address()];
            // SAFETY: both ranges are ours: one is mapped and nobody borrows it, nothing of others is at the other.
            let arrived = unsafe { arch::try_syscall::<{ libc::SYS_mremap }, _>(arguments) }?;
            *moved = true;
            std::mem::swap(&mut self.here.start, &mut self.there.start);
            let is_there = arrived == self.here.address() && self.here.read(last) == Some(seed ^ last as u64);
            right += u64::from(is_there);
        }
        Ok(right)
    }

    /// Reserves the address to which it moves next, which is unmapped now.
    fn hold(&mut self) -> Result<()> {
        let flags = ANONYMOUS | libc::MAP_FIXED_NOREPLACE as usize | libc::MAP_NORESERVE as usize;
        let held = mmap(self.there.address(), self.there.length, READ_WRITE, flags, -1);
        if held.is_err() {
            // Another mapping is there: it is not ours to unmap.
            self.there.length = 0;
        }
        held.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::create::{Fork, fork_then};
    use crate::process::{Ended, wait_for};
    use crate::usage::{UsageScope, read};

    fn faults(work: impl FnOnce()) -> i64 {
        let before = read(UsageScope::Thread).unwrap();
        work();
        read(UsageScope::Thread).unwrap().since(&before).minor_faults
    }

    fn touch(pages: &Pages) {
        assert!((0..8).all(|index| pages.write(index * page_size(), index as u64 + 1)));
    }

    /// Of the first and the second touch of eight pages. An emulator that translates code takes faults of its own meanwhile,
    /// which come on top: the least of four counts.
    #[test]
    fn a_page_faults_at_its_first_touch_only() {
        let least = (0..4).fold([i64::MAX; 2], |[first, second], _| {
            let pages = Pages::anonymous(8 * page_size()).unwrap();
            let [once, again] = [(); 2].map(|()| faults(|| touch(&pages)));
            [first.min(once), second.min(again)]
        });
        assert_eq!(least, [8, 0]);
    }

    #[test]
    fn pages_that_are_not_needed_are_gone_and_zero_again() {
        let page = page_size();
        let pages = Pages::anonymous(8 * page).unwrap();
        touch(&pages);
        assert_eq!(pages.resident(0..8 * page), Ok(8));
        pages.advise(0..4 * page, Advice::DontNeed).unwrap();
        assert_eq!(pages.resident(0..8 * page), Ok(4));
        assert_eq!((pages.read(0), pages.read(7 * page)), (Some(0), Some(8)));
    }

    #[test]
    fn accesses_outside_are_rejected() {
        let pages = Pages::anonymous(page_size()).unwrap();
        assert_eq!(pages.read(page_size()), None);
        let mut word = [1; 8];
        assert!(pages.copy_out(page_size() - 8, &mut word) && word == [0; 8]);
        assert!(!pages.copy_out(page_size() - 7, &mut word));
        assert!(!pages.write(page_size(), 1) && !pages.write(4, 1));
        assert!(pages.advise(0..2 * page_size(), Advice::DontNeed).is_err());
    }

    #[test]
    fn unmapping_the_front_keeps_the_rest() {
        let page = page_size();
        let mut pages = Pages::anonymous(4 * page).unwrap();
        assert!(pages.write(3 * page, 7));
        pages.unmap_front(2 * page).unwrap();
        assert_eq!((pages.length(), pages.read(page)), (2 * page, Some(7)));
        assert!(pages.unmap_front(2 * page).is_err());
        pages.protect_and_unprotect().unwrap();
        assert!(pages.write(0, 9));
    }

    #[test]
    fn populated_pages_are_resident() {
        let pages = Pages::populated(16 * page_size()).unwrap();
        assert_eq!(pages.resident(0..pages.length()), Ok(16));
    }

    #[test]
    fn an_address_taken_by_another_mapping_is_not_unmapped() {
        let length = 4 * page_size();
        let mut moving = MovablePages::new(length, 5).unwrap();
        let taken = Pages::anonymous(length).unwrap();
        assert!(taken.write(0, 9));
        // As if another had mapped the place while nothing held it.
        munmap(moving.there.address(), length).unwrap();
        moving.there.start = taken.start;
        assert!(moving.hold().is_err());
        drop(moving);
        assert_eq!(taken.read(0), Some(9));
    }

    /// What each move of some pages answered, and whether both places are still ours.
    fn moves() -> Result<[bool; 5]> {
        let mut moving = MovablePages::new(4 * page_size(), 5)?;
        let [first, second, other] = [
            moving.move_repeatedly(3, 5)? == 3,
            moving.move_repeatedly(4, 5)? == 4,
            moving.move_repeatedly(1, 6)? == 0,
        ];
        // Both places are ours again, so that dropping them unmaps nothing of others.
        let places = [&moving.here, &moving.there];
        let held = places.into_iter().all(|pages| pages.resident(0..pages.length()).is_ok());
        Ok([first, second, other, held, moving.move_repeatedly(0, 5)? == 0])
    }

    #[test]
    fn moved_memory_keeps_its_content() {
        // In a child, which has one thread: another thread could map the place that is free for a moment, and the
        // next move would replace what it mapped.
        let child = fork_then(Fork::Clone, || match moves() {
            Ok(right) => right.iter().position(|right| !right).map_or(0, |wrong| 1 + wrong as i32),
            Err(error) => 100 + error.errno,
        });
        let child = child.unwrap();
        assert_eq!(wait_for(child), Ok((child, Ended::Exited(0))), "the check that failed, or 100 + errno");
    }
}
