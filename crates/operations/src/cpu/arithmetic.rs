//! Arithmetic: what one operation costs when the next one waits for it, and when many are under way.

use super::workloads::arithmetic::{FLOATS, INTEGERS, in_lines, run};
use measure::{Area, Operation, Point, Rehearse};

const COMMON: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation; a division, remainder or root with the addition that restores its operand",
    sources: &[
        ("lmbench", "lat_ops: latency; par_ops: how many are done at once"),
        ("uops.info, Agner Fog", "tables of every instruction"),
    ],
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 4_000_000,
    evidence: &[
        "answers = 1: what came out of all chains is what the same sums give without assembly",
        "linear",
        "calls: none",
        // Looking up the answer takes some instructions more in the longer phase.
        "instructions {instructions - 0.01}..{instructions + 0.4}: every operation is executed",
        "undisturbed",
        "no new pages",
    ],
    bounds: &[
        "chain=dependent: > 1 cycle × cycle_ns: an operation that waits for another takes a cycle",
        "chain=independent: > 0.1 cycles × cycle_ns: no core does more than ten operations in a cycle",
    ],
    ..Operation::NEW
};

/// Integers.
pub static INTEGER: Operation = Operation {
    id: "arithmetic.integer",
    title: "an integer operation",
    method: "48 operations of registers in an aligned loop of assembly. chain=dependent: each takes the result of \
             the one before, so the cost is its latency; chain=independent: eight or twelve chains in turns, so the \
             cost is the reciprocal of the throughput. Divisions take a dividend of 64 (32) significant bits, a \
             divisor and a result of half as many, and add a register to the result to have the dividend again.",
    confounds: "Divisions take longer for longer results, on most cores: the operands are stated. The operands are in \
                registers, because recent cores add small constants while renaming, in no time. The addition behind \
                a dependent division is part of its cost, one cycle. A core that shares its hardware with a busy \
                thread does fewer independent operations, and dependent ones as fast as ever.",
    points: |profile| {
        Point::of_profile(
            profile,
            "instruction=add|multiply|divide|modulo bits=64 chain=dependent|independent",
            "instruction=add|multiply|divide|modulo bits=64 chain=dependent|independent; \
             instruction=divide|modulo bits=32 chain=dependent|independent",
        )
    },
    in_lines: |point| in_lines(point, INTEGERS),
    predict: &[
        "bits=64 chain=dependent: hardware the operation = family.{instruction}_latency_cycles × cycle_ns",
        "bits=32 chain=dependent: hardware the operation = family.{instruction}_32_latency_cycles × cycle_ns",
        "bits=64 chain=independent: hardware the operation = family.{instruction}_reciprocal_cycles × cycle_ns",
        "bits=32 chain=independent: hardware the operation = family.{instruction}_32_reciprocal_cycles × cycle_ns",
        "architecture=aarch64 instruction=modulo chain=dependent: hardware multiply and subtract = \
         family.multiply_latency_cycles × cycle_ns",
        // Side by side, the additions are done while the divider works.
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
    title: "a floating-point operation",
    method: "As arithmetic.integer, with scalar instructions on twelve or sixteen registers: addition of 1, \
             multiplication by a number next to 1, division and square root whose operands and results use every \
             digit, fused multiplication and addition. Divisions and roots are followed by the addition of 0.7.",
    confounds: "The addition behind a dependent division or root is part of its cost. No operand is denormal. Cores \
                shorten divisions whose result is a short fraction: these are not. Golden Cove adds in two cycles what \
                comes from an addition, in three what comes from elsewhere. One number at a time: vectors do \
                more in the same time.",
    points: |profile| {
        Point::of_profile(
            profile,
            "instruction=add|multiply|multiply_add|divide|square_root bits=64 chain=dependent|independent",
            "instruction=add|multiply|multiply_add|divide|square_root bits=64 chain=dependent|independent; \
             instruction=divide|square_root bits=32 chain=dependent|independent",
        )
    },
    in_lines: |point| in_lines(point, FLOATS),
    predict: &[
        "bits=64 chain=dependent: hardware the operation = family.float_{instruction}_latency_cycles × cycle_ns",
        "bits=32 chain=dependent: hardware the operation = family.float_{instruction}_32_latency_cycles × cycle_ns",
        "bits=64 chain=independent: hardware the operation = family.float_{instruction}_reciprocal_cycles × cycle_ns",
        "bits=32 chain=independent: hardware the operation = family.float_{instruction}_32_reciprocal_cycles × cycle_ns",
        // Side by side, the additions are done while the divider works.
        "instruction=divide|square_root chain=dependent: hardware t0 the addition that restores the operand = \
         family.float_add_latency_cycles × cycle_ns",
        "instruction=divide|square_root chain=dependent: hardware t1 the addition that restores the operand = \
         [arithmetic.float instruction=add bits=64 chain=dependent]",
    ],
    run: |bench| run(bench, FLOATS),
    ..COMMON
};
