//! A row of the table.

use super::conditions::Condition;
use super::context::Context;
use libc::{EACCES, EPERM};

/// What an error means in a context, and what helps. Empty lists mean any.
pub(super) struct Row {
    pub(super) contexts: &'static [Context],
    pub(super) calls: &'static [&'static str],
    pub(super) errnos: &'static [i32],
    /// What must hold on this machine, besides.
    pub(super) condition: Option<Condition>,
    /// Whether something went wrong, rather than that the machine or the user lacks something.
    pub(super) is_fault: bool,
    /// What it means; `{call}` is the call, `{found}` what the condition found.
    pub(super) meaning: &'static str,
    /// What the user can do.
    pub(super) remedy: &'static str,
}

/// A row about nothing, from which others differ.
pub(super) const ANY: Row =
    Row { contexts: &[], calls: &[], errnos: &[], condition: None, is_fault: false, meaning: "", remedy: "" };

/// The same, of something that went wrong.
pub(super) const FAULT: Row = Row { is_fault: true, ..ANY };

/// The errors of a call that a policy denies.
pub(super) const DENIED: &[i32] = &[EPERM, EACCES];
