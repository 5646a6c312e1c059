//! What is mapped: pages, their size, node and residence, and faults.

pub mod huge;
pub(crate) mod left;
pub mod memory;
pub mod numa;
pub mod pages;
pub mod program;
pub mod userfault;
