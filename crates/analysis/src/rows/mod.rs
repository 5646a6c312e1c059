//! What an analysis says of each point, and the words for it: shapes that everything else fills.

pub(crate) mod core_use;
pub(crate) mod distribution;
pub(crate) mod levels;
pub(crate) mod row;
pub(crate) mod wording;
