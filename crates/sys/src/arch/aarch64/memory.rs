//! Loads and stores that are timed on AArch64.

use core::arch::naked_asm;

/// Follows `turns` × [`CHASE_LOADS`](super::CHASE_LOADS) links, each the address of the next; gives the last address.
///
/// # Safety
/// `start` must be the address of a link, and every link the address of another.
#[unsafe(naked)]
pub unsafe extern "C" fn chase(_start: *const u8, _turns: u64) -> *const u8 {
    naked_asm!(
        "cbz x1, 3f",
        ".p2align 6",
        "2:",
        ".rept 64",
        "ldr x0, [x0]",
        ".endr",
        "subs x1, x1, #1",
        "b.ne 2b",
        "3:",
        "ret",
    )
}
