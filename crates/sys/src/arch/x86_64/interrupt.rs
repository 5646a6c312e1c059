//! The older way into the kernel: `int 0x80`, which speaks the numbers and the pointers of 32-bit programs.

use core::arch::asm;

/// Whether this architecture has a second way into the kernel.
pub const HAS_INTERRUPT_ENTRY: bool = true;

/// The number of `getppid` in 32-bit programs.
pub const INTERRUPT_GETPPID: usize = 64;

/// The number of `getcwd` in 32-bit programs.
pub const INTERRUPT_GETCWD: usize = 183;

/// A system call with up to two arguments by `int 0x80`; the kernel's own result, negative for an error. Where the
/// kernel has no such entry, the instruction causes a protection fault.
///
/// # Safety
/// The arguments must be right for the call; the kernel takes 32 bits of each.
#[inline(always)]
pub unsafe fn interrupt_call(number: usize, arguments: [usize; 2]) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the arguments. RBX belongs to the compiler, so it is exchanged and put back;
    // kernels before 4.17 clear R8 to R11.
    unsafe {
        asm!(
            "xchg rbx, {first}",
            "int 0x80",
            "xchg rbx, {first}",
            first = inout(reg) arguments[0] => _,
            inlateout("rax") number as isize => result,
            in("rcx") arguments[1],
            in("rdx") 0,
            in("rsi") 0,
            in("rdi") 0,
            lateout("r8") _,
            lateout("r9") _,
            lateout("r10") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}
