//! A worker: its queue, and what it did.

use super::queue::Queue;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a worker did since the schedule began.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Done {
    pub(super) requests: AtomicU64,
    pub(super) right: AtomicU64,
    /// Requests for which it had slept, and those of them after which it ran on the CPU of the messenger.
    pub(super) woken: AtomicU64,
    pub(super) beside_messenger: AtomicU64,
}

/// Adds to a count.
pub(super) fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::AcqRel);
}

/// A worker.
pub(super) struct Worker {
    pub(super) queue: Queue,
    pub(super) done: Done,
}
