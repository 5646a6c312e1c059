//! What a comparison with another tool is made of.

use super::reading::Reads;
use programs::Package;

/// What is compared in one area: a file of its own each.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The area, as it is asked for.
    pub area: &'static str,
    /// The Debian packages of the tools.
    pub packages: &'static [Package],
    /// The comparisons, in the order in which they are printed.
    pub peers: &'static [Peer],
}

/// Whether a tool measures the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// It does: the two must agree within 5 %.
    Yes,
    /// It moves the same bytes, by a way that may be worse: oscope must have at least its rate, less 5 %.
    AtLeast,
    /// It does not, for this reason, which a contrast has shown.
    No(&'static str),
}

/// One comparison.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// What is compared.
    pub what: &'static str,
    /// The point of oscope.
    pub ours: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// Its server, which runs meanwhile; nothing where it needs none.
    pub server: &'static [&'static str],
    /// Its command. In both, `{own}`, `{peer}`, `{both}` are CPUs, `{plain}` is the C program and `{port}` a free port.
    pub command: &'static [&'static str],
    /// Where its figure stands, and its unit.
    pub reads: Reads,
    /// How many of oscope's iterations its figure holds.
    pub holds: f64,
    /// Whether it is the same thing.
    pub same: Same,
}

impl Peer {
    /// What most have in common.
    pub const NEW: Self = Self {
        what: "",
        ours: "",
        tool: "",
        server: &[],
        command: &[],
        reads: Reads::Behind("", 1.0),
        holds: 1.0,
        same: Same::Yes,
    };
}

/// The plain C program, `xtask/src/agree/plain.c`.
pub const fn plain(
    what: &'static str,
    ours: &'static str,
    command: &'static [&'static str],
    same: Same,
) -> Peer {
    Peer { what, ours, tool: "plain C", command, reads: Reads::Before(" ns", 1.0), same, ..Peer::NEW }
}
