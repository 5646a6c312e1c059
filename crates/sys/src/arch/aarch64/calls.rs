//! Procedure calls with 0 to 8 arguments, as the procedure call standard for AArch64 has them.

use core::arch::naked_asm;

/// Makes `turns` × 8 calls with this many arguments (at most 8; all of them in registers) and gives the
/// number of times the callee ran.
pub fn calls(arguments: u32, turns: u64) -> u64 {
    let turns = turns.max(1);
    // SAFETY: the sequences touch caller-saved registers only and return to where they were called from.
    unsafe {
        match arguments {
            0 => calls_0(turns),
            1 => calls_1(turns),
            2 => calls_2(turns),
            3 => calls_3(turns),
            4 => calls_4(turns),
            5 => calls_5(turns),
            6 => calls_6(turns),
            7 => calls_7(turns),
            _ => calls_8(turns),
        }
    }
}

// The callee is known to touch X9 only, so the caller's own state may stay in caller-saved registers.
macro_rules! calls {
    ($name:ident, [$($before:literal),*]) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                "mov x10, x0",
                "mov x11, x30",
                "mov x9, #0",
                ".p2align 6",
                "2:",
                ".rept 8",
                $($before,)*
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
    };
}

calls!(calls_0, []);
calls!(calls_1, ["mov w0, #1"]);
calls!(calls_2, ["mov w0, #1", "mov w1, #2"]);
calls!(calls_3, ["mov w0, #1", "mov w1, #2", "mov w2, #3"]);
calls!(calls_4, ["mov w0, #1", "mov w1, #2", "mov w2, #3", "mov w3, #4"]);
calls!(
    calls_5,
    [
        "mov w0, #1",
        "mov w1, #2",
        "mov w2, #3",
        "mov w3, #4",
        "mov w4, #5"
    ]
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
    ]
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
    ]
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
    ]
);

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `bl`, `add`, `ret`.
pub fn instructions_per_call(arguments: u32) -> f64 {
    f64::from(arguments + 3) + 2.0 / 8.0
}
