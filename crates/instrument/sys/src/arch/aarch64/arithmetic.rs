//! Chains of arithmetic for AArch64: 48 operations in a turn, in one chain or in twelve or sixteen.

use core::arch::naked_asm;

/// Whether the processor multiplies and adds by one instruction.
pub(crate) fn has_multiply_add() -> bool {
    true
}

/// Instructions of one division, and of one in several chains; those of a remainder; chains of either, and of floats.
pub(crate) const DIVIDE: [u32; 2] = [3, 3];
pub(crate) const MODULO: [u32; 2] = [4, 4];
pub(crate) const DIVIDE_CHAINS: u64 = 12;
pub(crate) const FLOAT_CHAINS: u64 = 16;

// In 16 the other operand, in 17 what restores the first, in X15 the sum of quotients, in 14 the quotient.
macro_rules! integer {
    ($name:ident, $chains:literal, $times:literal, [$($instruction:literal),+], $result:literal) => {
        chained! {
            $name, $chains, $times:
            "mov x13, x0", "ldp x12, x16, [x1]", "ldr x17, [x1, #16]", "mov x15, #0";
            "mov x\\chain, x12";
            $($instruction),+;
            "subs x13, x13, #1", "b.ne 2b";
            $result;
            "mov x0, x15"
        }
    };
}

macro_rules! integers {
    ($($one:ident, $several:ident: $($instruction:literal),+ => $result:literal;)+) => {$(
        integer!($one, "0", 48, [$($instruction),+], $result);
        integer!($several, "0,1,2,3,4,5,6,7,8,9,10,11", 4, [$($instruction),+], $result);
    )+};
}

integers! {
    add_one, add_several: "add x\\chain, x\\chain, x16" => "add x15, x15, x\\chain";
    multiply_one, multiply_several: "mul x\\chain, x\\chain, x16" => "add x15, x15, x\\chain";
    divide_one, divide_several:
        "udiv x\\chain, x\\chain, x16", "add x15, x15, x\\chain", "add x\\chain, x\\chain, x17" => "";
    modulo_one, modulo_several:
        "udiv x14, x\\chain, x16", "msub x\\chain, x14, x16, x\\chain",
        "add x15, x15, x\\chain", "add x\\chain, x\\chain, x17" => "";
    divide_32_one, divide_32_several:
        "udiv w\\chain, w\\chain, w16", "add x15, x15, x\\chain", "add w\\chain, w\\chain, w17" => "";
    modulo_32_one, modulo_32_several:
        "udiv w14, w\\chain, w16", "msub w\\chain, w14, w16, w\\chain",
        "add x15, x15, x\\chain", "add w\\chain, w\\chain, w17" => "";
}

// In 20 the other operand, in 21 what restores the first; registers 8 to 15 belong to the caller.
macro_rules! float {
    ($name:ident, $chains:literal, $times:literal, $width:literal, $general:literal, [$($instruction:literal),+]) => {
        chained! {
            $name, $chains, $times:
            concat!("ldr ", $width, "20, [x1, #8]"), concat!("ldr ", $width, "21, [x1, #16]"), "mov x9, #0";
            concat!("ldr ", $width, "\\chain, [x1]");
            $($instruction),+;
            "subs x0, x0, #1", "b.ne 2b";
            concat!("fmov ", $general, "10, ", $width, "\\chain"), "add x9, x9, x10";
            "mov x0, x9"
        }
    };
}

macro_rules! floats {
    ($($one:ident, $several:ident, $width:literal, $general:literal: $($instruction:literal),+;)+) => {$(
        float!($one, "0", 48, $width, $general, [$($instruction),+]);
        float!($several, "0,1,2,3,4,5,6,7,16,17,18,19,22,23,24,25", 3, $width, $general, [$($instruction),+]);
    )+};
}

floats! {
    float_add_one, float_add_several, "d", "x": "fadd d\\chain, d\\chain, d20";
    float_multiply_one, float_multiply_several, "d", "x": "fmul d\\chain, d\\chain, d20";
    float_divide_one, float_divide_several, "d", "x":
        "fdiv d\\chain, d\\chain, d20", "fadd d\\chain, d\\chain, d21";
    float_root_one, float_root_several, "d", "x": "fsqrt d\\chain, d\\chain", "fadd d\\chain, d\\chain, d21";
    multiply_add_one, multiply_add_several, "d", "x": "fmadd d\\chain, d\\chain, d20, d21";
    float_divide_32_one, float_divide_32_several, "s", "w":
        "fdiv s\\chain, s\\chain, s20", "fadd s\\chain, s\\chain, s21";
    float_root_32_one, float_root_32_several, "s", "w":
        "fsqrt s\\chain, s\\chain", "fadd s\\chain, s\\chain, s21";
}
