//! Latency and reciprocal throughput of arithmetic instructions.

use measure::{Operation, Rehearse, takes};
use workloads::cpu::arithmetic::{Calculation, FLOATS, INTEGERS, in_lines, run};

const COMMON: Operation = Operation {
    one_iteration: "one operation; a division, modulo or square root with the addition that restores its operand",
    sources: &[
        ("lmbench", "lat_ops: latency; par_ops: parallelism"),
        ("uops.info, Agner Fog", "tables of every instruction"),
    ],
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 4_000_000,
    evidence: &[
        "answers = 1: the results of all chains equal those of the same operations in Rust",
        "calls: none",
        // The lookup of the expected result takes some more instructions in the longer phase.
        "instructions {instructions - 0.01}..{instructions + 0.4}: every operation is executed",
        "undisturbed loop",
    ],
    bounds: &[
        "chain=dependent: > 1 cycle × cycle_ns: a dependent operation takes at least one cycle",
        "chain=independent: > 0.1 cycles × cycle_ns: no core executes more than ten operations per cycle",
    ],
    parameters: takes::<Calculation>,
    ..super::COMMON
};

/// Integers.
pub static INTEGER: Operation = Operation {
    id: "arithmetic.integer",
    title: "one integer operation on registers",
    method: "48 register operations in an aligned loop of assembly. chain=dependent: each takes the result of the previous \
             one: latency; chain=independent: eight or twelve interleaved chains: reciprocal throughput. Divisions have \
             a dividend of 64 (32) significant bits and a divisor and a result of half as many; an addition restores \
             the dividend.",
    confounds: "On most cores the latency of a division grows with its result. Operands are registers, because recent cores add \
                small constants during renaming, in zero cycles. The addition after a dependent division is part of its \
                cost: one cycle. A busy sibling thread lowers the throughput of independent operations and does not \
                change the latency of dependent ones.",
    points: &[
        "instruction=add|multiply|divide|modulo bits=64 chain=dependent|independent",
        "profile=thorough: instruction=divide|modulo bits=32 chain=dependent|independent",
    ],
    in_lines: |point| in_lines(point, INTEGERS),
    predict: &[
        "bits=64 chain=dependent: hardware the operation = family.{instruction}_latency_cycles × cycle_ns",
        "bits=32 chain=dependent: hardware the operation = family.{instruction}_32_latency_cycles × cycle_ns",
        "bits=64 chain=independent: hardware the operation = family.{instruction}_reciprocal_cycles × cycle_ns",
        "bits=32 chain=independent: hardware the operation = family.{instruction}_32_reciprocal_cycles × cycle_ns",
        "architecture=aarch64 instruction=modulo chain=dependent: hardware multiply and subtract = \
         family.multiply_latency_cycles × cycle_ns",
        // In independent chains the additions overlap with the divisions.
        "instruction=divide|modulo chain=dependent: hardware t0 the addition that restores the operand = \
         family.add_latency_cycles × cycle_ns",
        "instruction=divide|modulo chain=dependent: hardware t1 the addition that restores the operand = \
         [arithmetic.integer instruction=add bits=64 chain=dependent]",
    ],
    run: |bench| run(bench, INTEGERS),
    ..COMMON
};

/// Floating numbers.
pub static FLOAT: Operation = Operation {
    id: "arithmetic.float",
    title: "one scalar floating-point operation on registers",
    method: "As arithmetic.integer, with scalar instructions on twelve or sixteen registers: addition of 1, multiplication by a \
             number next to 1, division and square root of full-precision operands, fused multiply-add. An addition of \
             0.7 follows each division and square root.",
    confounds: "The addition after a dependent division or square root is part of its cost. No operand is denormal, and no \
                quotient is short enough for early termination. Golden Cove adds in two cycles after an addition, \
                otherwise in three. Scalar instructions only.",
    points: &[
        "instruction=add|multiply|multiply_add|divide|square_root bits=64 chain=dependent|independent",
        "profile=thorough: instruction=divide|square_root bits=32 chain=dependent|independent",
    ],
    in_lines: |point| in_lines(point, FLOATS),
    predict: &[
        "bits=64 chain=dependent: hardware the operation = family.float_{instruction}_latency_cycles × cycle_ns",
        "bits=32 chain=dependent: hardware the operation = family.float_{instruction}_32_latency_cycles × cycle_ns",
        "bits=64 chain=independent: hardware the operation = family.float_{instruction}_reciprocal_cycles × cycle_ns",
        "bits=32 chain=independent: hardware the operation = family.float_{instruction}_32_reciprocal_cycles × cycle_ns",
        // In independent chains the additions overlap with the divisions.
        "instruction=divide|square_root chain=dependent: hardware t0 the addition that restores the operand = \
         family.float_add_latency_cycles × cycle_ns",
        "instruction=divide|square_root chain=dependent: hardware t1 the addition that restores the operand = \
         [arithmetic.float instruction=add bits=64 chain=dependent]",
    ],
    run: |bench| run(bench, FLOATS),
    ..COMMON
};
