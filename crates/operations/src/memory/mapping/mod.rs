//! Calls that change what is mapped: mapping, unmapping, protecting, moving; and lmbench's file mapping.

pub mod calls;
pub mod file;

use measure::{Area, Operation, Point};
use quantity::Bytes;
use record::Need;
use sys::memory::page_size;

/// What all of them have in common.
pub const MAPPING: Operation = Operation {
    area: Area::Memory,
    needs: |point| {
        vec![Need::Memory {
            bytes: 16 * size_of(point) as u64,
        }]
    },
    ..Operation::NEW
};

/// Points of these sizes.
pub fn sizes(of: &[&str]) -> Vec<Point> {
    of.iter().map(|size| Point::only().with("size", size)).collect()
}

/// The size of a point in bytes, at least a page.
pub fn size_of(point: &Point) -> usize {
    let told = point
        .get("size")
        .and_then(|text| quantity::parse_bytes(text).ok());
    let bytes = told.map_or(0, Bytes::bytes);
    usize::try_from(bytes).unwrap_or(usize::MAX).max(page_size())
}
