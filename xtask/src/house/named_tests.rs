//! A document that points to a test points to one that exists.

use super::source::{Finding, Source};

/// Names of functions in a document have this many underscores at least where they are sentences, as those of tests are.
const A_SENTENCE: usize = 4;

/// A document: its path below the root, and its text.
pub type Document = (String, String);

/// Every name of a test in the documents that no source has.
pub fn check(documents: &[Document], sources: &[Source]) -> Vec<Finding> {
    let named = documents.iter().flat_map(|(path, text)| {
        let lines = text.lines().zip(1..);
        lines.flat_map(move |(text, line)| names(text).map(move |name| (path, line, name)))
    });
    let unknown = named.filter(|(_, _, name)| !sources.iter().any(|source| declares(source, name)));
    unknown
        .map(|(path, line, name)| {
            Finding::new(path, line, format!("no test is called {name}: name the one that is meant"))
        })
        .collect()
}

/// What stands between backticks and is a sentence in the spelling of a function.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|text| {
        // Functions of a kernel begin with an underscore.
        !text.starts_with('_')
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && text.matches('_').count() >= A_SENTENCE
    })
}

fn declares(source: &Source, name: &str) -> bool {
    source.code.contains(&format!("fn {name}("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_was_renamed_is_found_in_the_document() {
        let sources = [Source::new("crates/a/tests/a.rs", "fn it_does_what_it_says() {}\n")];
        let right = "By `it_does_what_it_says`, of `switch.process.pipe`, `sched_rt_runtime_us` and `__audit_syscall_entry_of_it`.";
        let wrong = "So says\n`it_does_what_it_said`.\n";
        let [right, wrong] =
            [right, wrong].map(|text| check(&[("LIMITS.md".to_owned(), text.to_owned())], &sources));
        assert!(right.is_empty());
        assert_eq!(
            wrong.iter().map(Finding::to_string).collect::<Vec<_>>(),
            ["LIMITS.md:2: no test is called it_does_what_it_said: name the one that is meant"]
        );
    }
}
