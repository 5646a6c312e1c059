//! The table that is printed.

/// Rows of what, what it must reach, and what it was.
#[derive(Debug, Default)]
pub struct Table(Vec<[String; 3]>);

impl Table {
    /// Adds a row.
    pub fn row(&mut self, what: &str, must: &str, was: String) {
        eprintln!("{what}: {was}");
        self.0.push([what.to_owned(), must.to_owned(), was]);
    }

    /// Prints it as Markdown.
    pub fn print(&self) {
        println!("| what | must be | was |\n| --- | --- | --- |");
        for [what, must, was] in &self.0 {
            println!("| {what} | {must} | {was} |");
        }
    }
}
