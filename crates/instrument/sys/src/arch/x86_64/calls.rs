//! The pieces of procedure calls, as the System V calling convention has them.

use crate::arch::CallBy;

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

// RBX counts turns, RAX callees that ran, R10 is where the table begins.
macro_rules! piece {
    (enter) => {
        "push rbx\nmov rbx, rdi\nxor eax, eax"
    };
    (again) => {
        "dec rbx\njnz 2b"
    };
    (leave) => {
        "pop rbx\nret"
    };
    (ran) => {
        "inc rax"
    };
    // A call keeps the way back on the stack.
    (keep_way_back) => {
        ""
    };
    (restore_way_back) => {
        ""
    };
    (arguments $arguments:literal) => {
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
    };
    (remove_arguments $arguments:literal) => {
        concat!(".if ", $arguments, " > 6\nadd rsp, 8 * (", $arguments, " - 6)\n.endif")
    };
    (call $label:literal) => {
        concat!("call ", $label)
    };
    (call_by_register) => {
        "lea r8, [rip + 5f]\ncall r8"
    };
    (make_table) => {
        "sub rsp, 64\nmov r10, rsp\nlea rcx, [rip + 5f]\n.irp slot,0,1,2,3,4,5,6,7\n\
         mov qword ptr [r10 + 8 * \\slot], rcx\nadd rcx, 64\n.endr"
    };
    (remove_table) => {
        "add rsp, 64"
    };
    (call_by_table $slot:literal) => {
        concat!("call qword ptr [r10 + 8 * ", $slot, "]")
    };
    (link) => {
        "lea rcx, [rip + 5f]\n.irp slot,0,1,2,3,4,5,6,7\nmov qword ptr [rip + {slots} + 8 * \\slot], rcx\n\
         sub rcx, -128\n.endr"
    };
    (stub $slot:literal) => {
        concat!("jmp qword ptr [rip + {slots} + 8 * ", $slot, "]")
    };
    (give_one) => {
        "mov eax, 1"
    };
}

// A function that keeps a frame pointer, as compilers begin it where frames can be walked: gives the next number.
#[unsafe(naked)]
pub(in crate::arch) extern "C" fn probed(_number: u64) -> u64 {
    core::arch::naked_asm!(".p2align 6", "push rbp", "mov rbp, rsp", "lea rax, [rdi + 1]", "pop rbp", "ret")
}
