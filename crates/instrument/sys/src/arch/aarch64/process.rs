//! A child that begins on another stack, the code of the smallest program, and a write that faults.

use core::arch::{asm, naked_asm};

/// The machine number of executable files for this architecture.
pub(crate) const ELF_MACHINE: u16 = libc::EM_AARCH64;

/// A whole program: exits with 64 more than the number of its arguments, which lies on top of the stack.
pub(crate) const COUNT_ARGUMENTS: &[u8] = &[
    0xe0, 0x03, 0x40, 0xf9, // ldr x0, [sp]
    0x00, 0x00, 0x01, 0x91, // add x0, x0, #64
    0xc8, 0x0b, 0x80, 0xd2, // mov x8, #94 (exit_group)
    0x01, 0x00, 0x00, 0xd4, // svc #0
];

/// Calls `clone3`; the child calls `act` with `argument`, the parent gets the kernel's result.
///
/// # Safety
/// As for `process::create::clone3_on_stack`, with a valid `struct clone_args`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn clone3_on_stack(
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

/// Writes one byte to an address that may not be written; where to go on is in a register for the handler.
///
/// # Safety
/// The address must be that of a page of ours that may not be written, or that nobody else uses, and a handler
/// that calls [`skip_protected_write`] must be installed.
#[inline(always)]
pub(crate) unsafe fn write_protected(address: usize) {
    // SAFETY: the caller vouches for the address; the handler goes on behind the write.
    unsafe {
        asm!(
            "adr x11, 2f",
            "strb w11, [{address}]",
            "2:",
            address = in(reg) address,
            out("x11") _,
            options(nostack),
        );
    }
}

/// Lets the interrupted program go on behind the write of [`write_protected`].
///
/// # Safety
/// The context must be what the kernel gave a handler that interrupted that write.
pub(crate) unsafe fn skip_protected_write(context: *mut libc::c_void) {
    // SAFETY: the caller vouches for the context.
    let state = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext };
    state.pc = state.regs[11];
}
