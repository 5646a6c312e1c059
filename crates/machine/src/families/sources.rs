//! Published constants and their sources.

/// A published number with its source, or the reason why there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// A number.
    Published {
        /// In the unit of its place.
        value: f64,
        /// The publication.
        source: &'static str,
        /// Whether the publication was not looked up again.
        from_memory: bool,
    },
    /// The family has no such thing.
    None { reason: &'static str },
}

/// A number from the named publication.
pub(crate) const fn cited(value: f64, source: &'static str) -> Constant {
    Constant::Published { value, source, from_memory: false }
}

/// Throughput of one instruction, from the measurements at <https://github.com/InstLatx64/InstLatx64>, the
/// `*_InstLatX64.txt` file of the family.
pub(crate) const fn instruction(value: f64) -> Constant {
    cited(value, "InstLatx64, instruction tables")
}

/// Latency of a level of memory from the same collection, the `*_NewMemLat.txt` file of the family: test
/// Page_Random, stride 128 bytes, without hardware prefetch's help.
pub(crate) const fn latency(value: f64) -> Constant {
    cited(value, "InstLatx64, memory latency, random within pages, stride 128")
}

/// The same in nanoseconds, from cycles at the clock of the measured machine in gigahertz; rounded to tenths.
pub(crate) const fn memory(cycles: f64, gigahertz: f64) -> Constant {
    let tenths = (cycles / gigahertz * 10.0 + 0.5) as u32;
    latency(tenths as f64 / 10.0)
}

/// Store, then load of the same bytes: Travis Downs, <https://gist.github.com/travisdowns/bc9af3a0aaca5399824cf182f85b9e9c>.
pub(crate) const fn forwarded(value: f64) -> Constant {
    cited(value, "Travis Downs, uarch-bench, fw_write_read")
}

/// A number for which no publication was found again.
pub(crate) const fn unconfirmed(value: f64) -> Constant {
    cited(value, "from memory of Agner Fog's tables and published reviews, unconfirmed")
}

/// A number carried over from the nearest relative that was measured.
pub(crate) const fn relative(value: f64) -> Constant {
    cited(value, "taken from the nearest measured relative, unconfirmed")
}

/// What the definition of the operation gives: one taken branch, one addition a cycle.
pub(crate) const fn one() -> Constant {
    cited(1.0, "Agner Fog, instruction tables: one a cycle on every family listed")
}

/// A number from the named publication, which was not looked up again.
pub(crate) const fn recalled(value: f64, source: &'static str) -> Constant {
    Constant::Published { value, source, from_memory: true }
}

/// Turbo clock of a server that runs other guests: the geometric mean of the all-core and the maximum turbo, in tenths of
/// gigahertz, of the model with the most cores.
pub(crate) const fn turbo(gigahertz: f64, source: &'static str) -> Constant {
    recalled(gigahertz * 1e9, source)
}

/// Clients report their highest clock, and their models differ too much.
pub(crate) const TURBO_BY_MODEL: Constant = none("differs by model; clients report it");

/// Share of the last-level cache for each core of a server, in KiB.
pub(crate) const fn slice(kibibytes: f64, source: &'static str) -> Constant {
    cited(kibibytes * 1024.0, source)
}

/// A number of LLVM's scheduling model of the family, which Arm's software optimization guide is the source of.
pub(crate) const fn scheduled(value: f64) -> Constant {
    cited(value, "LLVM, scheduling model of the family, from Arm's optimization guide")
}

/// Instructions renamed in a cycle, by the vendor's optimization manual.
pub(crate) const fn wide(instructions: f64) -> Constant {
    recalled(instructions, "the vendor's optimization manual")
}

/// A client is seldom shared by guests.
pub(crate) const NO_SLICE: Constant = none("clients are not shared");

/// There is no such instruction or level.
pub(crate) const fn none(reason: &'static str) -> Constant {
    Constant::None { reason }
}
