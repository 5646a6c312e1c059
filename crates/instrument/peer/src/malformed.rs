//! Input that breaks the protocol.

/// Input that no honest peer sends; a sentence without its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);
