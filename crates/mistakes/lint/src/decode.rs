//! The bytes of a file as text: UTF-8, UTF-16 with a mark, or Windows-1252.

/// Letters of Windows-1252 at 0x80 to 0x9f; where it has none, the place is empty.
const UPPER: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/// The text of a file, and the encoding where it is not UTF-8.
pub fn decoded(bytes: &[u8]) -> (String, Option<&'static str>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), None);
    }
    if let [a, b, rest @ ..] = bytes {
        let unit: Option<fn([u8; 2]) -> u16> = match (a, b) {
            (0xff, 0xfe) => Some(u16::from_le_bytes),
            (0xfe, 0xff) => Some(u16::from_be_bytes),
            _ => None,
        };
        if let Some(unit) = unit {
            let pairs = rest.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
            let units: Vec<u16> = pairs.map(unit).collect();
            return (String::from_utf16_lossy(&units), Some("UTF-16"));
        }
    }
    let lossy = String::from_utf8_lossy(bytes);
    // UTF-8 with a broken byte: the rest can be checked.
    if lossy.chars().any(|letter| !letter.is_ascii() && letter != char::REPLACEMENT_CHARACTER) {
        return (lossy.into_owned(), Some("UTF-8 with broken bytes"));
    }
    let letters = bytes.iter().map(|byte| match byte {
        0x80..=0x9f => UPPER.chars().nth(usize::from(byte - 0x80)).unwrap_or(' '),
        byte => char::from(*byte),
    });
    (letters.collect(), Some("Windows-1252"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognised_by_their_bytes() {
        for (bytes, text, encoding) in [
            ("µs".as_bytes(), "µs", None),
            (b"mean (\xb5s) \xb1 1 \x96 2", "mean (µs) ± 1 – 2", Some("Windows-1252")),
            (b"\xff\xfea\0\xb5\0", "aµ", Some("UTF-16")),
            (b"\xfe\xff\0a\0\xb5", "aµ", Some("UTF-16")),
            (b"\xc2\xb5s \xff", "µs \u{fffd}", Some("UTF-8 with broken bytes")),
        ] {
            assert_eq!(decoded(bytes), (text.to_owned(), encoding));
        }
        assert_eq!(UPPER.chars().count(), 32);
    }
}
