//! The cost model: what a point costs, what must be true of it and what bounds it, as lines of text.
//!
//! An operation's card holds the lines; [`prediction`], [`witnesses`] and [`bounds`] make records of them for
//! one of its points. What many cards share (cited constants, formulas, groups of lines) is defined once, in the
//! same language, in [`definitions`].
//!
//! A formula is written as it is printed: `2 × [syscall.pipe.self]`, `family.l2_cycles × cycle_ns`, `max(a, b)`,
//! `(a or else b)`. Besides what is printed it has
//! - units behind numbers: `1500 cycles`, `1e9 ns/s`; a bare number is a count. Facts and parts have theirs, and a
//!   sum of different units, or a term that is not in the unit of the operation's quantity, is refused;
//! - citations behind numbers, with the factor of uncertainty and the source: `1500 cycles (×2: block, choose)`;
//! - numbers computed from the point's parameters: `{bytes / 4096}`; `[memory.latency bytes={bytes}]`;
//! - instructions counted in an emulator, of the point itself or of another: `{counted - counted[syscall.floor]}`;
//! - named definitions, with arguments: `cycle_ns`, `path(345, 2) (×1.5: descriptor, lock)`.
//!
//! Every line may begin with guards, which say for which points it holds: `cpu=other:`, `bytes=1..64KiB:` or on which
//! processors: `architecture=x86_64:`.
//!
//! **Invariant:** it knows no operation; which points exist, and their quantities, is asked of the caller.
//! **Invariant:** a line that is wrong is a [`Mistake`] that shows the place; nothing is guessed.
#![forbid(unsafe_code)]

mod bound;
mod build;
mod counts;
mod cursor;
pub mod definitions;
mod evidence;
mod formula;
mod group;
mod guard;
mod number;
mod prediction;
mod scope;
mod typed;
mod unit;

pub use bound::bounds;
pub use counts::{counted, rows as counted_rows};
pub use cursor::Mistake;
pub use evidence::witnesses;
pub use formula::parse;
pub use prediction::prediction;
pub use scope::Parts;
