//! Which published operation measured the same as which of the program's.

/// A published operation that measured the same as one of the program's, by the same or a similar method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterpart {
    /// The operation as the data names it.
    pub published: &'static str,
    /// Parameters that the row must have, with spaces between; empty for any.
    pub with: &'static str,
    /// The operation of the program.
    pub operation: &'static str,
    /// The only point that compares; empty where the whole operation does.
    pub point: &'static str,
}

pub(super) const fn counterpart(
    published: &'static str,
    with: &'static str,
    operation: &'static str,
) -> Counterpart {
    at(published, with, operation, "")
}

/// One point of an operation. A figure that compares with several has several counterparts.
pub(super) const fn at(
    published: &'static str,
    with: &'static str,
    operation: &'static str,
    point: &'static str,
) -> Counterpart {
    Counterpart { published, with, operation, point }
}
