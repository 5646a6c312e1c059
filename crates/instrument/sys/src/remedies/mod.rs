//! What an error of a system call means, and what the user can do about it: one table for every call and context.
//!
//! The rows are in [`table`], from the most specific to the most general; what distinguishes rows with the same error
//! number (an interface that is down, ports that are used up) is found out by [`conditions`] when the error occurs.

mod conditions;
mod context;
mod row;
mod table;

use crate::Error;
use conditions::Condition;
pub use context::Context;
use row::Row;
use table::rows;

/// An error in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The error, and what it means.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
    /// Whether something went wrong, rather than that the machine or the user lacks something.
    pub is_fault: bool,
}

impl Explanation {
    /// Reason and remedy in one sentence.
    pub fn sentence(&self) -> String {
        format!("{}; {}", self.reason, self.remedy)
    }
}

/// What this error means; `None` where the table has no row for it.
pub fn explain(error: Error, context: Context) -> Option<Explanation> {
    explain_by(error, context, &Condition::found)
}

/// The error and its explanation in one sentence, as far as there is one.
pub fn sentence(error: Error, context: Context) -> String {
    explain(error, context).map_or_else(|| error.to_string(), |known| known.sentence())
}

/// Finds what holds here: the number or path that the texts of a row name, or `None` where the condition does not hold.
type Found<'f> = &'f dyn Fn(Condition) -> Option<String>;

fn explain_by(error: Error, context: Context, found: Found<'_>) -> Option<Explanation> {
    rows().filter(|row| row.is_about(error, context)).find_map(|row| row.explanation(error, found))
}

impl Row {
    fn is_about(&self, error: Error, context: Context) -> bool {
        (self.contexts.is_empty() || self.contexts.contains(&context))
            && (self.calls.is_empty() || self.calls.contains(&error.call))
            && self.errnos.contains(&error.errno)
    }

    /// `None` where its condition does not hold.
    fn explanation(&self, error: Error, found: Found<'_>) -> Option<Explanation> {
        let detail = self.condition.map_or_else(|| Some(String::new()), found)?;
        let [meaning, remedy] = [self.meaning, self.remedy]
            .map(|text| text.replace("{found}", &detail).replace("{call}", error.call));
        Some(Explanation { reason: format!("{error}: {meaning}"), remedy, is_fault: self.is_fault })
    }
}

#[cfg(test)]
mod tests;
