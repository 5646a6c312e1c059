//! Memory on transparent huge pages, and how much of it is, as the kernel reports it.

use crate::memory::Mapping;
use crate::pages::Pages;
use crate::{Error, Result};
use rustix::mm::{Advice, madvise};
use std::fs;

/// Private memory that the kernel was advised to back with huge pages, every page of it touched.
#[derive(Debug)]
pub struct HugeMapping {
    mapping: Mapping,
    start: usize,
}

/// The size of the pages that the kernel gives for this advice, in bytes; `None` where it has none.
pub fn huge_page_size() -> Option<usize> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").ok()?;
    text.trim().parse().ok().filter(|size: &usize| size.is_power_of_two())
}

/// Memory for `length` bytes that the kernel was advised to back with huge pages, and the offset at which they
/// begin, a multiple of a huge page's size. A kernel that has none gives base pages. Nothing is touched yet.
///
/// # Errors
/// When there is no memory left.
pub(crate) fn advised(length: usize) -> Result<(Mapping, usize)> {
    let on_huge_pages = huge_page_size().and_then(|page| aligned(length.next_multiple_of(page), page).ok());
    on_huge_pages.map_or_else(|| Ok((Mapping::private(length)?, 0)), Ok)
}

/// The same for huge pages of this size and nothing else.
fn aligned(length: usize, page: usize) -> Result<(Mapping, usize)> {
    // One page more: within it lies a multiple of the page's size.
    let mut mapping = Mapping::private(length.saturating_add(page))?;
    let bytes = mapping.bytes_mut();
    let before = bytes.as_ptr().align_offset(page);
    let aligned = bytes.get_mut(before..before.saturating_add(length));
    let aligned = aligned.ok_or(Error { call: "mmap", errno: libc::EINVAL })?;
    // SAFETY: the range is ours; the advice changes no byte of it.
    let advised = unsafe { madvise(aligned.as_mut_ptr().cast(), length, Advice::LinuxHugepage) };
    advised.map(|()| (mapping, before)).map_err(Error::in_call("madvise"))
}

impl HugeMapping {
    /// `length` bytes, a multiple of `page`, which is the size of a huge page.
    ///
    /// # Errors
    /// When there is no memory left, or the kernel has no huge pages (EINVAL).
    pub fn touched(length: usize, page: usize, seed: u64) -> Result<Self> {
        let (mut mapping, start) = aligned(length, page)?;
        let aligned = mapping.bytes_mut().get_mut(start..start + length).unwrap_or_default();
        for (index, page) in aligned.chunks_mut(crate::memory::page_size()).enumerate() {
            if let Some(first) = page.first_chunk_mut::<8>() {
                *first = (seed.wrapping_add(index as u64) | 1).to_ne_bytes();
            }
        }
        Ok(Self { mapping, start })
    }

    /// The memory, and the offset at which its huge pages begin.
    pub fn parts_mut(&mut self) -> (&mut Mapping, usize) {
        (&mut self.mapping, self.start)
    }

    /// How many of its bytes are on huge pages now; `None` where /proc does not report it.
    pub fn huge_bytes(&mut self) -> Option<usize> {
        huge_bytes_of(&self.mapping)
    }
}

/// How many bytes of a mapping are on huge pages now; `None` where /proc does not report it.
pub fn huge_bytes_of(mapping: &Mapping) -> Option<usize> {
    let start = mapping.words().as_ptr() as usize;
    huge_bytes_within(&fs::read_to_string("/proc/self/smaps").ok()?, start..start + mapping.length())
}

/// The same for pages.
pub fn huge_bytes_of_pages(pages: &Pages) -> Option<usize> {
    let smaps = fs::read_to_string("/proc/self/smaps").ok()?;
    huge_bytes_within(&smaps, pages.address()..pages.address() + pages.length())
}

/// The sum of AnonHugePages over the areas of a smaps text that lie in this range.
fn huge_bytes_within(smaps: &str, range: std::ops::Range<usize>) -> Option<usize> {
    let (mut inside, mut bytes) = (false, None);
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if let Some((start, _)) = first.split_once('-') {
            inside = usize::from_str_radix(start, 16).is_ok_and(|start| range.contains(&start));
        } else if inside && first == "AnonHugePages:" {
            let kilobytes: usize = words.next()?.parse().ok()?;
            bytes = Some(bytes.unwrap_or(0) + (kilobytes << 10));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_bytes_are_reported() {
        let page = huge_page_size().unwrap_or(2 << 20);
        if !programs::has("huge page of at most 2 MiB", page <= 2 << 20) {
            return;
        }
        match HugeMapping::touched(2 * page, page, 1) {
            Ok(mut memory) => {
                let huge = memory.huge_bytes().unwrap_or(0);
                assert!(huge <= 2 * page && huge % page == 0, "{huge}");
            }
            Err(error) => assert_eq!(error.errno, libc::EINVAL),
        }
    }

    #[test]
    fn only_areas_in_the_range_count() {
        let text = "1000-2000 rw-p 0 00:00 0\nAnonHugePages:      2048 kB\n\
                    2000-3000 rw-p 0 00:00 0\nRss: 4 kB\nAnonHugePages:      4096 kB\n\
                    3000-4000 rw-p 0 00:00 0\nAnonHugePages:      8192 kB\n";
        assert_eq!(huge_bytes_within(text, 0x1000..0x3000), Some(6 << 20));
        assert_eq!(huge_bytes_within(text, 0x5000..0x6000), None);
    }
}
