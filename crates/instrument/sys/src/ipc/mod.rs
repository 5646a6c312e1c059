//! What processes and threads of one machine exchange and wait for.

pub mod event_set;
pub mod eventfd;
pub mod futex;
pub mod message_queue;
pub mod pipe;
pub mod poll;
pub mod posix;
pub mod readiness;
pub mod system_v;
