//! What many cards share, in their own language: facts and their units, cited constants and formulas, groups of lines.
//!
//! A definition used by one card only stands on that card, behind `let`.

mod core;
mod exchange;
mod file;
mod group;
mod kernel;
mod memory;
mod network;
mod processor;
mod scaling;
mod tasks;

pub use group::Group;

/// The facts that formulas may name, with their units; `*` stands for any words.
pub const FACTS: &[(&str, &str)] = processor::FACTS;

/// Constants and formulas: `NAME(PARAMETERS) = FORMULA`, behind `t0` or `t1` where the tiers differ. What is cited behind
/// a name is `{within}` and `{source}` in its formula.
pub const FORMULAS: &[&[&str]] = &[
    processor::FORMULAS,
    kernel::FORMULAS,
    exchange::FORMULAS,
    core::FORMULAS,
    tasks::FORMULAS,
    memory::FORMULAS,
    file::FORMULAS,
    network::FORMULAS,
    scaling::FORMULAS,
];

/// Terms of predictions.
pub const TERMS: &[&[Group]] = &[
    kernel::TERMS,
    exchange::TERMS,
    core::TERMS,
    tasks::TERMS,
    memory::TERMS,
    file::TERMS,
    network::TERMS,
    scaling::TERMS,
];

/// Evidence.
pub const EVIDENCE: &[&[Group]] = &[
    processor::EVIDENCE,
    kernel::EVIDENCE,
    exchange::EVIDENCE,
    core::EVIDENCE,
    tasks::EVIDENCE,
    memory::EVIDENCE,
    file::EVIDENCE,
    network::EVIDENCE,
    scaling::EVIDENCE,
];

/// Bounds.
pub const BOUNDS: &[&[Group]] =
    &[kernel::BOUNDS, exchange::BOUNDS, tasks::BOUNDS, memory::BOUNDS, file::BOUNDS, network::BOUNDS];
