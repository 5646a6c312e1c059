//! How much memory a working set may take, and on which pages it came to lie.

use measure::{Bench, Failure};
use sys::huge::{HugeMapping, huge_page_size};

/// Working sets take this part of what is left at most: the supervisor and neighbours need some.
const SHARES: usize = 4;

/// The largest working set of at most `wished` bytes, halved until it is a small part of what is left.
///
/// # Errors
/// Skipped when that would be less than `least`.
pub fn largest(wished: usize, least: usize) -> Result<usize, Failure> {
    let left = sys::memory::available().unwrap_or(usize::MAX);
    fitting(wished, least, left).ok_or_else(|| {
        Failure::skipped(
            format!("of the {} MiB that are left a quarter is too little", left >> 20),
            "free memory, or raise the cgroup's limit",
        )
    })
}

fn fitting(wished: usize, least: usize, left: usize) -> Option<usize> {
    let mut size = wished;
    while size > left / SHARES && size >= least {
        size /= 2;
    }
    (size >= least).then_some(size)
}

/// Evidence of the share of the memory that is on huge pages.
pub fn count_huge(bench: &mut Bench<'_>, huge: Option<usize>, all: usize) {
    match huge {
        Some(huge) => bench.count("pages.huge", huge as f64, all as f64),
        None => bench.cannot_count("pages.huge", "/proc/self/smaps does not tell".to_owned()),
    }
}

/// Memory of at least so many bytes, all on huge pages of 2 MiB as far as can be told, and how much it is.
///
/// # Errors
/// Skipped when the kernel has or gives none.
pub fn huge(bytes: usize, seed: u64) -> Result<(HugeMapping, usize), Failure> {
    let page = huge_page_size()
        .filter(|page| *page == 2 << 20)
        .ok_or_else(no_huge)?;
    let length = bytes.next_multiple_of(page);
    let mut memory = HugeMapping::touched(length, page, seed)?;
    if memory.huge_bytes().is_some_and(|huge| huge < length) {
        return Err(no_huge());
    }
    Ok((memory, length))
}

fn no_huge() -> Failure {
    Failure::skipped(
        "the kernel gave no huge pages of 2 MiB for this memory",
        "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_set_shrinks_with_what_is_left() {
        assert_eq!(fitting(64, 8, 1000), Some(64));
        assert_eq!(fitting(64, 8, 256), Some(64));
        assert_eq!(fitting(64, 8, 255), Some(32));
        assert_eq!(fitting(64, 8, 33), Some(8));
        assert_eq!(fitting(64, 8, 31), None);
        assert_eq!(fitting(64, 8, 0), None);
    }
}
