//! The rules on published figures, on honest tables and on tables of other tools.
#![allow(clippy::panic, clippy::unwrap_used)]

mod honest;
mod own;
mod precision;
mod tables;
