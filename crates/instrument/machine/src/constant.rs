//! A number that no file of the machine holds: published, or assumed.

/// A number with its source, an assumption with its reason, or the reason why there is no number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// A number that a publication gives.
    Published {
        /// In the unit of its place.
        value: f64,
        /// The publication, with its table or file.
        source: &'static str,
    },
    /// A number without a publication that was looked up.
    Assumed {
        /// In the unit of its place.
        value: f64,
        /// What it is taken from.
        why: &'static str,
    },
    /// The machine has no such thing.
    None { reason: &'static str },
}

impl Constant {
    /// The number.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Published { value, .. } | Self::Assumed { value, .. } => Some(value),
            Self::None { .. } => None,
        }
    }

    /// Whether no publication gives the number.
    pub fn is_assumed(self) -> bool {
        matches!(self, Self::Assumed { .. })
    }

    /// The source as a fact names it; an assumption is called one.
    pub fn source(self) -> String {
        match self {
            Self::Published { source, .. } => source.to_owned(),
            Self::Assumed { why, .. } => format!("assumed: {why}"),
            Self::None { reason } => reason.to_owned(),
        }
    }
}

/// A number from the named publication.
pub(crate) const fn cited(value: f64, source: &'static str) -> Constant {
    Constant::Published { value, source }
}

/// A number without a publication.
pub(crate) const fn assumed(value: f64, why: &'static str) -> Constant {
    Constant::Assumed { value, why }
}

/// There is no such number.
pub(crate) const fn none(reason: &'static str) -> Constant {
    Constant::None { reason }
}
