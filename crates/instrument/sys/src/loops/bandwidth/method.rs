//! What is done with a block of memory, and by which instructions.

/// What is done with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Every word of it is added up.
    Read,
    /// Every word of it becomes the same word.
    Write,
    /// It goes to another place.
    Copy,
    /// Every byte of it becomes the same byte.
    Fill,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Copy, Self::Fill];

    /// Parts of the memory that it uses: a copy has a source and a target.
    pub fn parts(self) -> usize {
        if self == Self::Copy { 2 } else { 1 }
    }
}

/// By which instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A word of 8 bytes in a turn of a plain loop.
    Loop,
    /// Words of 8 bytes, 64 in a turn.
    Unrolled,
    /// The C library's procedure.
    Library,
    /// A string instruction for a whole block.
    String,
    /// Vectors of 16 bytes.
    Vector128,
    /// Vectors of 32 bytes.
    Vector256,
    /// Vectors of 64 bytes.
    Vector512,
    /// The widest vectors that the processor has.
    Widest,
    /// Non-temporal stores of the widest vectors, with the fence that waits for them.
    NonTemporal,
    /// The widest vectors, each line prefetched 8 KiB ahead, non-temporal.
    Prefetch,
    /// The widest vectors, alternating between four positions of a block.
    Streams,
    /// Both.
    StreamsPrefetch,
    /// Non-temporal stores, and the source prefetched.
    NonTemporalPrefetch,
    /// An instruction that makes a whole line zero.
    ZeroLine,
}

impl Method {
    /// All, with their names as parameters.
    pub const ALL: [(Self, &'static str); 14] = [
        (Self::Loop, "loop"),
        (Self::Unrolled, "unrolled"),
        (Self::Library, "library"),
        (Self::String, "string"),
        (Self::Vector128, "vector128"),
        (Self::Vector256, "vector256"),
        (Self::Vector512, "vector512"),
        (Self::Widest, "widest"),
        (Self::NonTemporal, "nontemporal"),
        (Self::Prefetch, "prefetch"),
        (Self::Streams, "streams"),
        (Self::StreamsPrefetch, "streams_prefetch"),
        (Self::NonTemporalPrefetch, "nontemporal_prefetch"),
        (Self::ZeroLine, "zero_line"),
    ];

    /// The method of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, of)| *of == name);
        found.map(|(method, _)| *method)
    }
}
