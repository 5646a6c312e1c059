//! The parameters of a point, and the sizes that they may have.

use measure::{Failure, Point, Result};
use sys::bandwidth::{Action, Blocks, Content, Method};

/// Bytes of a block at most: its ends cost nothing measurable, and a batch holds many.
pub const BLOCK: usize = 256 << 10;

/// The largest working set, in bytes: four times the last-level cache of most machines.
pub const MEMORY: u64 = 128 << 20;

/// Bytes of a block in a rehearsal, which single-steps.
pub const REHEARSED: usize = 1 << 10;

/// Bytes of all CPUs' working sets together at most.
pub const ALL_TOGETHER: usize = 512 << 20;

/// The parameters of a point.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The loop.
    pub method: Option<Method>,
    /// Bytes of the working set of one CPU.
    pub size: usize,
    /// Bytes of a block; of its source, for a copy.
    pub block: usize,
    /// What the memory holds.
    pub content: Content,
}

impl Spec {
    /// Those of a point.
    pub fn of(point: &Point, action: Action) -> Self {
        let size = usize::try_from(point.size("bytes").unwrap_or(0)).unwrap_or(0);
        Self {
            method: point.get("method").and_then(Method::named),
            size,
            block: (size / action.parts()).min(BLOCK),
            content: if point.get("data") == Some("zeros") { Content::Zeros } else { Content::Random },
        }
    }

    /// The same for a rehearsal.
    pub fn rehearsed(self, action: Action) -> Self {
        Self { size: REHEARSED * action.parts(), block: REHEARSED, ..self }
    }

    /// The same for one of several CPUs.
    pub fn among(self, cpus: usize) -> Self {
        let share = ALL_TOGETHER / cpus.max(1) / (2 * self.block).max(1) * (2 * self.block);
        Self { size: self.size.min(share.max(2 * self.block)), ..self }
    }

    /// The memory, divided into blocks.
    pub fn blocks(self, action: Action, seed: u64) -> Result<Blocks> {
        let method = self.method.ok_or_else(|| Failure::failed("the point has no method"))?;
        let made = Blocks::new(action, method, (self.size, self.block), self.content, seed)?;
        made.ok_or_else(|| {
            Failure::skipped(
                "the processor lacks the instructions of this method",
                "expected; no action needed; method=widest uses the widest vectors available",
            )
        })
    }
}
