//! A write that faults and is skipped by the handler of the fault.

use core::arch::asm;

/// Writes one byte to an address that may not be written; where to go on is in a register for the handler.
///
/// # Safety
/// The address must be that of a page of ours that may not be written, or that nobody else uses, and a handler
/// that calls [`skip_protected_write`] must be installed.
#[inline(always)]
pub unsafe fn write_protected(address: usize) {
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
pub unsafe fn skip_protected_write(context: *mut libc::c_void) {
    // SAFETY: the caller vouches for the context.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    registers[libc::REG_RIP as usize] = registers[libc::REG_R11 as usize];
}
