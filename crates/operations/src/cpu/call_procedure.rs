//! A procedure call and its return: with 0 to 10 integer arguments, and with the callee found in other ways.

use measure::{Area, Bench, Failure, Operation, Point, Reference, Rehearse, Work};
use record::Fit;
use sys::arch::{self, CallBy};

const CALL: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one call with its arguments put in place, and the return; the callee counts its calls",
    confounds: "An optimising compiler removes an empty callee, and without optimisation the arguments are stored \
                and loaded again (E12, E13): assembly does neither. Calls overlap with what surrounds them, so this \
                is their cost in a row, not the time until one of them is done. What a call costs depends on how \
                many branches share a cache line: a core keeps few of them per line in its fastest tables and in the \
                cache of decoded instructions. With more, the cost goes up by half to twice and changes from start \
                to start, in steps of one cycle a turn, with fixed addresses too: call.procedure.crowded. Here a \
                line has one call and one return, which leaves nothing to luck.",
    rehearse: Rehearse::CallsAndInstructions,
    // Branches that are taken cost as much each as the one of an empty loop, and everything else happens meanwhile, unless
    // there are more instructions than the core begins in that time. A call has itself, the return, and an eighth of a loop.
    predict: &[
        "hardware t0 taken branches, or all instructions = \
         max(family.call_cycles, {instructions} × family.add_reciprocal_cycles) × cycle_ns",
        "hardware t1 taken branches, or all instructions = max({2 + 1 / 8} × [loop.iteration counter=register n=1024], \
         {instructions} × [arithmetic.integer what=add bits=64 chain=independent])",
    ],
    evidence: &[
        "answers = 1: the callees ran as often as they were called",
        "linear",
        "calls: none",
        "instructions {instructions - 0.01}..{instructions + 0.01}: every call executes its moves, the call, the callee and \
         the return",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 0.9 cycles × cycle_ns: a call and a return are two taken branches"],
    ..Operation::NEW
};

/// A direct call with arguments.
pub static OPERATION: Operation = Operation {
    id: "call.procedure",
    revision: 2,
    title: "a procedure call and its return",
    method: "A loop in assembly calls a procedure, which calls the next, eight deep; each counts itself and is alone \
             in its cache line. The arguments are constants, put where the C calling convention of the architecture \
             has them: six (x86-64) or eight (AArch64) in registers, further ones on the stack. The cost is the \
             slope over the number of calls; nothing is subtracted.",
    sources: &[
        (
            "R0",
            "0 … 7 arguments, one call timed alone, overhead subtracted; negative for some (E05)",
        ),
        ("R1", "0 … 7 arguments in a loop, -O0"),
        ("R2", "0 … 7 arguments"),
        ("R3", "0 … 7 arguments, RDTSC, -O0"),
        ("R4", "0 … 7 arguments, one call timed alone (E07)"),
        ("lmbench", "lat_proc procedure"),
    ],
    points: |_| {
        arch::ARGUMENTS
            .map(|arguments| Point::only().with("arguments", arguments))
            .to_vec()
    },
    in_lines: |point| with_instructions(point, arch::instructions_per_call(arguments(point))),
    fit: Some(|| Fit {
        parameter: "arguments".to_owned(),
        per_unit: false,
        slope: "per argument".to_owned(),
        intercept: "for a call without arguments".to_owned(),
    }),
    headline: &[("arguments=0", "procedure call")],
    run: |bench| {
        let asked = bench.point().number("arguments")?;
        let offered = arch::ARGUMENTS.into_iter().find(|&one| u64::from(one) == asked);
        let arguments =
            offered.ok_or_else(|| Failure::Failed(format!("there is no call with {asked} arguments")))?;
        in_turns(bench, &|turns| arch::calls(arguments, turns).unwrap_or(0))
    },
    ..CALL
};

/// A call whose callee is looked up.
pub static INDIRECT: Operation = Operation {
    id: "call.procedure.indirect",
    title: "an indirect procedure call and its return",
    method: "As call.procedure without arguments. by=register: the address is in a register, loaded by an \
             instruction before; by=table: in a table in memory, as that of a C++ virtual function; by=linker: the \
             call goes to a stub, which jumps to the address that the dynamic linker left in a slot.",
    sources: &[
        ("none of R0 … R4", "they call directly"),
        ("Agner Fog", "microarchitecture, on indirect branches"),
    ],
    points: |_| Point::all("by=register|table|linker"),
    in_lines: |point| with_instructions(point, arch::instructions_per_call_by(by(point))),
    // The branch through a register is what a direct call does not have: its predictor may answer later. The load of a
    // table is hidden by the prediction, and a stub is one more branch.
    predict: &[
        "by=register|table: let branches = family.call_cycles",
        "by=linker: let branches = {(3 + 1 / 8) / (2 + 1 / 8)} × family.call_cycles",
        "hardware t0 taken branches, or all instructions = \
         max(branches, {instructions} × family.add_reciprocal_cycles) × cycle_ns",
        "by=register: hardware t1 taken branches = [call.procedure arguments=0]",
        "by=table: hardware t1 taken branches = [call.procedure.indirect by=register]",
        "by=linker: hardware t1 taken branches = [call.procedure.indirect by=register] + \
         [loop.iteration counter=register n=1024]",
    ],
    run: |bench| {
        let by = by(bench.point());
        in_turns(bench, &|turns| arch::calls_by(by, turns))
    },
    ..CALL
};

/// Calls that do not find room.
pub static CROWDED: Operation = Operation {
    id: "call.procedure.crowded",
    title: "procedure calls that share one cache line",
    method: "Eight direct calls of one callee, one behind the other in 40 bytes, in an aligned loop.",
    sources: &[
        ("compilers", "what an unrolled loop of calls becomes"),
        ("R1", "calls in a loop whose place is the linker's luck"),
    ],
    reference: Some(Reference {
        wrong: "Nine branches in one cache line are more than the processor's fast tables hold: which of them find \
                room changes from start to start, so the cost has several states, all higher (E58).",
        right: ("call.procedure", "arguments=0"),
    }),
    in_lines: |point| with_instructions(point, arch::instructions_per_call_by(CallBy::Crowded)),
    run: |bench| in_turns(bench, &|turns| arch::calls_by(CallBy::Crowded, turns)),
    ..CALL
};

fn with_instructions(point: &Point, instructions: f64) -> Point {
    point.clone().with("instructions", instructions)
}

fn arguments(point: &Point) -> u32 {
    let asked = point.number("arguments").unwrap_or(0);
    let offered = arch::ARGUMENTS.into_iter().find(|&one| u64::from(one) == asked);
    offered.unwrap_or(0)
}

fn by(point: &Point) -> CallBy {
    match point.get("by") {
        Some("register") => CallBy::Register,
        Some("table") => CallBy::Table,
        _ => CallBy::Linker,
    }
}

fn in_turns(bench: &mut Bench<'_>, calls: &dyn Fn(u64) -> u64) -> Result<(), Failure> {
    let mut work = |n| Ok(calls(n / arch::CALLS_PER_TURN));
    bench.batches(Work {
        multiple_of: arch::CALLS_PER_TURN,
        ..Work::alone(&mut work)
    })
}
