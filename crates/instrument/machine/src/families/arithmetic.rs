//! Published arithmetic of each family: latency, and reciprocal throughput of independent operations.

use super::sources::{LLVM, MEASURED, relative};
use crate::constant::{Constant, assumed, cited};

/// Cycles of one operation of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cycles {
    /// Until the next one may begin that needs its result.
    pub latency: Constant,
    /// Per operation when none needs another's result.
    pub reciprocal: Constant,
}

/// A family's arithmetic. Integers have 64 bits and floating-point numbers double precision unless stated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arithmetic {
    pub add: Cycles,
    pub multiply: Cycles,
    /// The quotient and the remainder, which some designs give later.
    pub divide: [Cycles; 2],
    pub divide_32: [Cycles; 2],
    pub float_add: Cycles,
    pub float_multiply: Cycles,
    /// Fused multiplication and addition.
    pub float_multiply_add: Cycles,
    pub float_divide: Cycles,
    /// In single precision.
    pub float_divide_32: Cycles,
    pub float_square_root: Cycles,
    /// In single precision.
    pub float_square_root_32: Cycles,
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
        kinds.into_iter().flat_map(|(name, Cycles { latency, reciprocal })| {
            [("latency", latency), ("reciprocal", reciprocal)]
                .map(|(of, cycles)| (format!("{name}_{of}_cycles"), cycles))
        })
    }
}

pub(super) const fn same(cycles: Cycles) -> [Cycles; 2] {
    [cycles, cycles]
}

pub(super) const fn both(source: &'static str, latency: f64, reciprocal: f64) -> Cycles {
    Cycles { latency: cited(latency, source), reciprocal: cited(reciprocal, source) }
}

pub(super) const fn llvm(latency: f64, reciprocal: f64) -> Cycles {
    both(LLVM, latency, reciprocal)
}

pub(super) const fn measured(latency: f64, reciprocal: f64) -> Cycles {
    both(MEASURED, latency, reciprocal)
}

/// A division of a full dividend by a divisor of half its bits, measured as such.
pub(super) const fn divided(cycles: f64) -> Cycles {
    const HALF: &str = "InstLatx64, instruction tables: DIV r64 64/32b and DIV r32 32/16b";
    both(HALF, cycles, cycles)
}

/// The least of a range by operands, for a dividend whose upper half is zero.
pub(super) const fn least(latency: f64, reciprocal: f64) -> Cycles {
    const LEAST: &str = "Agner Fog, instruction tables (2021-08-17): DIV r64, the least of its range, for a dividend whose upper \
                         half is zero";
    both(LEAST, latency, reciprocal)
}

/// The middle of a range by the bits of the quotient, of which the operands have half as many as the dividend.
pub(super) const fn middle(latency: f64, reciprocal: f64) -> Cycles {
    const MIDDLE: &str =
        "Agner Fog, instruction tables (2021-08-17): DIV, the middle of its range by operands";
    both(MIDDLE, latency, reciprocal)
}

pub(super) const fn near(latency: f64, reciprocal: f64) -> Cycles {
    const NEAREST: &str = "that of the nearest family with a published one";
    Cycles { latency: assumed(latency, NEAREST), reciprocal: assumed(reciprocal, NEAREST) }
}

/// The model gives the latency, and a reciprocal of one cycle, which stands for none.
pub(super) const fn latency_alone(latency: f64, reciprocal: f64) -> Cycles {
    const SLOWEST: &str = "no number in LLVM's model; dividers of this kind are not pipelined";
    Cycles { latency: cited(latency, LLVM), reciprocal: assumed(reciprocal, SLOWEST) }
}

/// The quotient's latency is an older family's; the tables of this one have the reciprocal.
pub(super) const fn older_latency(latency: f64, reciprocal: f64) -> Cycles {
    const OLDER: &str = "that of Ice Lake or Zen 3, of which there is a published one";
    Cycles { latency: assumed(latency, OLDER), reciprocal: cited(reciprocal, MEASURED) }
}

/// A remainder, of which the model has the latency and the tables the reciprocal.
pub(super) const fn llvm_and_measured(latency: f64, reciprocal: f64) -> Cycles {
    Cycles { latency: cited(latency, LLVM), reciprocal: cited(reciprocal, MEASURED) }
}

impl Arithmetic {
    /// The same for a family of which no table has any of it.
    pub(super) const fn relative(self) -> Self {
        let Self { add, multiply, divide: [divide, modulo], divide_32: [divide_32, modulo_32], .. } = self;
        Self {
            add: add.relative(),
            multiply: multiply.relative(),
            divide: [divide.relative(), modulo.relative()],
            divide_32: [divide_32.relative(), modulo_32.relative()],
            float_add: self.float_add.relative(),
            float_multiply: self.float_multiply.relative(),
            float_multiply_add: self.float_multiply_add.relative(),
            float_divide: self.float_divide.relative(),
            float_divide_32: self.float_divide_32.relative(),
            float_square_root: self.float_square_root.relative(),
            float_square_root_32: self.float_square_root_32.relative(),
        }
    }
}

impl Cycles {
    const fn relative(self) -> Self {
        Self { latency: borrowed(self.latency), reciprocal: borrowed(self.reciprocal) }
    }
}

const fn borrowed(constant: Constant) -> Constant {
    match constant {
        Constant::Published { value, .. } | Constant::Assumed { value, .. } => relative(value),
        none @ Constant::None { .. } => none,
    }
}
