//! Files: reads, writes and syncs, names, the kernel's cache, contention, in the directory that the user names.

pub mod cache_size;
pub mod contention;
pub mod durable;
pub mod lookup;
pub mod names;
pub mod read;
pub mod remote;
pub mod second_read;
mod workloads;
pub mod write;

use crate::memory::fault::WAITS;
use measure::{Area, How, Operation, Rehearse};
use record::Need;

/// What the operations on files have in common.
const COMMON: Operation = Operation {
    area: Area::File,
    needs: |_| vec![Need::Directory],
    ..Operation::NEW
};

/// The same of those that wait for a device, and are timed one by one.
const DEVICE: Operation = Operation {
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    bounds: &["floor"],
    ..COMMON
};
