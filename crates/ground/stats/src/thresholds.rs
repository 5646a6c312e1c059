//! Thresholds that decide what a user reads, each with its value, its meaning and its reason in one place.

/// What one threshold is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The constant.
    pub name: &'static str,
    /// Its value as it stands in the source.
    pub value: &'static str,
    /// What it decides.
    pub meaning: &'static str,
    /// Why it has this value; `Choice: …` where nothing was measured.
    pub reason: &'static str,
}

/// The thresholds of one decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// What is decided.
    pub title: &'static str,
    /// Its thresholds.
    pub thresholds: &'static [Threshold],
}

/// Declares the thresholds of a crate as constants, and lists them as `GROUPS` for the documents.
///
/// ```
/// mod thresholds {
///     stats::thresholds! {
///         "Noisy" {
///             /// Share of the batches that may be excluded.
///             EXCLUDED_SHARE: f64 = 0.75, "Choice: the rest is still a sample.";
///         }
///     }
/// }
/// assert_eq!(thresholds::EXCLUDED_SHARE, 0.75);
/// assert_eq!(thresholds::GROUPS[0].thresholds[0].value, "0.75");
/// ```
#[macro_export]
macro_rules! thresholds {
    ($($title:literal {
        $(#[doc = $meaning:literal] $name:ident: $kind:ty = $value:expr, $reason:literal;)+
    })+) => {
        $($(
            #[doc = $meaning]
            #[doc = ""]
            #[doc = $reason]
            pub(crate) const $name: $kind = $value;
        )+)+

        /// All of them, by what they decide.
        pub const GROUPS: &[$crate::thresholds::Group] = &[$($crate::thresholds::Group {
            title: $title,
            thresholds: &[$($crate::thresholds::Threshold {
                name: stringify!($name),
                value: stringify!($value),
                meaning: $meaning,
                reason: $reason,
            }),+],
        }),+];
    };
}
