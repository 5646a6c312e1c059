//! A child that begins on another stack, the code of the smallest program, and a write that faults.

use core::arch::{asm, naked_asm};

/// The machine number of executable files for this architecture.
pub(crate) const ELF_MACHINE: u16 = libc::EM_X86_64;

/// A whole program: exits with 64 more than the number of its arguments, which lies on top of the stack.
pub(crate) const COUNT_ARGUMENTS: &[u8] = &[
    0x8b, 0x3c, 0x24, // mov edi, [rsp]
    0x83, 0xc7, 0x40, // add edi, 64
    0xb8, 0xe7, 0x00, 0x00, 0x00, // mov eax, 231 (exit_group)
    0x0f, 0x05, // syscall
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
        "mov r8, rcx",
        "mov eax, 435",
        "syscall",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "xor ebp, ebp",
        "mov rdi, r8",
        "call rdx",
        "ud2",
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
            "lea r11, [rip + 2f]",
            "mov byte ptr [{address}], 1",
            "2:",
            address = in(reg) address,
            out("r11") _,
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
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    registers[libc::REG_RIP as usize] = registers[libc::REG_R11 as usize];
}
