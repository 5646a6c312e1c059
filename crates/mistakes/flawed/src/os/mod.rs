//! Services of the kernel.

pub mod creation;
pub mod int80;
mod switch_timestamps;
pub mod switches;
