//! The memory whose pages are touched.

/// Bytes of the pages touched in sequence before all are freed: four times the L2 cache of most cores, so that cleared
/// or copied pages are cold.
pub const POOL: usize = 16 << 20;
