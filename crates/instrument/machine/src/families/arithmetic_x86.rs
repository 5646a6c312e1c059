//! Published arithmetic of the families of Intel and AMD.

use super::arithmetic::{
    Arithmetic, Cycles, both, divided, least, llvm, llvm_and_measured, measured, middle, near, older_latency,
    same,
};
use super::sources::FOG;
use crate::constant::cited;

pub(super) const NEHALEM: Arithmetic =
    Arithmetic { divide: same(least(28.0, 19.0)), divide_32: same(middle(22.5, 12.0)), ..SANDY_BRIDGE };

pub(super) const SANDY_BRIDGE: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.333),
    multiply: llvm(3.0, 1.0),
    divide: same(least(30.0, 22.0)),
    divide_32: same(middle(24.0, 14.5)),
    float_add: llvm(3.0, 1.0),
    float_multiply: llvm(5.0, 1.0),
    float_multiply_add: near(5.0, 0.5),
    float_divide: llvm(22.0, 22.0),
    float_divide_32: llvm(14.0, 14.0),
    float_square_root: llvm(21.0, 21.0),
    float_square_root_32: llvm(14.0, 14.0),
};

pub(super) const IVY_BRIDGE: Arithmetic = Arithmetic {
    divide: same(least(29.0, 22.0)),
    divide_32: same(middle(23.0, 11.0)),
    float_divide: measured(20.0, 14.0),
    float_divide_32: measured(13.0, 7.0),
    float_square_root: measured(20.0, 14.0),
    float_square_root_32: measured(13.0, 7.0),
    ..SANDY_BRIDGE
};

pub(super) const HASWELL: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    divide: same(least(32.0, 21.0)),
    divide_32: same(middle(25.5, 10.0)),
    float_multiply: llvm(5.0, 0.5),
    float_multiply_add: llvm(5.0, 0.5),
    float_divide: llvm(20.0, 14.0),
    float_divide_32: llvm(13.0, 7.0),
    float_square_root: llvm(16.0, 14.0),
    float_square_root_32: llvm(11.0, 7.0),
    ..SANDY_BRIDGE
};

pub(super) const BROADWELL: Arithmetic = Arithmetic {
    divide_32: same(middle(25.5, 9.0)),
    float_multiply: llvm(3.0, 0.5),
    float_divide: llvm(14.0, 4.0),
    float_divide_32: llvm(11.0, 3.0),
    float_square_root: llvm(16.0, 8.0),
    float_square_root_32: llvm(11.0, 4.0),
    ..HASWELL
};

pub(super) const SKYLAKE: Arithmetic = Arithmetic {
    divide: same(least(35.0, 21.0)),
    divide_32: same(both(FOG, 26.0, 6.0)),
    float_add: llvm(4.0, 0.5),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(14.0, 4.0),
    float_divide_32: llvm(11.0, 3.0),
    float_square_root: llvm(18.0, 6.0),
    float_square_root_32: llvm(12.0, 3.0),
    ..HASWELL
};

/// The remainder is later than the quotient, which Agner Fog's tables have.
pub(super) const ICE_LAKE: Arithmetic = Arithmetic {
    divide: [both(FOG, 15.0, 10.0), measured(18.0, 10.0)],
    divide_32: [both(FOG, 12.0, 6.0), measured(15.0, 6.0)],
    ..SKYLAKE
};

/// LLVM's model has the latency of the second result, the remainder. The addition is two cycles after another addition.
pub(super) const GOLDEN_COVE: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.2),
    divide: [older_latency(15.0, 10.0), llvm_and_measured(18.0, 10.0)],
    divide_32: [older_latency(12.0, 6.0), llvm_and_measured(15.0, 6.0)],
    float_add: measured(2.0, 0.5),
    float_divide: measured(14.0, 4.0),
    float_divide_32: measured(11.0, 3.0),
    float_square_root: measured(18.0, 5.3),
    float_square_root_32: measured(12.0, 3.0),
    ..ICE_LAKE
};

/// As measured on Meteor Lake's efficiency cores.
pub(super) const CRESTMONT: Arithmetic = Arithmetic {
    add: measured(1.0, 0.25),
    multiply: measured(5.0, 0.5),
    divide: same(older_latency(15.0, 11.0)),
    divide_32: same(older_latency(12.0, 8.0)),
    float_add: measured(3.0, 0.5),
    float_multiply: measured(4.0, 0.5),
    float_multiply_add: measured(6.0, 0.5),
    float_divide: measured(13.0, 8.0),
    float_divide_32: measured(10.0, 5.0),
    float_square_root: measured(17.0, 12.0),
    float_square_root_32: measured(11.0, 6.0),
};

pub(super) const K10: Arithmetic = Arithmetic {
    add: measured(1.0, 0.333),
    multiply: measured(4.0, 2.0),
    divide: same(divided(78.0)),
    divide_32: same(divided(46.0)),
    float_add: measured(4.0, 1.0),
    float_multiply: measured(4.0, 1.0),
    float_multiply_add: near(5.0, 0.5),
    float_divide: measured(20.0, 17.0),
    float_divide_32: measured(16.0, 13.0),
    float_square_root: measured(27.0, 24.0),
    float_square_root_32: measured(19.0, 16.0),
};

pub(super) const JAGUAR: Arithmetic = Arithmetic {
    add: measured(1.0, 0.5),
    multiply: measured(6.0, 3.83),
    divide: same(divided(28.1)),
    divide_32: same(divided(20.0)),
    float_add: measured(3.0, 1.33),
    float_multiply: measured(4.0, 2.0),
    float_multiply_add: near(5.0, 0.5),
    float_divide: measured(19.0, 19.0),
    float_divide_32: measured(14.0, 14.0),
    float_square_root: measured(27.0, 27.0),
    float_square_root_32: measured(16.0, 16.0),
};

pub(super) const ZEN_1: Arithmetic = Arithmetic {
    add: llvm(1.0, 0.25),
    multiply: measured(3.0, 1.0),
    divide: same(divided(30.0)),
    divide_32: same(divided(22.0)),
    float_add: llvm(3.0, 0.5),
    float_multiply: llvm(4.0, 0.5),
    float_multiply_add: llvm(5.0, 0.5),
    float_divide: llvm(13.0, 5.0),
    float_divide_32: llvm(10.0, 3.0),
    float_square_root: llvm(20.0, 8.0),
    float_square_root_32: llvm(14.0, 5.0),
};

pub(super) const ZEN_2: Arithmetic = Arithmetic {
    float_multiply: llvm(3.0, 0.5),
    float_divide: measured(13.0, 5.0),
    float_divide_32: measured(10.0, 3.5),
    float_square_root: measured(20.0, 8.0),
    float_square_root_32: measured(14.0, 5.5),
    ..ZEN_1
};

pub(super) const ZEN_3: Arithmetic = Arithmetic {
    multiply: llvm(3.0, 1.0),
    divide: same(Cycles { reciprocal: least(9.0, 7.0).reciprocal, ..middle(13.0, 9.5) }),
    divide_32: same(Cycles { reciprocal: cited(6.0, FOG), ..llvm(13.0, 13.0) }),
    float_multiply_add: llvm(4.0, 0.5),
    float_divide: llvm(13.0, 5.0),
    float_divide_32: llvm(11.0, 3.0),
    float_square_root: llvm(21.0, 9.0),
    float_square_root_32: llvm(15.0, 5.0),
    ..ZEN_2
};

pub(super) const ZEN_4: Arithmetic =
    Arithmetic { divide: same(older_latency(13.0, 7.0)), divide_32: same(older_latency(13.0, 6.0)), ..ZEN_3 };

pub(super) const ZEN_5: Arithmetic = Arithmetic {
    add: measured(1.0, 0.189),
    multiply: measured(3.0, 0.331),
    divide: same(older_latency(13.0, 7.0)),
    divide_32: same(older_latency(13.0, 6.0)),
    float_add: measured(2.0, 0.5),
    float_multiply: measured(3.0, 0.5),
    float_multiply_add: measured(4.0, 0.5),
    float_divide: measured(13.0, 4.0),
    float_divide_32: measured(10.0, 2.5),
    float_square_root: measured(20.0, 7.5),
    float_square_root_32: measured(14.0, 4.5),
};
