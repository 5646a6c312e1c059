//! First writes to huge pages.

use super::page_sequence::PageSequence;
use measure::{Bench, Failure, Result};
use sys::huge::huge_page_size;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// Bytes of the touched memory.
pub const MEMORY: usize = 32 << 20;

/// First writes to huge pages, each of which must be entirely resident afterwards.
///
/// # Errors
/// Skipped where the kernel has or allocates none.
pub fn touch_huge_pages(bench: &mut Bench<'_>) -> Result<()> {
    let Some(page) = huge_page_size().filter(|page| *page <= MEMORY / 8) else {
        return Err(Failure::skipped(
            "this kernel has no transparent huge pages of up to 4 MiB",
            "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
        ));
    };
    let pages = Pages::huge(MEMORY, page)?;
    let sequence = PageSequence::new(MEMORY, page);
    let (mut found, mut expected) = (0, 0);
    let mut touched = 0..0;
    sequence.touch(
        bench,
        |n| {
            expected += touched.len() / page_size();
            found += pages.resident(touched.clone())?;
            pages.advise(touched.clone(), Advice::DontNeed)?;
            sequence.reserve(n, || Ok(()))?;
            touched = sequence.range(n);
            Ok(())
        },
        |offset| Ok(pages.write(offset, 1)),
    )?;
    if found == 0 || found * page < expected * page_size() * 2 {
        return Err(Failure::skipped(
            "the kernel allocates no huge pages for this process",
            "set /sys/kernel/mm/transparent_hugepage/enabled to madvise or always, or free memory",
        ));
    }
    bench.count("resident.huge", found as f64, expected as f64);
    Ok(())
}
