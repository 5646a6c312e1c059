//! A child that begins on another stack, and the code of the smallest program.

use core::arch::naked_asm;

/// The machine number of executable files for this architecture (EM_X86_64 of elf.h).
pub const ELF_MACHINE: u16 = 62;

/// A whole program: exits with 64 more than the number of its arguments, which lies on top of the stack.
pub const COUNT_ARGUMENTS: &[u8] = &[
    0x8b, 0x3c, 0x24, // mov edi, [rsp]
    0x83, 0xc7, 0x40, // add edi, 64
    0xb8, 0xe7, 0x00, 0x00, 0x00, // mov eax, 231 (exit_group)
    0x0f, 0x05, // syscall
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
