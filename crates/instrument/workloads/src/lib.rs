//! What does the work that operations measure: exchanges of messages, sessions and streams, test files, loops over memory,
//! timestamps, threads and children. It knows points and the bench, and no operation.
#![forbid(unsafe_code)]

pub mod barrier;
pub mod cpu;
pub mod descriptors;
pub mod device_bytes;
pub mod exchange;
pub mod file;
pub mod group_levels;
pub mod memory;
mod memory_group;
pub mod network;
pub mod os;
pub mod own_program;
pub mod periods;
pub mod repeat;
pub mod shared_words;
pub mod test_file;
pub mod threads;
