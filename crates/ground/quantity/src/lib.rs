//! Kinds of values, and the only place where numbers become text and text becomes numbers.
//!
//! **Invariant:** nothing above this crate formats a measured number or parses one by itself.
#![forbid(unsafe_code)]

mod digits;
mod figure;
mod kind;
mod parse;
mod published;
mod text;
mod typed;
mod units;

pub use figure::{FigureCell, is_decimal_comma, parse_figure};
pub use kind::Quantity;
pub use parse::{ParseError, parse_bytes, parse_duration, parse_percent};
pub use published::{Printed, PublishedUnit, Scale, parse_printed, parse_unit};
pub use text::{
    duration_words, exact_size, show, show_bytes, show_change, show_cycles, show_half_width, show_interval,
    show_percent, show_ratio,
};
pub use typed::{example, parse_value};
pub use units::Bytes;
