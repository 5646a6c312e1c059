//! Chains of arithmetic for x86-64: 48 operations in a turn, in one chain or in eight to twelve.

use core::arch::naked_asm;

/// Whether the processor multiplies and adds by one instruction.
pub(crate) fn has_multiply_add() -> bool {
    std::arch::is_x86_feature_detected!("fma")
}

/// Instructions of one division, and of one in several chains; those of a remainder; chains of either, and of floats.
pub(crate) const DIVIDE: [u32; 2] = [4, 5];
pub(crate) const MODULO: [u32; 2] = [4, 5];
pub(crate) const DIVIDE_CHAINS: u64 = 8;
pub(crate) const FLOAT_CHAINS: u64 = 12;

// In RCX the other operand, in R8 what restores the first, in R9 the sum of quotients.
macro_rules! integer {
    ($name:ident, $registers:literal, $times:literal, [$($instruction:expr),+], $result:literal) => {
        chained! {
            $name, $registers, $times:
            "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
            "mov rcx, qword ptr [rsi + 8]", "mov r8, qword ptr [rsi + 16]", "mov r15, qword ptr [rsi]",
            "xor r9d, r9d";
            "mov \\chain, r15";
            $($instruction),+;
            "dec rdi", "jnz 2b";
            $result;
            "mov rax, r9", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx"
        }
    };
}

macro_rules! simple {
    ($($one:ident, $several:ident: $instruction:literal;)+) => {$(
        integer!($one, "rax", 48, [$instruction], "add r9, \\chain");
        integer!($several, "rax,rdx,rsi,r8,r10,r11,rbx,rbp,r12,r13,r14,r15", 4, [$instruction], "add r9, \\chain");
    )+};
}

simple! {
    add_one, add_several: "add \\chain, rcx";
    multiply_one, multiply_several: "imul \\chain, rcx";
}

// XOR of a register with itself breaks the dependency, and no instruction depends on the sum in R9.
macro_rules! division {
    ($($one:ident, $several:ident: $divisor:literal, $answer:literal, $restore_one:literal;)+) => {$(
        integer!($one, "rax", 48, [
            "xor edx, edx", concat!("div ", $divisor), concat!("add r9, ", $answer), $restore_one
        ], "");
        integer!($several, "rsi,r10,r11,rbx,rbp,r12,r13,r14", 6, [
            "mov rax, \\chain", "xor edx, edx", concat!("div ", $divisor), concat!("add r9, ", $answer),
            concat!("lea \\chain, [", $answer, " + r8]")
        ], "");
    )+};
}

division! {
    divide_one, divide_several: "rcx", "rax", "add rax, r8";
    modulo_one, modulo_several: "rcx", "rdx", "lea rax, [rdx + r8]";
    divide_32_one, divide_32_several: "ecx", "rax", "add rax, r8";
    modulo_32_one, modulo_32_several: "ecx", "rdx", "lea rax, [rdx + r8]";
}

// In XMM14 the other operand, in XMM15 what restores the first.
macro_rules! float {
    ($name:ident, $registers:literal, $times:literal, [$load:literal, $store:literal], [$($instruction:literal),+]) => {
        chained! {
            $name, $registers, $times:
            concat!($load, " xmm14, [rsi + 8]"), concat!($load, " xmm15, [rsi + 16]"), "xor ecx, ecx";
            concat!($load, " \\chain, [rsi]");
            $($instruction),+;
            "dec rdi", "jnz 2b";
            $store, "add rcx, rax";
            "mov rax, rcx"
        }
    };
}

macro_rules! floats {
    ($width:tt; $($one:ident, $several:ident: $($instruction:literal),+;)+) => {$(
        float!($one, "xmm0", 48, $width, [$($instruction),+]);
        float!(
            $several, "xmm0,xmm1,xmm2,xmm3,xmm4,xmm5,xmm6,xmm7,xmm8,xmm9,xmm10,xmm11", 4,
            $width, [$($instruction),+]
        );
    )+};
}

// The register form of SQRTSD keeps the upper half of its target, which is the operand itself here.
floats! {
    ["movsd", "movq rax, \\chain"];
    float_add_one, float_add_several: "addsd \\chain, xmm14";
    float_multiply_one, float_multiply_several: "mulsd \\chain, xmm14";
    float_divide_one, float_divide_several: "divsd \\chain, xmm14", "addsd \\chain, xmm15";
    float_root_one, float_root_several: "sqrtsd \\chain, \\chain", "addsd \\chain, xmm15";
    multiply_add_one, multiply_add_several: "vfmadd213sd \\chain, xmm14, xmm15";
}
floats! {
    ["movss", "movd eax, \\chain"];
    float_divide_32_one, float_divide_32_several: "divss \\chain, xmm14", "addss \\chain, xmm15";
    float_root_32_one, float_root_32_several: "sqrtss \\chain, \\chain", "addss \\chain, xmm15";
}
