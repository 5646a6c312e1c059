//! Procedure calls, as the System V calling convention has them.
//!
//! Every function is alone in its cache line, with one call and one return: with more taken branches in a
//! line, the processor may find room for all of them in its fast tables or not, by the luck of each start.

use crate::arch::CallBy;
use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;

/// The largest number of integer arguments that go into registers.
pub const REGISTER_ARGUMENTS: u32 = 6;

/// Makes `turns` × 8 nested direct calls with this many arguments, one of `ARGUMENTS`, those behind the sixth
/// on the stack; gives the number of times that a callee ran. `None` for other numbers of arguments.
pub fn calls(arguments: u32, turns: u64) -> Option<u64> {
    let calls = match arguments {
        0 => calls_0,
        1 => calls_1,
        2 => calls_2,
        3 => calls_3,
        4 => calls_4,
        5 => calls_5,
        6 => calls_6,
        7 => calls_7,
        8 => calls_8,
        10 => calls_10,
        _ => return None,
    };
    // SAFETY: the sequences keep callee-saved registers and leave the stack as they found it.
    Some(unsafe { calls(turns.max(1)) })
}

/// The same without arguments, the callee found in another way.
pub fn calls_by(how: CallBy, turns: u64) -> u64 {
    let turns = turns.max(1);
    // SAFETY: as above; all that write to the slots write the same addresses.
    unsafe {
        match how {
            CallBy::Register => calls_by_register(turns),
            CallBy::Table => calls_by_table(turns),
            CallBy::Linker => calls_by_linker(turns),
            CallBy::Crowded => calls_in_one_line(turns),
        }
    }
}

/// Instructions of one call in [`calls`], its share of the loop included: the moves, `call`, `inc`, `ret`,
/// and for arguments on the stack the addition that removes them.
pub fn instructions_per_call(arguments: u32) -> f64 {
    f64::from(arguments + 3 + u32::from(arguments > REGISTER_ARGUMENTS)) + 2.0 / 8.0
}

/// The same for [`calls_by`]: the address is loaded first, or a stub jumps.
pub fn instructions_per_call_by(how: CallBy) -> f64 {
    let more = match how {
        CallBy::Register | CallBy::Linker => 1.0,
        CallBy::Table | CallBy::Crowded => 0.0,
    };
    3.0 + more + 2.0 / 8.0
}

macro_rules! nested {
    ($name:ident, [$($before:literal),*], $call:literal, [$($after:literal),*]) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_turns: u64) -> u64 {
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
    ($name:ident, [$($before:literal),*], [$($after:literal),*]) => {
        nested!($name, [$($before),*], "call 5f", [$($after),*]);
    };
}

nested!(calls_by_register, ["lea r8, [rip + 5f]"], "call r8", []);

// The addresses of the callees, which are a line apart each, lie in a table on the stack.
#[unsafe(naked)]
unsafe extern "C" fn calls_by_table(_turns: u64) -> u64 {
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

/// What a dynamic linker would have filled in: the address of each callee, for its stub.
static SLOTS: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

// Every callee stands a line behind its stub, the stubs two lines apart.
#[unsafe(naked)]
unsafe extern "C" fn calls_by_linker(_turns: u64) -> u64 {
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
unsafe extern "C" fn calls_in_one_line(_turns: u64) -> u64 {
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

calls!(calls_0, [], []);
calls!(calls_1, ["mov edi, 1"], []);
calls!(calls_2, ["mov edi, 1", "mov esi, 2"], []);
calls!(calls_3, ["mov edi, 1", "mov esi, 2", "mov edx, 3"], []);
calls!(
    calls_4,
    ["mov edi, 1", "mov esi, 2", "mov edx, 3", "mov ecx, 4"],
    []
);
calls!(
    calls_5,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5"
    ],
    []
);
calls!(
    calls_6,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6"
    ],
    []
);
calls!(
    calls_7,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6",
        "push 7"
    ],
    ["add rsp, 8"]
);
calls!(
    calls_8,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6",
        "push 8",
        "push 7"
    ],
    ["add rsp, 16"]
);
calls!(
    calls_10,
    [
        "mov edi, 1",
        "mov esi, 2",
        "mov edx, 3",
        "mov ecx, 4",
        "mov r8d, 5",
        "mov r9d, 6",
        "push 10",
        "push 9",
        "push 8",
        "push 7"
    ],
    ["add rsp, 32"]
);

/// A procedure that does nothing but give 1.
pub fn empty_procedure() -> u64 {
    // SAFETY: the sequence touches its result only.
    unsafe { empty() }
}

#[unsafe(naked)]
unsafe extern "C" fn empty() -> u64 {
    naked_asm!(".p2align 6", "mov eax, 1", "ret")
}
