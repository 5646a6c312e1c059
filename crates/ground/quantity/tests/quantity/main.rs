//! Quantities as text, and text as quantities.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod round_trips;
mod text;
