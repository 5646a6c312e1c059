//! Reads of blocks by method.

pub mod cached;
pub mod device;
pub mod dontcache;
pub mod lines;
pub mod numbers;
pub mod rate;
pub mod reference;
pub mod uring;
