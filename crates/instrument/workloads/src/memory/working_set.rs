//! The size of working sets by available memory, and huge pages under them.

use measure::{Bench, Failure, Result};
use sys::huge::{HugeMapping, huge_page_size};

/// A working set takes at most one part in this many of the available memory.
const SHARES: usize = 4;

/// The largest working set up to `wanted` bytes, halved until it fits into a quarter of the available memory.
///
/// # Errors
/// Skipped when that is less than `minimum`.
pub fn largest(wanted: usize, minimum: usize) -> Result<usize> {
    let available = sys::memory::available().unwrap_or(usize::MAX);
    fitting(wanted, minimum, available).ok_or_else(|| {
        Failure::skipped(
            format!(
                "needs {} MiB; at most a quarter of the {} MiB available is used",
                minimum >> 20,
                available >> 20
            ),
            "free memory, or raise the cgroup's limit",
        )
    })
}

fn fitting(wanted: usize, minimum: usize, available: usize) -> Option<usize> {
    let mut size = wanted;
    while size > available / SHARES && size >= minimum {
        size /= 2;
    }
    (size >= minimum).then_some(size)
}

/// Counts the share of the memory on huge pages.
pub fn count_huge(bench: &mut Bench<'_>, huge: Option<usize>, all: usize) {
    let huge = huge.map(|huge| huge as f64).ok_or("/proc/self/smaps has no count of huge pages");
    bench.try_count("pages.huge", huge, all as f64);
}

/// At least `bytes` of memory on 2 MiB pages, as far as smaps shows, and its length.
///
/// # Errors
/// Skipped when the kernel has or allocates none.
pub fn huge(bytes: usize, seed: u64) -> Result<(HugeMapping, usize)> {
    let page = huge_page_size().filter(|page| *page == 2 << 20).ok_or_else(no_huge)?;
    let length = bytes.next_multiple_of(page);
    let mut memory = HugeMapping::touched(length, page, seed)?;
    if memory.huge_bytes().is_some_and(|huge| huge < length) {
        return Err(no_huge());
    }
    Ok((memory, length))
}

fn no_huge() -> Failure {
    Failure::skipped(
        "the kernel allocated no 2 MiB pages for this memory",
        "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_set_shrinks_with_available_memory() {
        assert_eq!(fitting(64, 8, 1000), Some(64));
        assert_eq!(fitting(64, 8, 256), Some(64));
        assert_eq!(fitting(64, 8, 255), Some(32));
        assert_eq!(fitting(64, 8, 33), Some(8));
        assert_eq!(fitting(64, 8, 31), None);
        assert_eq!(fitting(64, 8, 0), None);
    }
}
