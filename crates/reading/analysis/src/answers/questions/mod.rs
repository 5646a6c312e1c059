//! The questions that reports on operating systems ask, as a table: each names the points that answer it.
//!
//! To add a question, add an entry. Its way is a contrast between numbers of the same run; what that
//! contrast does not separate is said beside the answer, so that no answer claims more than it shows.

mod file;
mod memory;
mod network;
mod processor;
pub(crate) mod question;

use question::Question;

/// All questions, in the order in which they are asked.
pub fn questions() -> impl Iterator<Item = &'static Question> {
    let areas = [processor::ALL, memory::ALL, network::ALL, file::ALL];
    areas.into_iter().flatten()
}
