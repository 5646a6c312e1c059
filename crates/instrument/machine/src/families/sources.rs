//! The sources of constants.

use crate::constant::{Constant, assumed, cited, none};

/// Agner Fog's tables of instructions, the edition whose spreadsheet was looked up: to Zen 3 and Ice Lake.
pub(crate) const FOG: &str = "Agner Fog, instruction tables (2021-08-17)";
/// LLVM's scheduling models, as `llvm-mca` prints them.
pub(crate) const LLVM: &str = "LLVM 19, scheduling model of the family";
/// Measurements of instructions.
pub(crate) const MEASURED: &str = "InstLatx64, instruction tables";

/// Latency or throughput of one instruction, from the measurements at <https://github.com/InstLatx64/InstLatx64>, the
/// `*_InstLatX64.txt` file of the family.
pub(crate) const fn instruction(value: f64) -> Constant {
    cited(value, MEASURED)
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

/// A number for which no publication was found.
pub(crate) const fn recalled(value: f64) -> Constant {
    assumed(value, "recalled; no publication found")
}

/// A number carried over from the nearest relative that was measured.
pub(crate) const fn relative(value: f64) -> Constant {
    assumed(value, "that of the nearest relative with a published one")
}

/// Reciprocal throughput of an instruction in Agner Fog's tables.
pub(crate) const fn fog(value: f64) -> Constant {
    cited(value, FOG)
}

/// A call and a return, whose reciprocal throughputs are added.
pub(crate) const fn called(value: f64) -> Constant {
    cited(value, "Agner Fog, instruction tables (2021-08-17): near CALL and RET, reciprocals added")
}

/// A loop of one taken branch.
pub(crate) const fn taken(value: f64) -> Constant {
    cited(
        value,
        "Agner Fog, instruction tables (2021-08-17): conditional jump, taken, the least of its range",
    )
}

/// Turbo clock of a server that runs other guests: the geometric mean of the all-core and the maximum turbo, in tenths of
/// gigahertz, of the model with the most cores.
pub(crate) const fn turbo(gigahertz: f64, source: &'static str) -> Constant {
    assumed(gigahertz * 1e9, source)
}

/// Clients report their highest clock, and their models differ too much.
pub(crate) const TURBO_BY_MODEL: Constant = none("differs by model; clients report it");

/// Share of the last-level cache for each core of a server, in KiB.
pub(crate) const fn slice(kibibytes: f64, source: &'static str) -> Constant {
    cited(kibibytes * 1024.0, source)
}

/// A number of LLVM's scheduling model of the family.
pub(crate) const fn scheduled(value: f64) -> Constant {
    cited(value, LLVM)
}

/// Instructions renamed in a cycle.
pub(crate) const fn wide(instructions: f64) -> Constant {
    assumed(instructions, "recalled from the vendor's optimization manual")
}

/// A client is seldom shared by guests.
pub(crate) const NO_SLICE: Constant = none("clients are not shared");
