//! Rust text with comments, strings and characters blanked out, so that what is left is code.

/// The text with every comment and the inside of every literal replaced by spaces; lines stay where they are.
pub fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_or_comment(bytes, at).unwrap_or(at);
        blank(&mut out, at, end);
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Replaces all but line ends by spaces.
pub fn blank(bytes: &mut [u8], from: usize, to: usize) {
    let range = bytes.get_mut(from..to).unwrap_or_default();
    range.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// The end of the comment or literal that begins here, if one does.
fn literal_or_comment(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    match rest {
        [b'/', b'/', ..] => Some(at + length_until(rest, |rest| rest.first() == Some(&b'\n'))),
        [b'/', b'*', ..] => Some(at + block_comment(rest)),
        [b'"', ..] => Some(at + quoted(rest, b'"')),
        [b'\'', b'\\', ..] => Some(at + quoted(rest, b'\'')),
        [b'\'', ..] => character(rest).map(|length| at + length),
        [b'r', ..] if begins_word(bytes, at) => raw_string(rest).map(|length| at + length),
        _ => None,
    }
}

fn length_until(rest: &[u8], found: impl Fn(&[u8]) -> bool) -> usize {
    (0..rest.len()).find(|&length| rest.get(length..).is_some_and(&found)).unwrap_or(rest.len())
}

/// Length of a block comment; such comments nest.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match rest.get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of a literal with escapes, both quotes included.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Length of a character literal; `None` for a lifetime or a label.
fn character(rest: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(rest.get(1..rest.len().min(6))?);
    let width = text.chars().next()?.len_utf8();
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

/// Length of a raw string, from its `r`; `None` for a raw identifier or a plain word.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().skip(1).take_while(|&&byte| byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(1 + hashes, b'#');
    let inside = rest.get(2 + hashes..)?;
    let length = length_until(inside, |rest| rest.starts_with(&end));
    Some((2 + hashes + length + end.len()).min(rest.len()))
}

/// Whether the letter here is not in the middle of a word; `b` and `c` may stand before a raw string.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|index| bytes.get(index).copied());
    let in_word = |byte: Option<u8>| byte.is_some_and(is_word);
    match before(1) {
        Some(b'b' | b'c') => !in_word(before(2)),
        other => !in_word(other),
    }
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
            "for r in a {}",
            "var\nunsafe { x }",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn what_never_ends_ends_with_the_file() {
        for text in ["a \"b", "a /* b", "a r#\"b", "a '\\", "'", "r#"] {
            assert_eq!(mask(text).chars().count(), text.chars().count());
        }
    }
}
