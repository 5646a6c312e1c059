//! mmap, munmap, mprotect, mremap; and lmbench's file mapping.

pub mod calls;
pub mod file;
pub mod huge;
pub mod short_calls;

use measure::Operation;
use record::Need;
use workloads::memory::mappings::size_of;

/// Common to calls that map memory.
pub const MAPPING: Operation =
    Operation { needs: |point| vec![Need::Memory { bytes: 16 * size_of(point) as u64 }], ..super::COMMON };
