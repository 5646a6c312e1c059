//! A drawing before any form of output: two axes and what lies between them. SVG, LaTeX and terminals each render it.

mod axis;
mod course;
mod rows;
mod shapes;
mod sweep;

pub(crate) use axis::{Axis, ends};
pub(crate) use rows::Predictor;
pub(crate) use shapes::{Drawn, Guide, Scene, SceneAxis, ScenePoint, Series};
pub(crate) use sweep::{is_of, is_of_memory, marked, title, value_word};
