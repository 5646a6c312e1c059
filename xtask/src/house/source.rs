//! A Rust file as the rules see it: code without comments and literals, tests separated.

use super::mask::{blank, is_word, mask};
use std::fmt;

/// Something against a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, below the root of the workspace.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub text: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// One file.
pub struct Source {
    /// Its path below the root.
    pub path: String,
    /// Its first line as it stands.
    pub first_line: String,
    /// All code, comments and literals blanked.
    pub code: String,
    /// All comments and literals, code blanked, and the names in a file that `serde` attributes give.
    pub prose: String,
    /// The code without tests; empty lines where they were.
    pub shipped: String,
    /// Lines of the file that are no test.
    pub shipped_lines: usize,
}

/// Where test code begins.
const TEST_MARKS: [&str; 3] = ["#[cfg(test)]", "#[cfg(all(test", "#[test]"];

impl Source {
    /// Takes a file apart.
    pub fn new(path: &str, text: &str) -> Self {
        let code = mask(text);
        let lines = text.lines().count();
        let (shipped, tests) = if is_test_file(path) { (String::new(), lines) } else { without_tests(&code) };
        Self {
            path: path.to_owned(),
            first_line: text.lines().next().unwrap_or_default().to_owned(),
            prose: prose(text, &code),
            code,
            shipped,
            shipped_lines: lines - tests.min(lines),
        }
    }
}

/// What is blanked in the code, and the code blanked: only comments and the inside of literals are left. Letters of an
/// escape are none of a word.
fn prose(text: &str, code: &str) -> String {
    let lines = text.lines().zip(code.lines()).map(|(text, code)| {
        let mut bytes = text.as_bytes().to_vec();
        let is_name = code.trim_start().starts_with("#[serde(");
        let is_escape =
            |index: usize| index.checked_sub(1).and_then(|index| text.as_bytes().get(index)) == Some(&b'\\');
        for index in 0..bytes.len() {
            if is_name || (text.as_bytes().get(index) == code.as_bytes().get(index)) || is_escape(index) {
                blank(&mut bytes, index, index + 1);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned() + "\n"
    });
    lines.collect()
}

fn is_test_file(path: &str) -> bool {
    let mut folders = path.split('/');
    path.ends_with("/tests.rs") || folders.any(|folder| folder == "tests" || folder == "benches")
}

/// The code with test items blanked, and how many lines they took.
fn without_tests(code: &str) -> (String, usize) {
    let mut bytes = code.as_bytes().to_vec();
    let (mut from, mut lines) = (0, 0);
    while let Some(start) = TEST_MARKS.iter().filter_map(|mark| find(code, mark, from)).min() {
        let end = end_of_item(code.as_bytes(), start).unwrap_or(code.len());
        blank(&mut bytes, start, end);
        lines += line_of(code, end) - line_of(code, start) + 1;
        from = end;
    }
    (String::from_utf8_lossy(&bytes).into_owned(), lines)
}

fn find(code: &str, what: &str, from: usize) -> Option<usize> {
    Some(from + code.get(from..)?.find(what)?)
}

/// The end of the item that begins here: its closing brace, or its semicolon.
pub fn end_of_item(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b';' if depth == 0 => return Some(at + 1),
            b'{' if depth == 0 => return closing(bytes, at).map(|end| end + 1),
            _ => {}
        }
    }
    None
}

/// The bracket that closes the one at this place.
pub fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The line of a place, from 1.
pub fn line_of(code: &str, at: usize) -> usize {
    let before = code.as_bytes().iter().take(at);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

/// Every place where a word stands by itself.
pub fn places_of_word<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = at.checked_sub(1).and_then(|index| bytes.get(index));
        let after = bytes.get(at + word.len());
        [before, after].iter().flatten().all(|byte| !is_word(**byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! A file.\nfn shipped() {}\n\n#[cfg(test)]\nmod tests {\n    fn hidden() { \"}\" }\n}\n\
                        #[cfg(test)]\nuse x::y;\nfn last() {}\n";

    #[test]
    fn tests_are_separated() {
        let source = Source::new("crates/a/src/lib.rs", TEXT);
        assert!(source.shipped.contains("shipped") && source.shipped.contains("last"));
        assert!(!source.shipped.contains("hidden") && !source.shipped.contains("x::y"));
        assert!(source.code.contains("hidden"));
        assert_eq!(source.shipped_lines, 4);
        assert_eq!(source.first_line, "//! A file.");
    }

    #[test]
    fn prose_is_what_is_no_code() {
        let text = "let a = \"x\\ny\"; // b é\n#[serde(rename = \"c\")]\nfn d() {}\n";
        let source = Source::new("crates/a/src/lib.rs", text);
        let words: Vec<&str> = source.prose.split_whitespace().collect();
        assert_eq!(words, ["\"x\\", "y\"", "//", "b", "é"]);
        assert_eq!(source.prose.lines().count(), 3);
    }

    #[test]
    fn files_of_tests_ship_nothing() {
        for path in ["crates/a/tests/run.rs", "crates/a/src/b/tests.rs", "crates/a/tests/common/mod.rs"] {
            let source = Source::new(path, TEXT);
            assert_eq!((source.shipped.as_str(), source.shipped_lines), ("", 0), "{path}");
        }
        assert_ne!(Source::new("crates/a/src/attests.rs", TEXT).shipped_lines, 0);
    }

    #[test]
    fn items_end_where_they_end() {
        let code = b"#[a(b)] fn f(x: [u8; 3]) { { } } rest";
        assert_eq!(end_of_item(code, 0), Some(32));
        assert_eq!(end_of_item(b"use x; rest", 0), Some(6));
        assert_eq!(end_of_item(b"fn f() { never closed", 0), None);
    }

    #[test]
    fn words_stand_by_themselves() {
        let places: Vec<usize> = places_of_word("unsafe unsafe_code not_unsafe (unsafe)", "unsafe").collect();
        assert_eq!(places, [0, 31]);
    }
}
