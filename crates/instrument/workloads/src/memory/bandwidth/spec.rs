//! The parameters of a point, and the sizes that they may have.

use measure::{Failure, Parameters, Point, Result, Value, choice, parameters};
use quantity::Bytes;
use sys::bandwidth::{Action, Blocks, Content, Method};

/// Bytes of a block at most: its ends cost nothing measurable, and a batch holds many.
pub const BLOCK: usize = 256 << 10;

/// The largest working set of one or two arrays, in bytes: four times the last-level cache of most machines.
pub const MEMORY: u64 = 128 << 20;

/// Bytes of a block in a rehearsal, which single-steps.
pub const REHEARSED: usize = 1 << 10;

/// Bytes of all CPUs' working sets together at most.
pub const ALL_TOGETHER: usize = 512 << 20;

/// The method of a loop, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodName(Method);

impl Value for MethodName {
    fn parse(text: &str) -> Option<Self> {
        Method::named(text).map(Self)
    }

    fn expected() -> String {
        Method::ALL.map(|(_, name)| name).join("|")
    }
}

choice! {
    /// What memory holds, if not random data.
    pub enum Data {
        /// Zeros.
        Zeros = "zeros",
    }
}

parameters! {
    /// Blocks of memory.
    pub struct MemoryBlocks {
        /// The loop.
        method: MethodName,
        /// Of the working set of one CPU.
        bytes: Bytes,
        /// What it holds; random data without.
        data: Option<Data> = None,
    }
}

/// What a point demands of memory.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The loop.
    pub method: Method,
    /// Bytes of the working set of one CPU.
    pub size: usize,
    /// Bytes of a block; of its source, for a copy.
    pub block: usize,
    /// What the memory holds.
    pub content: Content,
}

impl Spec {
    /// What a point demands.
    ///
    /// # Errors
    /// When a parameter is missing, or has a value that it cannot have.
    pub fn read(point: &Point, action: Action) -> Result<Self> {
        let MemoryBlocks { method: MethodName(method), bytes, data } = MemoryBlocks::read(point)?;
        let size = bytes.bytes() as usize;
        let content = match data {
            Some(Data::Zeros) => Content::Zeros,
            None => Content::Random,
        };
        Ok(Self { method, size, block: (size / action.parts()).min(BLOCK), content })
    }

    /// The same for a rehearsal.
    pub fn rehearsed(self, action: Action) -> Self {
        Self { size: REHEARSED * action.parts(), block: REHEARSED, ..self }
    }

    /// The same for one of several CPUs.
    pub fn among(self, cpus: usize, action: Action) -> Self {
        let least = action.parts().max(2) * self.block;
        let share = ALL_TOGETHER / cpus.max(1) / least.max(1) * least;
        Self { size: self.size.min(share.max(least)), ..self }
    }

    /// The memory, divided into blocks.
    pub fn blocks(self, action: Action, seed: u64) -> Result<Blocks> {
        let made = Blocks::new(action, self.method, (self.size, self.block), self.content, seed)?;
        made.ok_or_else(|| {
            Failure::skipped(
                "the processor lacks the instructions of this method",
                "expected; no action needed; method=widest uses the widest vectors available",
            )
        })
    }
}
