//! What a document is made of, and how it is written.

use serde::Serialize;
use std::io::{self, Write};

/// A part of a document: it can be written, and the published schema says what it looks like.
#[cfg(not(feature = "schema"))]
pub(crate) trait Part: Serialize {}
#[cfg(not(feature = "schema"))]
impl<T: Serialize> Part for T {}

/// A part of a document: it can be written, and the published schema says what it looks like.
#[cfg(feature = "schema")]
pub(crate) trait Part: Serialize + schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: Serialize + schemars::JsonSchema> Part for T {}

/// The schema of a document.
#[cfg(feature = "schema")]
pub(crate) fn schema_of<T: Part>(_: &T) -> schemars::Schema {
    schemars::schema_for!(T)
}

/// An object of JSON: its fields in their order, each beside its value.
macro_rules! object {
    ($($(#[$attribute:meta])* $field:ident: $value:expr),+ $(,)?) => {{
        // A type for each field, called as the field is.
        #[allow(non_camel_case_types, clippy::too_many_arguments)]
        fn object<$($field: $crate::json::part::Part),+>($($field: $field),+) -> impl $crate::json::part::Part {
            #[derive(serde::Serialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
            struct Object<$($field),+> {
                $($(#[$attribute])* $field: $field),+
            }
            Object { $($field),+ }
        }
        object($($value),+)
    }};
}
pub(crate) use object;

/// Writes an indented document and ends its last line.
pub(crate) fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
    writeln!(out)
}

/// The value of each of these.
pub(crate) fn all<'a, T, V>(items: &'a [T], value: impl Fn(&'a T) -> V) -> Vec<V> {
    items.iter().map(value).collect()
}
