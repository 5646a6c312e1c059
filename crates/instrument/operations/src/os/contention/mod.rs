//! Contention: threads on several CPUs that want the same lock.

pub mod lock;
