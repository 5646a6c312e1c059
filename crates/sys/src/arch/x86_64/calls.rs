//! Procedure calls with 0 to 8 arguments, as the System V calling convention has them.

use core::arch::naked_asm;

/// Makes `turns` × 8 calls with this many arguments (at most 8; the seventh and eighth on the stack) and
/// gives the number of times the callee ran.
pub fn calls(arguments: u32, turns: u64) -> u64 {
    let turns = turns.max(1);
    // SAFETY: the sequences keep callee-saved registers and leave the stack as they found it.
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

macro_rules! calls {
    ($name:ident, [$($before:literal),*], [$($after:literal),*]) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                "push rbx",
                "mov rbx, rdi",
                "xor eax, eax",
                ".p2align 6",
                "2:",
                ".rept 8",
                $($before,)*
                "call 5f",
                $($after,)*
                ".endr",
                "dec rbx",
                "jnz 2b",
                "pop rbx",
                "ret",
                ".p2align 6",
                "5:",
                "inc rax",
                "ret",
            )
        }
    };
}

calls!(calls_0, [], []);
calls!(calls_1, ["mov edi, 1"], []);
calls!(calls_2, ["mov edi, 1", "mov esi, 2"], []);
calls!(calls_3, ["mov edi, 1", "mov esi, 2", "mov edx, 3"], []);
calls!(
    calls_4,
    ["mov edi, 1", "mov esi, 2", "mov edx, 3", "mov ecx, 4"],
    []
);
calls!(
    calls_5,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5"
    ],
    []
);
calls!(
    calls_6,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6"
    ],
    []
);
calls!(
    calls_7,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6",
        "push 7"
    ],
    ["add rsp, 8"]
);
calls!(
    calls_8,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6",
        "push 8",
        "push 7"
    ],
    ["add rsp, 16"]
);

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `call`, `inc`, `ret`,
/// and for arguments on the stack the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    f64::from(arguments + 3 + u32::from(arguments > 6)) + 2.0 / 8.0
}
