//! How much of a file is in the kernel's cache: cachestat where the kernel has it, mincore otherwise.

use crate::descriptor::Descriptor;
use crate::memory::page_size;
use crate::pages::{Pages, Sharing};
use crate::{Error, Result, arch};
use std::ops::Range;

/// The number of cachestat on every architecture (Linux 6.5).
const CACHESTAT: i64 = 451;

/// `struct cachestat` of linux/mman.h, in pages.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cached {
    /// In the cache.
    pub present: u64,
    /// Of these, not yet on the device.
    pub dirty: u64,
    /// Of these, on the way to the device.
    pub writeback: u64,
    /// Once there and gone.
    pub evicted: u64,
    /// Gone so recently that the kernel would rather have kept them.
    pub recently_evicted: u64,
}

/// What of a range of a file, in bytes, is in the cache. By mincore only [`Cached::present`] is reported.
///
/// # Errors
/// When neither call is allowed.
pub fn query(file: &Descriptor, range: Range<u64>) -> Result<Cached> {
    let mut cached = Cached::default();
    let asked = [range.start, range.end.saturating_sub(range.start)];
    let arguments = [file.number() as usize, asked.as_ptr() as usize, &raw mut cached as usize];
    // SAFETY: the range is valid for reading and the structure for writing.
    match unsafe { arch::try_syscall::<CACHESTAT, _>(arguments) } {
        Ok(_) if cached.present > 0 => Ok(cached),
        // Where a file system lies on others (overlay), the pages are another file's, to which only a mapping leads.
        Ok(_) => {
            Ok(by_mapping(file, range).map_or(cached, |mapped| Cached { present: mapped.present, ..cached }))
        }
        // EPERM comes from filters that do not know the call.
        Err(Error { errno: libc::ENOSYS | libc::EPERM | libc::EOPNOTSUPP, .. }) => by_mapping(file, range),
        Err(error) => Err(error),
    }
}

fn by_mapping(file: &Descriptor, range: Range<u64>) -> Result<Cached> {
    let page = page_size() as u64;
    let whole = range.start / page * page..range.end.next_multiple_of(page);
    let [start, end] = [whole.start, whole.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let pages = Pages::of_file(file, end, Sharing::Shared)?;
    let present = pages.resident(start..end)? as u64;
    Ok(Cached { present, ..Cached::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFile;

    #[test]
    fn both_calls_count_the_written_pages() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(16 * page_size(), page_size(), 1).unwrap();
        let page = page_size() as u64;
        for range in [0..16 * page, 4 * page..6 * page] {
            let pages = (range.end - range.start) / page;
            assert_eq!(query(file.descriptor(), range.clone()).unwrap().present, pages);
            assert_eq!(by_mapping(file.descriptor(), range).unwrap().present, pages);
        }
    }

    #[test]
    fn dropped_pages_are_not_cached() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(8 * page_size(), page_size(), 1).unwrap();
        file.flush().unwrap();
        file.drop_cache().unwrap();
        // A directory in memory keeps its pages: there is nowhere else for them.
        let in_memory = file.extents().is_err();
        let present = query(file.descriptor(), 0..8 * page_size() as u64).unwrap().present;
        assert_eq!(present, if in_memory { 8 } else { 0 });
    }
}
