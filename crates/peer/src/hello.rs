//! The only words in clear text: what each side is and which versions of the protocol it speaks.

use crate::Malformed;
use std::fmt;

/// Bytes of a hello, in every version for ever.
pub const HELLO_BYTES: usize = 12;

/// How every hello begins.
const MAGIC: [u8; 8] = *b"oscope\r\n";

/// The versions that this program speaks.
pub const VERSIONS: Hello = Hello {
    lowest: 1,
    highest: 1,
};

/// The versions that one side speaks: all from the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hello {
    /// The oldest.
    pub lowest: u16,
    /// The newest.
    pub highest: u16,
}

impl fmt::Display for Hello {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lowest == self.highest {
            write!(out, "{}", self.lowest)
        } else {
            write!(out, "{}..{}", self.lowest, self.highest)
        }
    }
}

impl Hello {
    /// Its bytes: the magic word, the lowest version, the highest, most significant byte first.
    pub fn bytes(self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        let versions = [self.lowest.to_be_bytes(), self.highest.to_be_bytes()].concat();
        for (to, from) in bytes.iter_mut().zip(MAGIC.iter().chain(&versions)) {
            *to = *from;
        }
        bytes
    }

    /// Reads a hello.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(bytes: &[u8; HELLO_BYTES]) -> Result<Self, Malformed> {
        let (magic, versions) = bytes.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(Malformed("it does not begin as oscope does"));
        }
        let [a, b, c, d] = versions else {
            return Err(Malformed("it does not begin as oscope does"));
        };
        let hello = Self {
            lowest: u16::from_be_bytes([*a, *b]),
            highest: u16::from_be_bytes([*c, *d]),
        };
        if hello.lowest > hello.highest {
            return Err(Malformed("its range of versions is empty"));
        }
        Ok(hello)
    }

    /// The newest version that both speak.
    pub fn common(self, other: Self) -> Option<u16> {
        let newest = self.highest.min(other.highest);
        (newest >= self.lowest.max(other.lowest)).then_some(newest)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hello(lowest: u16, highest: u16) -> Hello {
        Hello { lowest, highest }
    }

    #[test]
    fn a_hello_is_read_back() {
        for hello in [hello(1, 1), hello(2, 700), hello(0, u16::MAX)] {
            assert_eq!(Hello::parse(&hello.bytes()), Ok(hello));
        }
        assert!(Hello::parse(&hello(3, 2).bytes()).is_err());
        assert!(Hello::parse(b"GET / HTTP/1").is_err());
    }

    #[test]
    fn the_newest_common_version_is_spoken() {
        assert_eq!(hello(1, 3).common(hello(2, 9)), Some(3));
        assert_eq!(hello(1, 1).common(hello(1, 1)), Some(1));
        assert_eq!(hello(1, 2).common(hello(3, 4)), None);
        assert_eq!(hello(3, 4).common(hello(1, 2)), None);
    }

    #[test]
    fn ranges_are_shown_as_ranges() {
        assert_eq!(
            (hello(2, 3).to_string(), hello(1, 1).to_string()),
            ("2..3".into(), "1".into())
        );
    }
}
