//! What a comparison with another tool is made of.

use super::reading::Reads;
use programs::Package;

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

/// Another tool, as it is called for some comparisons.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name in the table.
    pub name: &'static str,
    /// The Debian package that holds it.
    pub package: Option<Package>,
    /// The words with which its commands begin.
    pub command: &'static str,
    /// Where its figure stands, and its unit.
    pub reads: Reads,
    /// How many of oscope's iterations its figure holds.
    pub holds: f64,
    /// Whether it measures the same thing, unless a comparison says otherwise.
    pub same: Same,
}

/// The plain C program, `xtask/src/agree/plain.c`.
pub static PLAIN: Tool = Tool {
    name: "plain C",
    package: None,
    command: "{plain}",
    reads: Reads::Before(" ns", 1.0),
    holds: 1.0,
    same: Same::Yes,
};

/// Why a tool that calls the C library takes longer than a loop with the system call's instruction (docs/experiments/SAFE_RET.md).
pub const LIBRARY: &str = "calls of the C library, which return behind the system call";

/// One comparison.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The tool.
    pub tool: &'static Tool,
    /// What is compared.
    pub what: &'static str,
    /// The point of oscope.
    pub ours: &'static str,
    /// The words of its command behind those of the tool. In them, `{own}`, `{peer}`, `{both}` are CPUs, `{plain}` is the C
    /// program, `{port}` a free port and `{file}` a file.
    pub command: &'static str,
    /// Its server, which runs meanwhile; empty where it needs none.
    pub server: &'static str,
    /// Whether it is the same thing.
    pub same: Same,
}

/// A comparison of what a tool says is the same thing.
pub const fn compare(
    tool: &'static Tool,
    what: &'static str,
    ours: &'static str,
    command: &'static str,
) -> Comparison {
    Comparison { tool, what, ours, command, server: "", same: tool.same }
}

impl Comparison {
    /// With a thing that is another one, for a reason.
    pub const fn differs(self, reason: &'static str) -> Self {
        Self { same: Same::No(reason), ..self }
    }

    /// With a server.
    pub const fn served_by(self, server: &'static str) -> Self {
        Self { server, ..self }
    }
}
