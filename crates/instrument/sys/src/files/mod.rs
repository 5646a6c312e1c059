//! Files, directories and their cache.

pub mod block_device;
pub mod cachestat;
pub mod copy;
pub mod descriptor;
pub mod direct;
pub mod lock;
pub mod memory_file;
pub mod names;
pub mod output;
pub mod path;
mod reopened;
pub mod send_file;
pub mod temporary;
pub mod uring;
