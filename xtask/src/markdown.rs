//! Tables in Markdown.

/// Text that can stand in a cell of a table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A link from a page in `docs` to the page of an operation in the handbook.
pub fn operation_link(id: &str) -> String {
    format!("[{id}](handbook/{id}.md)")
}

/// A row of a table.
pub fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The heading of a table; columns whose title ends with a colon are aligned to the right.
pub fn heading(titles: &[&str]) -> String {
    let shown: Vec<String> = titles.iter().map(|title| title.trim_end_matches(':').to_owned()).collect();
    let rules: Vec<String> =
        titles.iter().map(|title| if title.ends_with(':') { "--:" } else { "---" }.to_owned()).collect();
    row(&shown) + &row(&rules)
}

/// A table, or nothing where it would have no rows.
pub fn table(titles: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: String = rows.into_iter().map(|cells| row(&cells)).collect();
    if rows.is_empty() { rows } else { heading(titles) + &rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_heading_and_rows_or_is_nothing() {
        let rows = vec![vec!["1".to_owned(), cell("a|b\nc")]];
        assert_eq!(table(&["x:", "y"], rows), "| x | y |\n| --: | --- |\n| 1 | a\\|b c |\n");
        assert_eq!(table(&["a"], Vec::new()), "");
    }
}
