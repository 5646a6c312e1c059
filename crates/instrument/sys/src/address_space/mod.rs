//! What is mapped: pages, their size, node and residence, and faults.

pub(crate) mod available;
pub(crate) mod caches;
pub mod heap;
pub mod huge;
pub mod memory;
pub mod numa;
pub mod pages;
pub mod program;
pub mod program_break;
pub mod userfault;
