//! The rules judged by published figures, by honest tables and by tables of many makes.
#![allow(clippy::panic, clippy::unwrap_used)]

mod honest;
mod score;
mod strangers;
