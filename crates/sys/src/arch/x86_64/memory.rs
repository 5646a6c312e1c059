//! Loads and stores that are timed on x86-64.

use core::arch::naked_asm;

/// Follows `turns` × [`CHASE_LOADS`](super::CHASE_LOADS) links, each the address of the next; gives the last address.
///
/// # Safety
/// `start` must be the address of a link, and every link the address of another.
#[unsafe(naked)]
pub unsafe extern "C" fn chase(_start: *const u8, _turns: u64) -> *const u8 {
    naked_asm!(
        "mov rax, rdi",
        "test rsi, rsi",
        "jz 3f",
        ".p2align 6",
        "2:",
        ".rept 64",
        "mov rax, qword ptr [rax]",
        ".endr",
        "dec rsi",
        "jnz 2b",
        "3:",
        "ret",
    )
}
