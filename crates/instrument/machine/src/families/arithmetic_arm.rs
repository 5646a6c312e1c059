//! Published arithmetic of the families of Arm, Apple and Ampere.

use super::arithmetic::{Arithmetic, Cycles, latency_alone, llvm, near, same};
use crate::constant::assumed;

pub(super) const NEOVERSE_N1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.333),
    multiply: llvm(4.0, 3.0),
    divide: same(llvm(20.0, 5.0)),
    divide_32: same(llvm(12.0, 5.0)),
    float_add: llvm(2.0, 0.5),
    float_multiply: llvm(3.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(15.0, 7.0),
    float_divide_32: llvm(10.0, 7.0),
    float_square_root: llvm(17.0, 7.0),
    float_square_root_32: llvm(10.0, 7.0),
};

pub(super) const NEOVERSE_V1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    multiply: llvm(2.0, 0.5),
    float_add: llvm(2.0, 0.25),
    float_multiply: llvm(3.0, 0.25),
    float_multiply_add: llvm(4.0, 0.25),
    float_divide: llvm(15.0, 3.5),
    float_divide_32: llvm(10.0, 3.5),
    float_square_root: llvm(16.0, 3.5),
    float_square_root_32: llvm(10.0, 3.5),
    ..NEOVERSE_N1
};

pub(super) const NEOVERSE_N2: Arithmetic = Arithmetic {
    divide: same(llvm(20.0, 20.0)),
    divide_32: same(llvm(12.0, 12.0)),
    float_add: llvm(2.0, 0.5),
    float_multiply: llvm(3.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: latency_alone(15.0, 7.0),
    float_divide_32: latency_alone(10.0, 7.0),
    float_square_root: latency_alone(16.0, 7.0),
    float_square_root_32: latency_alone(9.0, 7.0),
    ..NEOVERSE_V1
};

pub(super) const NEOVERSE_V2: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.167),
    divide: same(llvm(20.0, 20.0)),
    divide_32: same(llvm(12.0, 12.0)),
    float_divide: llvm(15.0, 4.0),
    float_divide_32: latency_alone(10.0, 4.0),
    float_square_root: llvm(16.0, 4.0),
    float_square_root_32: latency_alone(9.0, 4.0),
    ..NEOVERSE_V1
};

pub(super) const CORTEX_A72: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.5),
    multiply: llvm(5.0, 1.0),
    divide: same(llvm(35.0, 35.0)),
    divide_32: same(llvm(19.0, 19.0)),
    float_add: llvm(5.0, 0.5),
    float_multiply: llvm(5.0, 0.5),
    float_multiply_add: llvm(9.0, 0.5),
    float_divide: llvm(32.0, 32.0),
    float_divide_32: llvm(17.0, 17.0),
    float_square_root: llvm(32.0, 32.0),
    float_square_root_32: llvm(17.0, 17.0),
};

/// LLVM's model has three cycles for an addition, from which it takes what forwarding saves.
pub(super) const CORTEX_A53: Arithmetic = Arithmetic {
    add: Cycles { latency: assumed(1.0, "results are forwarded"), ..llvm(3.0, 0.5) },
    multiply: llvm(4.0, 1.0),
    divide: same(near(20.0, 20.0)),
    divide_32: same(near(12.0, 12.0)),
    float_add: llvm(6.0, 1.0),
    float_multiply: llvm(6.0, 1.0),
    float_multiply_add: llvm(10.0, 1.0),
    float_divide: llvm(33.0, 29.0),
    float_divide_32: llvm(18.0, 14.0),
    float_square_root: llvm(33.0, 29.0),
    float_square_root_32: llvm(33.0, 29.0),
};

pub(super) const CORTEX_A55: Arithmetic = Arithmetic {
    divide: same(llvm(8.0, 8.0)),
    divide_32: same(llvm(8.0, 8.0)),
    float_add: llvm(4.0, 0.5),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(22.0, 19.0),
    float_divide_32: llvm(13.0, 10.0),
    float_square_root: llvm(22.0, 29.0),
    float_square_root_32: llvm(22.0, 29.0),
    ..CORTEX_A53
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

pub(super) const AMPERE_ONE: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    multiply: llvm(3.0, 1.0),
    divide: same(latency_alone(34.0, 34.0)),
    divide_32: same(latency_alone(18.0, 18.0)),
    float_add: llvm(2.0, 0.5),
    float_multiply: llvm(5.0, 0.5),
    float_multiply_add: llvm(5.0, 0.5),
    float_divide: latency_alone(34.0, 34.0),
    float_divide_32: latency_alone(19.0, 19.0),
    float_square_root: latency_alone(62.0, 62.0),
    float_square_root_32: latency_alone(32.0, 32.0),
};

/// LLVM calls it `ampere1b`.
pub(super) const AMPERE_ONE_B: Arithmetic = Arithmetic {
    divide: same(latency_alone(13.0, 13.0)),
    divide_32: same(latency_alone(13.0, 13.0)),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: latency_alone(19.0, 19.0),
    float_divide_32: latency_alone(12.0, 12.0),
    float_square_root: latency_alone(63.0, 63.0),
    float_square_root_32: latency_alone(33.0, 33.0),
    ..AMPERE_ONE
};
