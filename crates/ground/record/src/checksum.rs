//! The checksum that ends a line of a record: CRC-32 of all that stands before it, as the last member of the object.

/// What stands before the digits.
const BEGIN: &[u8] = b",\"crc32\":\"";
/// What stands behind them.
const END: &[u8] = b"\"}";
/// Hexadecimal digits of the sum.
const DIGITS: usize = 8;

/// What a line says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checksum {
    /// It has no checksum: an older program wrote it.
    Absent,
    /// The line is as it was written.
    Right,
    /// The line was changed.
    Wrong,
}

/// An object of JSON with its checksum.
pub(crate) fn with_checksum(mut object: Vec<u8>) -> Vec<u8> {
    if object.pop_if(|last| *last == b'}').is_none() {
        return object;
    }
    let digits = digits(&object);
    [BEGIN, digits.as_bytes(), END].into_iter().for_each(|part| object.extend_from_slice(part));
    object
}

/// Compares a line with its checksum.
pub(crate) fn check(line: &[u8]) -> Checksum {
    let parts = || {
        let line = line.trim_ascii_end().strip_suffix(END)?;
        let (rest, digits) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
        Some((rest.strip_suffix(BEGIN)?, digits))
    };
    match parts() {
        None => Checksum::Absent,
        Some((object, written)) if written == digits(object).as_bytes() => Checksum::Right,
        Some(_) => Checksum::Wrong,
    }
}

/// The checksum as it is written.
fn digits(object: &[u8]) -> String {
    format!("{:0DIGITS$x}", crc32fast::hash(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_bit_is_noticed() {
        let line = with_checksum(br#"{"line":"round","round":1,"at_ns":5}"#.to_vec());
        assert_eq!(line, br#"{"line":"round","round":1,"at_ns":5,"crc32":"69e07c75"}"#);
        assert_eq!(check(&line), Checksum::Right);
        assert_eq!(check(&[&line[..], b"\r\n"].concat()), Checksum::Right);
        for bit in 0..8 * line.len() {
            let mut changed = line.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            // A letter of the member's own name leaves a line without a checksum.
            assert_ne!(check(&changed), Checksum::Right, "bit {bit}");
        }
    }

    #[test]
    fn a_line_of_an_older_program_has_none() {
        for line in ["{}", "", "\"}", r#"{"line":"end"}"#, r#"{"sum":"00000000"}"#, "text"] {
            assert_eq!(check(line.as_bytes()), Checksum::Absent, "{line}");
        }
    }
}
