//! An amount that carries its unit.

/// An amount of memory or storage.
///
/// A newtype: a byte count cannot be passed where another integer is meant.
///
/// ```
/// assert_eq!(quantity::show_bytes(quantity::Bytes::from_bytes(4096)), "4 KiB");
/// ```
/// ```compile_fail,E0308
/// quantity::show_bytes(4096);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(u64);

impl Bytes {
    /// This number of bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}
