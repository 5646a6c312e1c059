//! mmap, munmap, mprotect, mremap; and lmbench's file mapping.

pub mod calls;
pub mod file;

use measure::{Area, Operation};
use record::Need;
use workloads::memory::mappings::size_of;

/// Common to calls that map memory.
pub const MAPPING: Operation = Operation {
    area: Area::Memory,
    needs: |point| vec![Need::Memory { bytes: 16 * size_of(point) as u64 }],
    ..Operation::NEW
};
