//! Reads of blocks, named by how they read.

pub mod cached;
pub mod device;
pub mod lines;
pub mod passing;
pub mod reference;
pub mod uring;
