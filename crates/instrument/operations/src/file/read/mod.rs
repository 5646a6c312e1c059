//! Reads of blocks by method.

pub mod cached;
pub mod device;
pub mod dontcache;
pub mod lines;
pub mod rate;
pub mod uring;
