//! A procedure call and its return, with 0 to 10 integer arguments, direct and indirect.

use crate::fit::line;
use measure::{
    Bench, Failure, Operation, Parameters, Point, Rehearse, Result, Work, choice, parameters, takes,
};
use quantity::Quantity;
use record::{Plot, Scale};
use sys::arch::{self, CallBy};

/// Common to calls.
pub const CALL: Operation = Operation {
    one_iteration: "one call with its arguments, and the return; the callee counts its calls",
    confounds: "An optimising compiler removes an empty callee, and without optimisation the arguments are stored and loaded \
                again (E12, E13): assembly does neither. Calls overlap with the code around them: the value is their \
                throughput, not the latency of one. The branch predictor and the cache of decoded instructions hold \
                few branches per cache line; with more, the cost is 1.5 to 2 times as high and varies by process start \
                (call.procedure.aliased). Here a line has one call and one return.",
    rehearse: Rehearse::CallsAndInstructions,
    // Each taken branch costs as much as that of an empty loop, and everything else overlaps, unless there are more
    // instructions than the core issues in that time. A call has two taken branches and an eighth of a loop.
    predict: &["hardware taken branches, or all instructions = \
         max(family.call_cycles, {instructions} × family.add_reciprocal_cycles) × cycle_ns"],
    evidence: &[
        "answers = 1: the callees ran as often as requested",
        "linear",
        "calls: none",
        "instructions {instructions - 0.01}..{instructions + 0.01}: every call executes its moves, the call, the callee and \
         the return",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 0.9 cycles × cycle_ns: a call and a return are two taken branches"],
    ..super::COMMON
};

/// A direct call with arguments.
pub static DIRECT: Operation = Operation {
    id: "call.procedure",
    revision: 3,
    title: "a procedure call and its return",
    method: "A loop in assembly calls a procedure, which calls the next, eight deep; each counts itself and has a cache \
             line of its own. The arguments are constants, passed by the C calling convention: six (x86-64) or eight \
             (AArch64) in registers, further ones on the stack. The cost is the slope over the number of calls; nothing \
             is subtracted.",
    sources: &[
        ("R0, 3.3", "0 to 7 int arguments, single calls, overhead subtracted (E05)"),
        ("R1, 3 Fig 2 (calls)", "0 to 7 int arguments, 100 000 calls in a loop"),
        ("R2, 3.3", "0 to 7 parameters, trials of 1000 iterations"),
        (
            "R3, 3.3.1",
            "loops of 50 calls between two clock reads, less loop and clock, by section 1 with -O0",
        ),
        ("R4, 4.2", "0 to 7 int arguments, trials of 1000; probably single calls (E07)"),
        ("lmbench", "lat_proc procedure"),
    ],
    parameters: takes::<DirectCall>,
    points: &["arguments=0|1|2|3|4|5|6|7|8|10"],
    in_lines: |point| with_instructions(point, arch::instructions_per_call(arguments(point).unwrap_or(0))),
    fit: Some(|| line("arguments", "per argument", "for a call without arguments")),
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("arguments", "arguments of the call", Quantity::Count)
    }),
    headline: &[("arguments=0", "procedure call")],
    run: |bench| {
        let arguments = arguments(bench.point())?;
        in_loops(bench, &|iterations| arch::calls(arguments, iterations).unwrap_or(0))
    },
    ..CALL
};

/// A call by an address that is loaded.
pub static INDIRECT: Operation = Operation {
    id: "call.procedure.indirect",
    revision: 2,
    title: "an indirect procedure call and its return",
    method: "As call.procedure without arguments. method=register: the address is in a register; method=table: it is loaded \
             from a table in memory, as for a C++ virtual function; method=linker: the call goes to a stub, which jumps to \
             the address in the linkage table.",
    sources: &[("Agner Fog", "microarchitecture, on indirect branches")],
    parameters: takes::<IndirectCall>,
    points: &["method=register|table|linker"],
    in_lines: |point| {
        by(point).map_or(point.clone(), |by| with_instructions(point, arch::instructions_per_call_by(by)))
    },
    // An indirect branch may be predicted later than a direct one. The prediction hides the load from a table, and a stub
    // is one more branch.
    predict: &[
        "method=register|table: let branches = family.call_cycles",
        "method=linker: let branches = {(3 + 1 / 8) / (2 + 1 / 8)} × family.call_cycles",
        "method!=linker: hardware taken branches, or all instructions = \
         max(branches, {instructions} × family.add_reciprocal_cycles) × cycle_ns",
        "method=linker: hardware t0 taken branches, or all instructions = \
         max(branches, {instructions} × family.add_reciprocal_cycles) × cycle_ns",
        "method=linker: hardware t1 taken branches = [call.procedure.indirect method=register] + \
         [loop.iteration counter=register iterations=1024]",
    ],
    run: |bench| {
        let by = by(bench.point())?;
        in_loops(bench, &|iterations| arch::calls_by(by, iterations))
    },
    ..CALL
};

/// The point with the instructions of one call.
pub fn with_instructions(point: &Point, instructions: f64) -> Point {
    point.clone().with("instructions", instructions)
}

parameters! {
    /// A direct call.
    struct DirectCall {
        /// That it passes.
        arguments: u64,
    }
}

choice! {
    /// Where the address of a call is.
    enum Address {
        /// In a register.
        Register = "register",
        /// In a table.
        Table = "table",
        /// In the linkage table.
        Linker = "linker",
    }
}

parameters! {
    /// An indirect call.
    struct IndirectCall {
        /// Where the address is.
        method: Address,
    }
}

/// The arguments of a point, for which there are calls in assembly.
fn arguments(point: &Point) -> Result<u32> {
    let asked = DirectCall::read(point)?.arguments;
    let offered = arch::ARGUMENTS.into_iter().find(|&one| u64::from(one) == asked);
    offered.ok_or_else(|| Failure::failed(format!("there is no call with {asked} arguments")))
}

fn by(point: &Point) -> Result<CallBy> {
    Ok(match IndirectCall::read(point)?.method {
        Address::Register => CallBy::Register,
        Address::Table => CallBy::Table,
        Address::Linker => CallBy::Linker,
    })
}

/// Batches of calls, which count themselves.
///
/// # Errors
/// When a batch fails.
pub fn in_loops(bench: &mut Bench<'_>, calls: &dyn Fn(u64) -> u64) -> Result<()> {
    let mut work = |n| Ok(calls(n / arch::CALLS_PER_TURN));
    bench.batches(Work { multiple_of: arch::CALLS_PER_TURN, ..Work::new(&mut work) })
}
