//! Loops over memory that are timed on AArch64: loads, stores and copies of every width.

use crate::bandwidth::{Action, Kernel, Method, Run, Walk};
use core::arch::naked_asm;

/// Instructions of a pass besides those of its turns.
const PASS: u32 = 8;

/// The method that moves the most bytes with an instruction: pairs of 16 bytes.
pub(crate) fn widest() -> Method {
    Method::Vector128
}

/// The loop for an action by a method; `None` where there is none.
pub(crate) fn kernel(action: Action, method: Method) -> Option<Kernel> {
    use Action::{Add, Copy, Read, Scale, Triad, Update, Write};
    use Method::{Loop, NonTemporal, Unrolled, Vector128};
    // Bytes, loads, stores (a pair of registers is one) and instructions of a turn, those of the loop included.
    let (run, [turn, loads, stores, instructions]): (Run, [u32; 4]) = match (action, method) {
        (Read, Loop) => (read_loop, [8, 1, 0, 4]),
        (Read, Unrolled) => (read_unrolled, [64, 8, 0, 19]),
        (Read, Vector128) => (read_128, [128, 4, 0, 15]),
        (Write, Loop) => (write_loop, [8, 0, 1, 4]),
        (Write, Unrolled) => (write_unrolled, [64, 0, 8, 11]),
        (Write, Vector128) => (write_128, [128, 0, 4, 7]),
        (Write, NonTemporal) => (write_128_nontemporal, [128, 0, 4, 7]),
        (Copy, Loop) => (copy_loop, [8, 1, 1, 6]),
        (Copy, Unrolled) => (copy_unrolled, [64, 8, 8, 20]),
        (Copy, Vector128) => (copy_128, [128, 4, 4, 12]),
        (Copy, NonTemporal) => (copy_128_nontemporal, [128, 4, 4, 12]),
        (Scale, Vector128) => (scale_128, [128, 4, 4, 20]),
        (Scale, NonTemporal) => (scale_128_nontemporal, [128, 4, 4, 20]),
        (Add, Vector128) => (add_128, [128, 8, 4, 25]),
        (Add, NonTemporal) => (add_128_nontemporal, [128, 8, 4, 25]),
        (Triad, Vector128) => (triad_128, [128, 8, 4, 33]),
        (Triad, NonTemporal) => (triad_128_nontemporal, [128, 8, 4, 33]),
        (Update, Vector128) => (update_128, [128, 4, 4, 19]),
        _ => return None,
    };
    Some(Kernel { run, turn, loads, stores, instructions, pass: PASS })
}

/// The same: every loop here is of instructions that every AArch64 has.
pub(crate) fn described_kernel(action: Action, method: Method) -> Option<Kernel> {
    kernel(action, method)
}

// X1 goes through the source, X2 through the target, X10 and X11 are where this pass began, X3 counts turns, X4
// passes, X5 is the way from one pass to the next, X6 the word; X7 the sum.
macro_rules! walk {
    ($name:ident: $($start:expr),*; $($body:expr),+; $($end:expr),*) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_walk: *const Walk) -> u64 {
            naked_asm!(
                "ldp x11, x10, [x0]",
                "ldr x4, [x0, #24]",
                "ldp x5, x6, [x0, #32]",
                "mov x7, #0",
                $($start,)*
                "b 3f",
                ".p2align 6",
                "2:",
                $($body,)+
                "subs x3, x3, #1",
                "b.ne 2b",
                "subs x4, x4, #1",
                "b.eq 4f",
                "add x10, x10, x5",
                "add x11, x11, x5",
                "3:",
                "mov x1, x10",
                "mov x2, x11",
                "ldr x3, [x0, #16]",
                "b 2b",
                "4:",
                $($end,)*
                "mov x0, x7",
                "ret",
            )
        }
    };
}

walk! { read_loop: ; "ldr x8, [x1], #8", "add x7, x7, x8"; }
walk! { write_loop: ; "str x6, [x2]", "add x2, x2, #8"; }
walk! { copy_loop: ; "ldr x8, [x1]", "str x8, [x2]", "add x1, x1, #8", "add x2, x2, #8"; }
walk! {
    read_unrolled:
    "mov x12, #0";
    ".irp offset,0,16,32,48", "ldr x8, [x1, #\\offset]", "ldr x9, [x1, #\\offset + 8]",
    "add x7, x7, x8", "add x12, x12, x9", ".endr", "add x1, x1, #64";
    "add x7, x7, x12"
}
walk! {
    write_unrolled: ;
    ".irp offset,0,8,16,24,32,40,48,56", "str x6, [x2, #\\offset]", ".endr", "add x2, x2, #64";
}
walk! {
    copy_unrolled: ;
    ".irp offset,0,8,16,24,32,40,48,56", "ldr x8, [x1, #\\offset]", "str x8, [x2, #\\offset]", ".endr",
    "add x1, x1, #64", "add x2, x2, #64";
}
walk! {
    read_128:
    "movi v16.2d, #0", "movi v17.2d, #0", "movi v18.2d, #0", "movi v19.2d, #0";
    "ldp q0, q1, [x1]", "ldp q2, q3, [x1, #32]", "ldp q4, q5, [x1, #64]", "ldp q6, q7, [x1, #96]",
    "add v16.2d, v16.2d, v0.2d", "add v17.2d, v17.2d, v1.2d",
    "add v18.2d, v18.2d, v2.2d", "add v19.2d, v19.2d, v3.2d",
    "add v16.2d, v16.2d, v4.2d", "add v17.2d, v17.2d, v5.2d",
    "add v18.2d, v18.2d, v6.2d", "add v19.2d, v19.2d, v7.2d",
    "add x1, x1, #128";
    "add v16.2d, v16.2d, v17.2d", "add v18.2d, v18.2d, v19.2d", "add v16.2d, v16.2d, v18.2d",
    "addp d16, v16.2d", "fmov x7, d16"
}
macro_rules! stores {
    ($name:ident, $pair:literal, $end:literal) => {
        walk! {
            $name:
            "dup v0.2d, x6";
            ".irp offset,0,32,64,96", concat!($pair, " q0, q0, [x2, #\\offset]"), ".endr", "add x2, x2, #128";
            $end
        }
    };
}
stores!(write_128, "stp", "");
stores!(write_128_nontemporal, "stnp", "dmb ishst");
macro_rules! copies {
    ($name:ident, $load:literal, $store:literal, $end:literal) => {
        walk! {
            $name: ;
            concat!($load, " q0, q1, [x1]"), concat!($load, " q2, q3, [x1, #32]"),
            concat!($load, " q4, q5, [x1, #64]"), concat!($load, " q6, q7, [x1, #96]"),
            concat!($store, " q0, q1, [x2]"), concat!($store, " q2, q3, [x2, #32]"),
            concat!($store, " q4, q5, [x2, #64]"), concat!($store, " q6, q7, [x2, #96]"),
            "add x1, x1, #128", "add x2, x2, #128";
            $end
        }
    };
}
copies!(copy_128, "ldp", "stp", "");
copies!(copy_128_nontemporal, "ldnp", "stnp", "dmb ishst");

// Eight registers at a time; V16 holds the constant, X13 the way from the first source to the second.
macro_rules! streams {
    ($name:ident, $store:literal, $end:literal: $($work:literal),+) => {
        walk! {
            $name:
            "dup v16.2d, x6", "ldr x13, [x0, #48]";
            $($work,)+
            concat!($store, " q0, q1, [x2]"), concat!($store, " q2, q3, [x2, #32]"),
            concat!($store, " q4, q5, [x2, #64]"), concat!($store, " q6, q7, [x2, #96]"),
            "add x1, x1, #128", "add x2, x2, #128";
            $end
        }
    };
}
macro_rules! stream_pair {
    ($plain:ident, $nontemporal:ident: $($work:literal),+) => {
        streams!($plain, "stp", "": $($work),+);
        streams!($nontemporal, "stnp", "dmb ishst": $($work),+);
    };
}
stream_pair! {
    scale_128, scale_128_nontemporal:
    "ldp q0, q1, [x1]\nldp q2, q3, [x1, #32]\nldp q4, q5, [x1, #64]\nldp q6, q7, [x1, #96]",
    ".irp n,0,1,2,3,4,5,6,7\nfmul v\\n\\().2d, v\\n\\().2d, v16.2d\n.endr"
}
stream_pair! {
    add_128, add_128_nontemporal:
    "add x14, x1, x13",
    "ldp q0, q1, [x1]\nldp q2, q3, [x1, #32]\nldp q4, q5, [x1, #64]\nldp q6, q7, [x1, #96]",
    "ldp q17, q18, [x14]\nldp q19, q20, [x14, #32]\nldp q21, q22, [x14, #64]\nldp q23, q24, [x14, #96]",
    "fadd v0.2d, v0.2d, v17.2d\nfadd v1.2d, v1.2d, v18.2d\nfadd v2.2d, v2.2d, v19.2d\nfadd v3.2d, v3.2d, v20.2d",
    "fadd v4.2d, v4.2d, v21.2d\nfadd v5.2d, v5.2d, v22.2d\nfadd v6.2d, v6.2d, v23.2d\nfadd v7.2d, v7.2d, v24.2d"
}
stream_pair! {
    triad_128, triad_128_nontemporal:
    "add x14, x1, x13",
    "ldp q0, q1, [x1]\nldp q2, q3, [x1, #32]\nldp q4, q5, [x1, #64]\nldp q6, q7, [x1, #96]",
    "ldp q17, q18, [x14]\nldp q19, q20, [x14, #32]\nldp q21, q22, [x14, #64]\nldp q23, q24, [x14, #96]",
    ".irp n,17,18,19,20,21,22,23,24\nfmul v\\n\\().2d, v\\n\\().2d, v16.2d\n.endr",
    "fadd v0.2d, v0.2d, v17.2d\nfadd v1.2d, v1.2d, v18.2d\nfadd v2.2d, v2.2d, v19.2d\nfadd v3.2d, v3.2d, v20.2d",
    "fadd v4.2d, v4.2d, v21.2d\nfadd v5.2d, v5.2d, v22.2d\nfadd v6.2d, v6.2d, v23.2d\nfadd v7.2d, v7.2d, v24.2d"
}
walk! {
    update_128:
    "dup v16.2d, x6";
    "ldp q0, q1, [x2]\nldp q2, q3, [x2, #32]\nldp q4, q5, [x2, #64]\nldp q6, q7, [x2, #96]",
    ".irp n,0,1,2,3,4,5,6,7\nadd v\\n\\().2d, v\\n\\().2d, v16.2d\n.endr",
    "stp q0, q1, [x2]\nstp q2, q3, [x2, #32]\nstp q4, q5, [x2, #64]\nstp q6, q7, [x2, #96]",
    "add x2, x2, #128";
}
