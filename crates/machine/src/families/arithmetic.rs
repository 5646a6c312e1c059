//! Published arithmetic of each family: latency, and reciprocal throughput of independent operations.

use super::sources::{Constant, cited};

/// LLVM's scheduling models, whose numbers come from uops.info for x86 and from Arm's optimisation guides.
const LLVM: &str = "LLVM 19, scheduling model of the family (uops.info, optimisation guides)";
/// Integer divisions depend on their operands, and the models give the slowest: these are for a dividend of
/// full width in one register.
const FOG: &str = "Agner Fog's tables, upper half of the dividend zero, from memory, unconfirmed";
/// By the bits of the quotient, of which the operands have half as many as the dividend.
const QUOTIENT: &str = "Agner Fog's tables: 9 to 17 cycles by the bits of the quotient, here half of them, from memory, unconfirmed";
/// The tables have 3, for an operand that comes from elsewhere.
const CHAINED: &str = "Intel, optimisation manual: 2 from one addition to the next, from memory, unconfirmed";
const NEAREST: &str = "taken from the nearest family in LLVM 19's scheduling models, unconfirmed";

/// Cycles of one operation of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cycles {
    /// Until the next one may begin that needs its result.
    latency: f64,
    /// Per operation when none needs another's result.
    reciprocal: f64,
    source: &'static str,
}

/// A family's arithmetic. Integers have 64 bits and floating-point numbers double precision unless stated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arithmetic {
    add: Cycles,
    multiply: Cycles,
    /// The quotient and the remainder, which some designs give later.
    divide: [Cycles; 2],
    divide_32: [Cycles; 2],
    float_add: Cycles,
    float_multiply: Cycles,
    /// Fused multiplication and addition.
    float_multiply_add: Cycles,
    float_divide: Cycles,
    /// In single precision.
    float_divide_32: Cycles,
    float_square_root: Cycles,
    /// In single precision.
    float_square_root_32: Cycles,
}

impl Arithmetic {
    /// Every number with the last part of its key.
    pub(super) fn constants(&self) -> impl Iterator<Item = (String, Constant)> {
        let ([divide, modulo], [divide_32, modulo_32]) = (self.divide, self.divide_32);
        let kinds = [
            ("add", self.add),
            ("multiply", self.multiply),
            ("divide", divide),
            ("modulo", modulo),
            ("divide_32", divide_32),
            ("modulo_32", modulo_32),
            ("float_add", self.float_add),
            ("float_multiply", self.float_multiply),
            ("float_multiply_add", self.float_multiply_add),
            ("float_divide", self.float_divide),
            ("float_divide_32", self.float_divide_32),
            ("float_square_root", self.float_square_root),
            ("float_square_root_32", self.float_square_root_32),
        ];
        kinds.into_iter().flat_map(|(name, Cycles { latency, reciprocal, source })| {
            [("latency", latency), ("reciprocal", reciprocal)]
                .map(|(of, cycles)| (format!("{name}_{of}_cycles"), cited(cycles, source)))
        })
    }
}

const fn same(cycles: Cycles) -> [Cycles; 2] {
    [cycles, cycles]
}

const fn by(source: &'static str, latency: f64, reciprocal: f64) -> Cycles {
    Cycles { latency, reciprocal, source }
}

const fn llvm(latency: f64, reciprocal: f64) -> Cycles {
    by(LLVM, latency, reciprocal)
}

const fn fog(latency: f64, reciprocal: f64) -> Cycles {
    by(FOG, latency, reciprocal)
}

const fn by_quotient(latency: f64, reciprocal: f64) -> Cycles {
    by(QUOTIENT, latency, reciprocal)
}

const fn near(latency: f64, reciprocal: f64) -> Cycles {
    by(NEAREST, latency, reciprocal)
}

pub(super) const SANDY_BRIDGE: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.333),
    multiply: llvm(3.0, 1.0),
    divide: same(fog(40.0, 26.0)),
    divide_32: same(fog(26.0, 11.0)),
    float_add: llvm(3.0, 1.0),
    float_multiply: llvm(5.0, 1.0),
    float_multiply_add: near(5.0, 0.5),
    float_divide: llvm(22.0, 22.0),
    float_divide_32: llvm(14.0, 14.0),
    float_square_root: llvm(21.0, 21.0),
    float_square_root_32: llvm(14.0, 14.0),
};

pub(super) const HASWELL: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    divide: same(fog(38.0, 24.0)),
    divide_32: same(fog(26.0, 9.0)),
    float_multiply: llvm(5.0, 0.5),
    float_multiply_add: llvm(5.0, 0.5),
    float_divide: llvm(20.0, 14.0),
    float_divide_32: llvm(13.0, 7.0),
    float_square_root: llvm(16.0, 14.0),
    float_square_root_32: llvm(11.0, 7.0),
    ..SANDY_BRIDGE
};

pub(super) const SKYLAKE: Arithmetic = Arithmetic {
    divide: same(fog(37.0, 21.0)),
    divide_32: same(fog(26.0, 6.0)),
    float_add: llvm(4.0, 0.5),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(14.0, 4.0),
    float_divide_32: llvm(11.0, 3.0),
    float_square_root: llvm(18.0, 6.0),
    float_square_root_32: llvm(12.0, 3.0),
    ..HASWELL
};

pub(super) const ICE_LAKE: Arithmetic =
    Arithmetic { divide: [fog(15.0, 10.0), fog(18.0, 10.0)], divide_32: same(fog(12.0, 6.0)), ..SKYLAKE };

/// The divider is Ice Lake's; LLVM's model has 18 to the second result, the remainder.
pub(super) const GOLDEN_COVE: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.2),
    divide: [fog(15.0, 10.0), llvm(18.0, 10.0)],
    divide_32: [fog(12.0, 6.0), llvm(15.0, 6.0)],
    float_add: by(CHAINED, 2.0, 0.5),
    ..ICE_LAKE
};

pub(super) const K10: Arithmetic = Arithmetic {
    add: fog(1.0, 0.333),
    multiply: fog(4.0, 2.0),
    divide: same(fog(60.0, 50.0)),
    divide_32: same(fog(40.0, 30.0)),
    float_add: fog(4.0, 1.0),
    float_multiply: fog(4.0, 1.0),
    float_multiply_add: near(5.0, 0.5),
    float_divide: fog(20.0, 17.0),
    float_divide_32: fog(16.0, 13.0),
    float_square_root: fog(27.0, 24.0),
    float_square_root_32: fog(19.0, 16.0),
};

pub(super) const ZEN_1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    multiply: llvm(4.0, 2.0),
    divide: same(llvm(41.0, 41.0)),
    divide_32: same(llvm(25.0, 25.0)),
    float_add: llvm(3.0, 0.5),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(5.0, 0.5),
    float_divide: llvm(13.0, 5.0),
    float_divide_32: llvm(10.0, 3.0),
    float_square_root: llvm(20.0, 8.0),
    float_square_root_32: llvm(14.0, 5.0),
};

pub(super) const ZEN_2: Arithmetic =
    Arithmetic { multiply: llvm(3.0, 1.0), float_multiply: llvm(3.0, 0.5), ..ZEN_1 };

pub(super) const ZEN_3: Arithmetic = Arithmetic {
    divide: same(by_quotient(13.0, 7.0)),
    divide_32: same(llvm(13.0, 6.0)),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(13.0, 5.0),
    float_divide_32: llvm(11.0, 3.0),
    float_square_root: llvm(21.0, 9.0),
    float_square_root_32: llvm(15.0, 5.0),
    ..ZEN_2
};

pub(super) const ZEN_5: Arithmetic =
    Arithmetic { add: near(1.0, 0.167), multiply: near(3.0, 0.333), float_add: near(3.0, 0.5), ..ZEN_3 };

pub(super) const NEOVERSE_N1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.333),
    multiply: llvm(4.0, 3.0),
    divide: same(llvm(20.0, 20.0)),
    divide_32: same(llvm(12.0, 12.0)),
    float_add: llvm(2.0, 0.5),
    float_multiply: llvm(3.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(15.0, 7.0),
    float_divide_32: near(10.0, 5.0),
    float_square_root: llvm(17.0, 7.0),
    float_square_root_32: near(10.0, 5.0),
};

pub(super) const NEOVERSE_V1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    multiply: llvm(2.0, 0.5),
    float_add: llvm(2.0, 0.25),
    float_multiply: llvm(3.0, 0.25),
    float_multiply_add: llvm(4.0, 0.25),
    float_divide: llvm(15.0, 3.5),
    float_square_root: llvm(16.0, 3.5),
    ..NEOVERSE_N1
};

pub(super) const CORTEX_A72: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.5),
    multiply: llvm(5.0, 3.0),
    divide: same(llvm(35.0, 35.0)),
    divide_32: same(llvm(19.0, 19.0)),
    float_add: near(4.0, 0.5),
    float_multiply: near(4.0, 0.5),
    float_multiply_add: near(7.0, 0.5),
    float_divide: llvm(32.0, 32.0),
    float_divide_32: near(18.0, 18.0),
    float_square_root: llvm(32.0, 32.0),
    float_square_root_32: near(18.0, 18.0),
};

pub(super) const CORTEX_A53: Arithmetic = Arithmetic {
    multiply: llvm(4.0, 1.0),
    divide: same(near(20.0, 20.0)),
    divide_32: same(near(12.0, 12.0)),
    float_add: near(4.0, 1.0),
    float_multiply: near(4.0, 1.0),
    float_multiply_add: near(8.0, 1.0),
    float_divide: llvm(33.0, 29.0),
    float_square_root: llvm(33.0, 29.0),
    ..CORTEX_A72
};

pub(super) const APPLE_M1: Arithmetic = Arithmetic {
    add: near(1.0, 0.167),
    multiply: near(3.0, 0.5),
    divide: same(near(9.0, 2.0)),
    divide_32: same(near(8.0, 2.0)),
    float_add: near(3.0, 0.25),
    float_multiply: near(4.0, 0.25),
    float_multiply_add: near(4.0, 0.25),
    float_divide: near(10.0, 1.0),
    float_divide_32: near(8.0, 1.0),
    float_square_root: near(13.0, 2.0),
    float_square_root_32: near(10.0, 2.0),
};
