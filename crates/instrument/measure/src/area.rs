//! The areas of operations.

/// The parts into which operations are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// The processor: clocks, loops, calls, arithmetic.
    Cpu,
    /// Services of the kernel and scheduling.
    Os,
    /// Caches, memory, page faults.
    Memory,
    /// Round trip, bandwidth, connections.
    Network,
    /// File cache and file reads.
    File,
}

impl Area {
    /// All areas, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Cpu, Self::Os, Self::Memory, Self::Network, Self::File];

    /// Its name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Os => "os",
            Self::Memory => "memory",
            Self::Network => "network",
            Self::File => "file",
        }
    }
}
