//! Iterations for which the kernel does a part of the work once: timed batches hold whole periods.

/// New pages that a CPU collects before the kernel moves all of them to its lists at once, under a lock (`PAGEVEC_SIZE`: 31 on Linux
/// 6.18, where each 31st first write to a page took 3.7 to 8.1 µs longer; 15 before).
pub const NEW_PAGES_AT_ONCE: u64 = 31;

/// Mappings for whose nodes in the tree of areas the kernel takes a page (`maple_node`: 16 of 256 bytes on Linux 6.18, where each 16th
/// mmap and munmap took 1.4 µs longer).
pub const MAPPINGS_AT_ONCE: u64 = 16;
