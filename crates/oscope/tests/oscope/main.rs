//! The command as a user sees it. Every operation for real is a program of its own, which nothing else may disturb.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod command;
mod judged_again;
mod lint;
mod museum;
mod predictions;
mod questions;
mod screen;
