//! Clocks and sleeps.

pub mod clock;
pub mod kernel_time;
pub mod sleep;
pub mod timer;
