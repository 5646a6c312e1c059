//! The pieces of procedure calls, as the procedure call standard for AArch64 has them.

use crate::arch::CallBy;

/// The largest number of integer arguments that go into registers.
pub const REGISTER_ARGUMENTS: u32 = 8;

/// Instructions with which seven of eight callees keep their own way back, per call.
const WAY_BACK: f64 = 2.0 * 7.0 / 8.0;

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `bl`, `add`, `ret`, the
/// way back, and for arguments on the stack the store and the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    let on_stack = if arguments > REGISTER_ARGUMENTS { 2.0 } else { 0.0 };
    f64::from(arguments + 3) + on_stack + WAY_BACK + 2.0 / 8.0
}

/// Instructions of one call by an address besides `bl`, `add` and `ret`: the address is loaded first, or a stub of four
/// instructions jumps.
pub(in crate::arch) fn instructions_beside(how: CallBy) -> f64 {
    match how {
        CallBy::Register | CallBy::Table => 1.0 + WAY_BACK,
        CallBy::Linker => 4.0 + WAY_BACK,
        CallBy::Aliased => 0.0,
    }
}

// X10 counts turns, X9 callees that ran, X11 is the way back to the caller, X13 where the table begins. The callees are
// known to touch X9 only, so the caller's own state may stay in caller-saved registers. X16 and X17 are the linker's.
macro_rules! piece {
    (enter) => {
        "mov x10, x0\nmov x11, x30\nmov x9, #0"
    };
    (again) => {
        "subs x10, x10, #1\nb.ne 2b"
    };
    (leave) => {
        "mov x30, x11\nmov x0, x9\nret"
    };
    (ran) => {
        "add x9, x9, #1"
    };
    (keep_way_back) => {
        "str x30, [sp, #-16]!"
    };
    (restore_way_back) => {
        "ldr x30, [sp], #16"
    };
    (arguments $arguments:literal) => {
        concat!(
            argument!(1, $arguments, "mov w0, #1"),
            argument!(2, $arguments, "mov w1, #2"),
            argument!(3, $arguments, "mov w2, #3"),
            argument!(4, $arguments, "mov w3, #4"),
            argument!(5, $arguments, "mov w4, #5"),
            argument!(6, $arguments, "mov w5, #6"),
            argument!(7, $arguments, "mov w6, #7"),
            argument!(8, $arguments, "mov w7, #8"),
            argument!(10, $arguments, "mov w14, #9\nmov w15, #10\nstp x14, x15, [sp, #-16]!"),
        )
    };
    (remove_arguments $arguments:literal) => {
        argument!(10, $arguments, "add sp, sp, #16")
    };
    (call $label:literal) => {
        concat!("bl ", $label)
    };
    (call_by_register) => {
        "adr x12, 5f\nblr x12"
    };
    (make_table) => {
        "sub sp, sp, #64\nmov x13, sp\nadr x12, 5f\n.irp slot,0,1,2,3,4,5,6,7\n\
         str x12, [x13, #8 * \\slot]\nadd x12, x12, #64\n.endr"
    };
    (remove_table) => {
        "add sp, sp, #64"
    };
    (call_by_table $slot:literal) => {
        concat!("ldr x12, [x13, #8 * ", $slot, "]\nblr x12")
    };
    (link) => {
        "adr x12, 5f\nadrp x13, {slots}\nadd x13, x13, :lo12:{slots}\n.irp slot,0,1,2,3,4,5,6,7\n\
         str x12, [x13, #8 * \\slot]\nadd x12, x12, #128\n.endr"
    };
    (stub $slot:literal) => {
        concat!(
            "adrp x16, {slots} + 8 * ",
            $slot,
            "\nldr x17, [x16, :lo12:{slots} + 8 * ",
            $slot,
            "]\nadd x16, x16, :lo12:{slots} + 8 * ",
            $slot,
            "\nbr x17"
        )
    };
    (give_one) => {
        "mov x0, #1"
    };
}

// A function that keeps a frame pointer, as compilers begin it where frames can be walked: gives the next number.
#[unsafe(naked)]
pub(in crate::arch) extern "C" fn probed(_number: u64) -> u64 {
    core::arch::naked_asm!(
        ".p2align 6",
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        "add x0, x0, #1",
        "ldp x29, x30, [sp], #16",
        "ret"
    )
}
