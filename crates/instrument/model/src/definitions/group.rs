//! A group of lines under one name.

/// A name with its parameters, and the lines that it stands for.
pub type Group = (&'static str, &'static [&'static str]);
