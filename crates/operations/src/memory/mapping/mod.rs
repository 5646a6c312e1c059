//! mmap, munmap, mprotect, mremap; and lmbench's file mapping.

pub mod calls;
pub mod file;

use measure::{Area, Operation, Point};
use record::Need;
use sys::memory::page_size;

/// Common to all.
pub const MAPPING: Operation = Operation {
    area: Area::Memory,
    needs: |point| vec![Need::Memory { bytes: 16 * size_of(point) as u64 }],
    ..Operation::NEW
};

/// Points of these sizes.
pub fn sizes(of: &[&str]) -> Vec<Point> {
    of.iter().map(|bytes| Point::only().with("bytes", bytes)).collect()
}

/// The mapping of a point in bytes, at least a page.
pub fn size_of(point: &Point) -> usize {
    let bytes = point.size("bytes").unwrap_or(0);
    usize::try_from(bytes).unwrap_or(usize::MAX).max(page_size())
}
