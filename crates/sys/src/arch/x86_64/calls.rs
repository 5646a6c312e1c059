//! Procedure calls, as the System V calling convention has them.
//!
//! Every function is alone in its cache line, with one call and one return: with more taken branches in a
//! line, the processor may find room for all of them in its fast tables or not, which differs between starts.

use crate::arch::{CallBy, SLOTS};
use core::arch::naked_asm;

/// The largest number of integer arguments that go into registers.
pub const REGISTER_ARGUMENTS: u32 = 6;

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `call`, `inc`, `ret`,
/// and for arguments on the stack the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    f64::from(arguments + 3 + u32::from(arguments > REGISTER_ARGUMENTS)) + 2.0 / 8.0
}

/// Instructions of one call by an address besides call, `inc` and `ret`: the address is loaded first, or a stub jumps.
pub(in crate::arch) fn instructions_beside(how: CallBy) -> f64 {
    match how {
        CallBy::Register | CallBy::Linker => 1.0,
        CallBy::Table | CallBy::Aliased => 0.0,
    }
}

macro_rules! nested {
    ($name:ident, [$($before:expr),*], $call:literal, [$($after:expr),*]) => {
        #[unsafe(naked)]
        pub(in crate::arch) unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                "push rbx",
                "mov rbx, rdi",
                "xor eax, eax",
                ".p2align 6",
                "2:",
                $($before,)*
                $call,
                $($after,)*
                "dec rbx",
                "jnz 2b",
                "pop rbx",
                "ret",
                ".rept 7",
                ".p2align 6",
                "5:",
                "inc rax",
                $($before,)*
                $call,
                $($after,)*
                "ret",
                ".endr",
                ".p2align 6",
                "5:",
                "inc rax",
                "ret",
            )
        }
    };
}

macro_rules! calls {
    ($($name:ident $arguments:literal),+) => {$(
        nested!(
            $name,
            [
                concat!(
                    argument!(1, $arguments, "mov edi, 1"),
                    argument!(2, $arguments, "mov esi, 2"),
                    argument!(3, $arguments, "mov edx, 3"),
                    argument!(4, $arguments, "mov ecx, 4"),
                    argument!(5, $arguments, "mov r8d, 5"),
                    argument!(6, $arguments, "mov r9d, 6"),
                    argument!(10, $arguments, "push 10"),
                    argument!(9, $arguments, "push 9"),
                    argument!(8, $arguments, "push 8"),
                    argument!(7, $arguments, "push 7"),
                )
            ],
            "call 5f",
            [concat!(".if ", $arguments, " > 6\nadd rsp, 8 * (", $arguments, " - 6)\n.endif")]
        );
    )+};
}

calls!(calls_0 0, calls_1 1, calls_2 2, calls_3 3, calls_4 4, calls_5 5, calls_6 6, calls_7 7, calls_8 8, calls_10 10);

nested!(calls_by_register, ["lea r8, [rip + 5f]"], "call r8", []);

// The addresses of the callees, which are a line apart each, lie in a table on the stack.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_by_table(_turns: u64) -> u64 {
    naked_asm!(
        "push rbx",
        "sub rsp, 64",
        "mov rbx, rdi",
        "mov r10, rsp",
        "lea rcx, [rip + 5f]",
        ".irp slot,0,1,2,3,4,5,6,7",
        "mov qword ptr [r10 + 8 * \\slot], rcx",
        "add rcx, 64",
        ".endr",
        "xor eax, eax",
        ".p2align 6",
        "2:",
        "call qword ptr [r10]",
        "dec rbx",
        "jnz 2b",
        "add rsp, 64",
        "pop rbx",
        "ret",
        ".p2align 6",
        "5:",
        ".irp slot,1,2,3,4,5,6,7",
        ".p2align 6",
        "inc rax",
        "call qword ptr [r10 + 8 * \\slot]",
        "ret",
        ".endr",
        ".p2align 6",
        "inc rax",
        "ret",
    )
}

// Every callee stands a line behind its stub, the stubs two lines apart.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_by_linker(_turns: u64) -> u64 {
    naked_asm!(
        "push rbx",
        "mov rbx, rdi",
        "lea rcx, [rip + 5f]",
        ".irp slot,0,1,2,3,4,5,6,7",
        "mov qword ptr [rip + {slots} + 8 * \\slot], rcx",
        "sub rcx, -128",
        ".endr",
        "xor eax, eax",
        ".p2align 6",
        "2:",
        "call 6f",
        "dec rbx",
        "jnz 2b",
        "pop rbx",
        "ret",
        ".irp slot,0,1,2,3,4,5,6",
        ".p2align 6",
        "6:",
        "jmp qword ptr [rip + {slots} + 8 * \\slot]",
        ".p2align 6",
        "5:",
        "inc rax",
        "call 6f",
        "ret",
        ".endr",
        ".p2align 6",
        "6:",
        "jmp qword ptr [rip + {slots} + 8 * 7]",
        ".p2align 6",
        "5:",
        "inc rax",
        "ret",
        slots = sym SLOTS,
    )
}

// Nine branches in one cache line, which is more than a processor has room for in its fast tables.
#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn calls_in_one_line(_turns: u64) -> u64 {
    naked_asm!(
        "push rbx",
        "mov rbx, rdi",
        "xor eax, eax",
        ".p2align 6",
        "2:",
        ".rept 8",
        "call 5f",
        ".endr",
        "dec rbx",
        "jnz 2b",
        "pop rbx",
        "ret",
        ".p2align 6",
        "5:",
        "inc rax",
        "ret",
    )
}

#[unsafe(naked)]
pub(in crate::arch) unsafe extern "C" fn empty() -> u64 {
    naked_asm!(".p2align 6", "mov eax, 1", "ret")
}
