//! A child that begins on another stack, and the code of the smallest program.

use core::arch::naked_asm;

/// The machine number of executable files for this architecture (EM_AARCH64 of elf.h).
pub const ELF_MACHINE: u16 = 183;

/// A whole program: exits with 64 more than the number of its arguments, which lies on top of the stack.
pub const COUNT_ARGUMENTS: &[u8] = &[
    0xe0, 0x03, 0x40, 0xf9, // ldr x0, [sp]
    0x00, 0x00, 0x01, 0x91, // add x0, x0, #64
    0xc8, 0x0b, 0x80, 0xd2, // mov x8, #94 (exit_group)
    0x01, 0x00, 0x00, 0xd4, // svc #0
];

/// Calls `clone3`; the child calls `act` with `argument` on the stack that the arguments name, the parent
/// gets the kernel's result.
///
/// # Safety
/// The arguments must be a valid `struct clone_args` with a stack that the child may use until it ends, and
/// whatever the child shares must bear it. `act` must not unwind.
#[unsafe(naked)]
pub unsafe extern "C" fn clone3_on_stack(
    _arguments: usize,
    _size: usize,
    _act: extern "C" fn(*mut libc::c_void) -> !,
    _argument: *mut libc::c_void,
) -> isize {
    naked_asm!(
        "mov x8, #435",
        "svc #0",
        "cbz x0, 2f",
        "ret",
        "2:",
        "mov x29, xzr",
        "mov x30, xzr",
        "mov x0, x3",
        "blr x2",
        "brk #0",
    )
}
