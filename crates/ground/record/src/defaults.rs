//! What a record leaves out.

/// Whether a field has its default, which is not written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
