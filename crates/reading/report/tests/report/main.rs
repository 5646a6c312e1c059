//! Every view of a frozen run: as text, as a page, in a browser, as a paper.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod browser;
mod browser_compared;
mod browser_history;
mod comparison;
mod cores;
mod devtools;
mod first_screen;
mod fixture;
mod golden;
mod goldens;
mod html;
mod latex;
mod other_tools;
mod pair;
mod properties;
mod shown;
mod tables;
