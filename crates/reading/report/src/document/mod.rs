//! What a view says, before any form of output: blocks that a terminal, Markdown, HTML and LaTeX each render.

mod block;
mod form;
pub(crate) mod html;
pub(crate) mod latex;
pub(crate) mod markdown;
pub(crate) mod terminal;

pub(crate) use block::{Block, Heat, HeatRow, Matrix};
pub use form::Form;
pub(crate) use form::write;
