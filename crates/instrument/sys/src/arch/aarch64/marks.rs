//! Instructions without effect that a plugin of QEMU recognises by their bytes: no compiler makes these hints.

use core::arch::asm;

/// Begins a counted window.
#[inline(always)]
pub fn begin() {
    // SAFETY: a hint that no processor knows does nothing. It is a barrier for the compiler, so that work stays inside the window.
    unsafe { asm!("hint #0x71", options(nostack, preserves_flags)) }
}

/// Ends a counted window.
#[inline(always)]
pub fn end() {
    // SAFETY: as in `begin`.
    unsafe { asm!("hint #0x72", options(nostack, preserves_flags)) }
}

/// Passes the lowest byte of an address to the plugin: a load from it whose value is dropped.
#[inline(always)]
pub fn pass(byte: &u8) {
    // SAFETY: the address is that of a byte that the caller may read.
    unsafe {
        asm!("ldrb wzr, [x9, x10]", in("x9") std::ptr::from_ref(byte), in("x10") 0_u64,
             options(nostack, preserves_flags, readonly));
    }
}
