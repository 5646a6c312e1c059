//! Points of operations with two actors.

/// Where two actors are, and what the CPUs of two actors apart do while they are idle.
pub(crate) const PLACEMENTS: &[&str] = &["cpu=same|other|sibling|node; cpu=other idle=busy|polling"];
