//! Thread creation: by the C library and by system calls alone, whole and by phase.

pub mod join;
pub mod raw;
pub mod timestamps;
