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
    /// Its numbers times a constant go to another place.
    Scale,
    /// Its numbers plus those of a second source go to another place.
    Add,
    /// Its numbers plus those of a second source times a constant go to another place.
    Triad,
    /// Every word of it is increased by the same word, in place.
    Update,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Write, Self::Copy, Self::Fill, Self::Scale, Self::Add, Self::Triad, Self::Update];

    /// Parts of the memory that it uses: its sources and its target.
    pub fn parts(self) -> usize {
        match self {
            Self::Read | Self::Write | Self::Fill | Self::Update => 1,
            Self::Copy | Self::Scale => 2,
            Self::Add | Self::Triad => 3,
        }
    }

    /// Whether its words are numbers in double precision.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Scale | Self::Add | Self::Triad)
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
