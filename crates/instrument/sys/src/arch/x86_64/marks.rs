//! Instructions without effect that a plugin of QEMU recognises by their bytes: no compiler makes these displacements.

use core::arch::asm;

/// Begins a counted window: `nopl 0x5cc0be01(%rax)`.
#[inline(always)]
pub fn begin() {
    // SAFETY: the instruction does nothing. It is a barrier for the compiler, so that work stays inside the window.
    unsafe { asm!(".byte 0x0f, 0x1f, 0x80, 0x01, 0xbe, 0xc0, 0x5c", options(nostack, preserves_flags)) }
}

/// Ends a counted window: `nopl 0x5cc0be02(%rax)`.
#[inline(always)]
pub fn end() {
    // SAFETY: as in `begin`.
    unsafe { asm!(".byte 0x0f, 0x1f, 0x80, 0x02, 0xbe, 0xc0, 0x5c", options(nostack, preserves_flags)) }
}

/// Passes the lowest byte of an address to the plugin: a load from it, `movzbl 0x5cc0be03(%rdi), %eax`.
#[inline(always)]
pub fn pass(byte: &u8) {
    let base = (std::ptr::from_ref(byte) as u64).wrapping_sub(0x5cc0_be03);
    // SAFETY: the address is that of a byte that the caller may read.
    unsafe {
        asm!(
            ".byte 0x0f, 0xb6, 0x87, 0x03, 0xbe, 0xc0, 0x5c",
            in("rdi") base, out("eax") _, options(nostack, preserves_flags, readonly)
        );
    }
}
