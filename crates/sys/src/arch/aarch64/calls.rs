//! Procedure calls, as the procedure call standard for AArch64 has them.
//!
//! Every function begins a cache line and has one call and one return: with more taken branches in a line,
//! the processor may find room for all of them in its fast tables or not, which differs between starts.

use crate::arch::{CallBy, SLOTS};
use core::arch::naked_asm;

/// The largest number of integer arguments that go into registers.
pub const REGISTER_ARGUMENTS: u32 = 8;

/// Instructions with which seven of eight callees keep their own way back, per call.
const WAY_BACK: f64 = 2.0 * 7.0 / 8.0;

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `bl`, `add`, `ret`, the
/// way back, and for arguments on the stack the store and the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    let on_stack = if arguments > REGISTER_ARGUMENTS { 2.0 } else { 0.0 };
    f64::from(arguments + 3) + on_stack + WAY_BACK + 2.0 / 8.0
}

/// Instructions of one call by an address besides `bl`, `add` and `ret`: the address is loaded first, or a stub of four
/// instructions jumps.
pub(in crate::arch) fn instructions_beside(how: CallBy) -> f64 {
    match how {
        CallBy::Register | CallBy::Table => 1.0 + WAY_BACK,
        CallBy::Linker => 4.0 + WAY_BACK,
        CallBy::Aliased => 0.0,
    }
}

// The callees are known to touch X9 only, so the caller's own state may stay in caller-saved registers.
macro_rules! nested {
    ($name:ident, [$($before:expr),*], $call:literal, [$($after:expr),*]) => {
        #[unsafe(naked)]
        pub(in crate::arch) unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                "mov x10, x0",
                "mov x11, x30",
                "mov x9, #0",
                ".p2align 6",
                "2:",
                $($before,)*
                $call,
                $($after,)*
                "subs x10, x10, #1",
                "b.ne 2b",
                "mov x30, x11",
                "mov x0, x9",
                "ret",
                ".rept 7",
                ".p2align 6",
                "5:",
                "add x9, x9, #1",
                "str x30, [sp, #-16]!",
                $($before,)*
                $call,
                $($after,)*
                "ldr x30, [sp], #16",
                "ret",
                ".endr",
                ".p2align 6",
                "5:",
                "add x9, x9, #1",
                "ret",
            )
        }
    };
}

macro_rules! calls {
    ($($name:ident $arguments:literal),+) => {$(
        nested!(
            $name,
            [
                concat!(
                    argument!(1, $arguments, "mov w0, #1"),
                    argument!(2, $arguments, "mov w1, #2"),
                    argument!(3, $arguments, "mov w2, #3"),
                    argument!(4, $arguments, "mov w3, #4"),
                    argument!(5, $arguments, "mov w4, #5"),
                    argument!(6, $arguments, "mov w5, #6"),
                    argument!(7, $arguments, "mov w6, #7"),
                    argument!(8, $arguments, "mov w7, #8"),
                    argument!(10, $arguments, "mov w14, #9\nmov w15, #10\nstp x14, x15, [sp, #-16]!"),
                )
            ],
            "bl 5f",
            [argument!(10, $arguments, "add sp, sp, #16")]
        );
    )+};
}

calls!(calls_0 0, calls_1 1, calls_2 2, calls_3 3, calls_4 4, calls_5 5, calls_6 6, calls_7 7, calls_8 8, calls_10 10);

nested!(calls_by_register, ["adr x12, 5f"], "blr x12", []);

// The addresses of the callees, which are a line apart each, lie in a table on the stack.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_by_table(_turns: u64) -> u64 {
    naked_asm!(
        "sub sp, sp, #64",
        "mov x13, sp",
        "mov x10, x0",
        "mov x11, x30",
        "adr x12, 5f",
        ".irp slot,0,1,2,3,4,5,6,7",
        "str x12, [x13, #8 * \\slot]",
        "add x12, x12, #64",
        ".endr",
        "mov x9, #0",
        ".p2align 6",
        "2:",
        "ldr x12, [x13]",
        "blr x12",
        "subs x10, x10, #1",
        "b.ne 2b",
        "mov x30, x11",
        "mov x0, x9",
        "add sp, sp, #64",
        "ret",
        ".p2align 6",
        "5:",
        ".irp slot,1,2,3,4,5,6,7",
        ".p2align 6",
        "add x9, x9, #1",
        "str x30, [sp, #-16]!",
        "ldr x12, [x13, #8 * \\slot]",
        "blr x12",
        "ldr x30, [sp], #16",
        "ret",
        ".endr",
        ".p2align 6",
        "add x9, x9, #1",
        "ret",
    )
}

// Every callee stands a line behind its stub, the stubs two lines apart. X16 and X17 are the linker's.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_by_linker(_turns: u64) -> u64 {
    naked_asm!(
        "mov x10, x0",
        "mov x11, x30",
        "adr x12, 5f",
        "adrp x13, {slots}",
        "add x13, x13, :lo12:{slots}",
        ".irp slot,0,1,2,3,4,5,6,7",
        "str x12, [x13, #8 * \\slot]",
        "add x12, x12, #128",
        ".endr",
        "mov x9, #0",
        ".p2align 6",
        "2:",
        "bl 6f",
        "subs x10, x10, #1",
        "b.ne 2b",
        "mov x30, x11",
        "mov x0, x9",
        "ret",
        ".irp slot,0,1,2,3,4,5,6",
        ".p2align 6",
        "6:",
        "adrp x16, {slots} + 8 * \\slot",
        "ldr x17, [x16, :lo12:{slots} + 8 * \\slot]",
        "add x16, x16, :lo12:{slots} + 8 * \\slot",
        "br x17",
        ".p2align 6",
        "5:",
        "add x9, x9, #1",
        "str x30, [sp, #-16]!",
        "bl 6f",
        "ldr x30, [sp], #16",
        "ret",
        ".endr",
        ".p2align 6",
        "6:",
        "adrp x16, {slots} + 8 * 7",
        "ldr x17, [x16, :lo12:{slots} + 8 * 7]",
        "add x16, x16, :lo12:{slots} + 8 * 7",
        "br x17",
        ".p2align 6",
        "5:",
        "add x9, x9, #1",
        "ret",
        slots = sym SLOTS,
    )
}

// Nine branches in one cache line, which is more than a processor has room for in its fast tables.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_in_one_line(_turns: u64) -> u64 {
    naked_asm!(
        "mov x10, x0",
        "mov x11, x30",
        "mov x9, #0",
        ".p2align 6",
        "2:",
        ".rept 8",
        "bl 5f",
        ".endr",
        "subs x10, x10, #1",
        "b.ne 2b",
        "mov x30, x11",
        "mov x0, x9",
        "ret",
        ".p2align 6",
        "5:",
        "add x9, x9, #1",
        "ret",
    )
}

#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn empty() -> u64 {
    naked_asm!(".p2align 6", "mov x0, #1", "ret")
}
