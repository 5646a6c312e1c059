//! Answers to the questions that reports on operating systems ask, from the rows of one record.

pub(crate) mod answer;
pub(crate) mod backing;
pub(crate) mod contrast;
pub(crate) mod fastest;
pub(crate) mod finding;
pub(crate) mod questions;
pub(crate) mod share;
pub(crate) mod split;
pub(crate) mod told;
