//! What works through memory and knows no operation: touches of pages, test files, sweeps, threads that meet.

pub mod helpers;
pub mod muster;
pub mod quiet;
pub mod room;
pub mod source;
pub mod sweep;
pub mod touches;
