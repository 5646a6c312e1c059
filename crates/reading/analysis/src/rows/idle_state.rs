//! How the CPU that is woken had waited.

/// How an idle CPU waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdleState {
    /// It does not go to sleep between two hand-offs.
    Polls,
    /// It sleeps and leaves its tick on.
    Sleeps,
    /// It sleeps with its tick stopped.
    StopsTick,
}

/// A state of the idle CPU in which trials were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleShare {
    /// The state.
    pub state: IdleState,
    /// The median of these trials.
    pub at: f64,
    /// Their share of all.
    pub share: f64,
}
