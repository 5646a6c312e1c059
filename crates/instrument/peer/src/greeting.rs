//! The greeting in clear text: the magic bytes and the versions of the protocol that one end speaks.

use crate::Malformed;
use std::fmt;

/// Bytes of a greeting, in every version of the protocol.
pub const GREETING_BYTES: usize = 12;

/// How every greeting begins.
const MAGIC: [u8; 8] = *b"oscope\r\n";

/// The versions that this program speaks.
pub const VERSIONS: Greeting = Greeting { lowest: 1, highest: 1 };

/// The versions that one side speaks: all from the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// The oldest.
    pub lowest: u16,
    /// The newest.
    pub highest: u16,
}

impl fmt::Display for Greeting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lowest == self.highest {
            write!(out, "{}", self.lowest)
        } else {
            write!(out, "{}..{}", self.lowest, self.highest)
        }
    }
}

impl Greeting {
    /// Its bytes: the magic word, the lowest version, the highest, most significant byte first.
    pub fn bytes(self) -> [u8; GREETING_BYTES] {
        let mut bytes = [0; GREETING_BYTES];
        let versions = [self.lowest.to_be_bytes(), self.highest.to_be_bytes()].concat();
        for (to, from) in bytes.iter_mut().zip(MAGIC.iter().chain(&versions)) {
            *to = *from;
        }
        bytes
    }

    /// Reads a greeting.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(bytes: &[u8; GREETING_BYTES]) -> Result<Self, Malformed> {
        let Some([a, b, c, d]) = bytes.strip_prefix(&MAGIC) else {
            return Err(Malformed("no greeting of oscope"));
        };
        let greeting = Self { lowest: u16::from_be_bytes([*a, *b]), highest: u16::from_be_bytes([*c, *d]) };
        if greeting.lowest > greeting.highest {
            return Err(Malformed("an empty range of versions"));
        }
        Ok(greeting)
    }

    /// The newest version that both speak.
    pub fn common(self, other: Self) -> Option<u16> {
        let newest = self.highest.min(other.highest);
        (newest >= self.lowest.max(other.lowest)).then_some(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(lowest: u16, highest: u16) -> Greeting {
        Greeting { lowest, highest }
    }

    #[test]
    fn greeting_bytes_round_trip() {
        for greeting in [greeting(1, 1), greeting(2, 700), greeting(0, u16::MAX)] {
            assert_eq!(Greeting::parse(&greeting.bytes()), Ok(greeting));
        }
        assert!(Greeting::parse(&greeting(3, 2).bytes()).is_err());
        assert!(Greeting::parse(b"GET / HTTP/1").is_err());
    }

    #[test]
    fn the_newest_common_version_is_spoken() {
        assert_eq!(greeting(1, 3).common(greeting(2, 9)), Some(3));
        assert_eq!(greeting(1, 1).common(greeting(1, 1)), Some(1));
        assert_eq!(greeting(1, 2).common(greeting(3, 4)), None);
        assert_eq!(greeting(3, 4).common(greeting(1, 2)), None);
    }

    #[test]
    fn ranges_are_shown_as_ranges() {
        assert_eq!((greeting(2, 3).to_string(), greeting(1, 1).to_string()), ("2..3".into(), "1".into()));
    }
}
