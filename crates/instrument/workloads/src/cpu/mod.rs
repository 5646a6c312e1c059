//! Machinery of clocks and arithmetic; it knows no operation.

pub mod arithmetic;
pub mod frequency;
pub mod steps;
