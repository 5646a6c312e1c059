//! Answers to the questions that reports on operating systems ask, from the rows of one record.

pub(crate) mod answer;
pub(crate) mod cache_capacity;
pub(crate) mod cache_points;
pub(crate) mod contrast;
pub(crate) mod cost_split;
pub(crate) mod finding;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod huge_page_backing;
pub(crate) mod questions;
pub(crate) mod ranking;
pub(crate) mod reported_size;
