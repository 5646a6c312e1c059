//! The legend of the codes of mistakes that a paper names.

use super::text::plain;
use crate::wording::sentence;
use reference::mistake_name;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Writes what the codes mean that occur in this text; nothing where none does.
pub(super) fn write(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let codes: BTreeSet<&str> = words.filter(|word| is_code(word)).collect();
    let named: Vec<(&str, &str)> =
        codes.into_iter().filter_map(|code| Some((code, mistake_name(code)?))).collect();
    if named.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{Mistakes of measuring, by their codes}}\n\\begin{{description}}")?;
    for (code, name) in named {
        writeln!(out, "\\item[{code}] {}", plain(&sentence(name)))?;
    }
    writeln!(out, "\\end{{description}}")
}

/// Whether a word has the form of a code, such as `E05`.
fn is_code(word: &str) -> bool {
    word.strip_prefix('E')
        .is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|one| one.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_text_have_a_line_each_and_no_others() {
        let mut out = Vec::new();
        write("a switch (E38), twice (E38); E5000 and E99 are none", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("item[").count(), 1, "{text}");
        assert!(text.contains("item[E38]"), "{text}");
        let mut none = Vec::new();
        write("no code", &mut none).unwrap();
        assert!(none.is_empty());
    }
}
