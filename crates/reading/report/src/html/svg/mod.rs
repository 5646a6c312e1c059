//! Drawings of the page: SVG written by shapes, each value on hover, distinguishable without colour.

mod costs;
mod frame;
mod heat;
mod matrix;
mod scene;
mod sign;
mod small;

pub(crate) use costs::{change, costs, decades};
pub(crate) use heat::heat;
pub(crate) use matrix::matrix;
pub(crate) use scene::{legend, scene};
pub(crate) use small::{distribution, trials};
