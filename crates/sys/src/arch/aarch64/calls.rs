//! Procedure calls, as the procedure call standard for AArch64 has them.
//!
//! Every function begins a cache line and has one call and one return: with more taken branches in a line,
//! the processor may find room for all of them in its fast tables or not, by the luck of each start.

use crate::arch::CallBy;
use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;

/// The largest number of integer arguments that go into registers.
pub const REGISTER_ARGUMENTS: u32 = 8;

/// Makes `turns` × 8 nested direct calls with this many arguments, one of `ARGUMENTS`, those behind the eighth
/// on the stack; gives the number of times that a callee ran. `None` for other numbers of arguments.
pub fn calls(arguments: u32, turns: u64) -> Option<u64> {
    let calls = match arguments {
        0 => calls_0,
        1 => calls_1,
        2 => calls_2,
        3 => calls_3,
        4 => calls_4,
        5 => calls_5,
        6 => calls_6,
        7 => calls_7,
        8 => calls_8,
        10 => calls_10,
        _ => return None,
    };
    // SAFETY: the sequences touch caller-saved registers and stack that they reserve and give back.
    Some(unsafe { calls(turns.max(1)) })
}

/// The same without arguments, the callee found in another way.
pub fn calls_by(how: CallBy, turns: u64) -> u64 {
    let turns = turns.max(1);
    // SAFETY: as above; all that write to the slots write the same addresses.
    unsafe {
        match how {
            CallBy::Register => calls_by_register(turns),
            CallBy::Table => calls_by_table(turns),
            CallBy::Linker => calls_by_linker(turns),
            CallBy::Crowded => calls_in_one_line(turns),
        }
    }
}

/// Instructions with which seven of eight callees keep their own way back, per call.
const WAY_BACK: f64 = 2.0 * 7.0 / 8.0;

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `bl`, `add`, `ret`, the
/// way back, and for arguments on the stack the store and the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    let on_stack = if arguments > REGISTER_ARGUMENTS { 2.0 } else { 0.0 };
    f64::from(arguments + 3) + on_stack + WAY_BACK + 2.0 / 8.0
}

/// The same for [`calls_by`]: the address is loaded first, or a stub of four instructions jumps.
pub fn instructions_per_call_by(how: CallBy) -> f64 {
    let more = match how {
        CallBy::Register | CallBy::Table => 1.0 + WAY_BACK,
        CallBy::Linker => 4.0 + WAY_BACK,
        CallBy::Crowded => 0.0,
    };
    3.0 + more + 2.0 / 8.0
}

// The callees are known to touch X9 only, so the caller's own state may stay in caller-saved registers.
macro_rules! nested {
    ($name:ident, [$($before:literal),*], $call:literal, [$($after:literal),*]) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_turns: u64) -> u64 {
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
    ($name:ident, [$($before:literal),*], [$($after:literal),*]) => {
        nested!($name, [$($before),*], "bl 5f", [$($after),*]);
    };
}

nested!(calls_by_register, ["adr x12, 5f"], "blr x12", []);

// The addresses of the callees, which are a line apart each, lie in a table on the stack.
#[unsafe(naked)]
unsafe extern "C" fn calls_by_table(_turns: u64) -> u64 {
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

/// What a dynamic linker would have filled in: the address of each callee, for its stub.
static SLOTS: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

// Every callee stands a line behind its stub, the stubs two lines apart. X16 and X17 are the linker's.
#[unsafe(naked)]
unsafe extern "C" fn calls_by_linker(_turns: u64) -> u64 {
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
unsafe extern "C" fn calls_in_one_line(_turns: u64) -> u64 {
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

calls!(calls_0, [], []);
calls!(calls_1, ["mov w0, #1"], []);
calls!(calls_2, ["mov w0, #1", "mov w1, #2"], []);
calls!(calls_3, ["mov w0, #1", "mov w1, #2", "mov w2, #3"], []);
calls!(
    calls_4,
    ["mov w0, #1", "mov w1, #2", "mov w2, #3", "mov w3, #4"],
    []
);
calls!(
    calls_5,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5"
    ],
    []
);
calls!(
    calls_6,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5",
        "mov w5, #6"
    ],
    []
);
calls!(
    calls_7,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5",
        "mov w5, #6",
        "mov w6, #7"
    ],
    []
);
calls!(
    calls_8,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5",
        "mov w5, #6",
        "mov w6, #7",
        "mov w7, #8"
    ],
    []
);
calls!(
    calls_10,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5",
        "mov w5, #6",
        "mov w6, #7",
        "mov w7, #8",
        "mov w14, #9",
        "mov w15, #10",
        "stp x14, x15, [sp, #-16]!"
    ],
    ["add sp, sp, #16"]
);
