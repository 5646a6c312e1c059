//! Work on memory, independent of operations: page touches, test files and sweeps.

pub mod anonymous_pages;
pub mod associativity;
pub mod bandwidth;
pub mod chains;
pub mod chase;
pub mod cold_pages;
pub mod huge_changes;
pub mod huge_pages;
pub mod levels;
pub mod library;
pub mod line_size;
pub mod mapped_files;
pub mod mappings;
pub mod page_sequence;
pub mod pool;
pub mod populated_pages;
pub mod quiet_sampler;
pub mod served_faults;
pub mod shared_pages;
pub mod sweep;
pub mod test_file;
pub mod tlb;
pub mod working_set;

use measure::parameters;
use quantity::Bytes;

parameters! {
    /// A working set.
    pub struct WorkingSet {
        /// Its size.
        bytes: Bytes,
    }
}

/// Bytes of a cache line on every supported processor; larger lines are visited more than once.
pub const LINE: usize = 64;
