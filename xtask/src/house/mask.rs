//! Rust text with comments, strings and characters blanked out, so that what is left is code.

use proc_macro2::{TokenStream, TokenTree};
use std::ops::Range;

/// The text with every comment and every text in it replaced by spaces; lines stay where they are. Nothing is left of what is
/// no Rust.
pub fn mask(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    blank(&mut out, 0, text.len());
    copy(text.parse().unwrap_or_default(), text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Replaces all but line ends by spaces.
pub fn blank(bytes: &mut [u8], from: usize, to: usize) {
    let range = bytes.get_mut(from..to).unwrap_or_default();
    range.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Puts the code of tokens into its place.
fn copy(tokens: TokenStream, text: &str, out: &mut [u8]) {
    let mut copy_one = |range: Range<usize>| {
        if let (Some(to), Some(from)) = (out.get_mut(range.clone()), text.as_bytes().get(range)) {
            to.copy_from_slice(from);
        }
    };
    let mut groups = Vec::new();
    for token in tokens {
        let range = token.span().byte_range();
        let own = text.get(range.clone()).unwrap_or_default();
        // The tokens of a comment that is documentation have its place.
        if own.starts_with("//") || own.starts_with("/*") {
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                copy_one(group.span_open().byte_range());
                copy_one(group.span_close().byte_range());
                groups.push(group.stream());
            }
            TokenTree::Literal(_) if !own.starts_with(|letter: char| letter.is_ascii_digit()) => {}
            _ => copy_one(range),
        }
    }
    groups.into_iter().for_each(|group| copy(group, text, out));
}

/// Whether a byte may stand in an identifier.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (text, gone) in [
            ("a // unsafe\nb", "unsafe"),
            ("a /* x /* y */ unsafe */ b", "unsafe"),
            ("a /// unsafe\n b {}", "unsafe"),
            ("a { //! unsafe\n b }", "unsafe"),
            (r#"a "un\"safe" b"#, "safe"),
            ("a r##\"un\"# safe\"## b", "safe"),
            ("a br\"unsafe\" b", "unsafe"),
            (r"a '\'' unsafe_not b '{'", "{"),
            ("a 'é' b '}'", "}"),
            ("a '\\u{7d}' b", "7d"),
        ] {
            let masked = mask(text);
            assert!(!masked.contains(gone), "{text} became {masked}");
            assert!(masked.starts_with('a') && masked.contains('b'), "{text} became {masked}");
            assert_eq!(masked.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn code_stays() {
        for text in [
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "let r#type = 'outer: loop {};",
            "for r in a { 0x1f + 1_000u64; }",
            "var\nunsafe { x }",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
