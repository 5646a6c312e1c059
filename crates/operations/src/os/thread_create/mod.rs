//! Creating threads: by the C library and by nothing but system calls, whole and taken apart.

pub mod join;
pub mod raw;
pub mod timestamps;
