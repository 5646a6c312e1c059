//! Contention: threads that want the same lock, or wait for the same wake-up.

pub mod futex;
pub mod lock;
pub mod queue;
