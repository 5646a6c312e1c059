//! What a flawed method is.

use measure::Operation;
use record::PointId;

/// A method with a mistake, in most cases a published one, kept to be compared with the right one.
#[derive(Debug)]
pub struct FlawedMethod {
    /// What is wrong with it, in a sentence; codes are those of the list of mistakes.
    pub wrong: &'static str,
    /// The id of the right operation, and its point if it has several.
    pub right: (&'static str, &'static str),
    /// How it is measured.
    pub card: Operation,
}

impl FlawedMethod {
    /// The point that is right.
    pub fn right_point(&self) -> PointId {
        PointId::new(self.right.0, self.right.1)
    }
}
