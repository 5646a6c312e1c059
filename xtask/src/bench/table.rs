//! The table that is printed.

use crate::markdown;

/// Rows of what, what it must reach, and what it was.
#[derive(Debug, Default)]
pub struct Table(Vec<Vec<String>>);

impl Table {
    pub fn add(&mut self, what: &str, must: &str, was: String) {
        eprintln!("{what}: {was}");
        self.0.push(vec![what.to_owned(), must.to_owned(), was]);
    }

    pub fn print(self) {
        print!("{}", markdown::table(&["what", "must be", "was"], self.0));
    }
}
