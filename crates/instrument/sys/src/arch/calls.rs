//! Procedure calls: eight in a turn of a loop, made of the pieces of an architecture.
//!
//! Every function begins a cache line and has one call and one return: with more taken branches in a line, the processor
//! may find room for all of them in its fast tables or not, which differs between starts.

use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;

macro_rules! nested {
    ($name:ident, $before:expr, $call:expr, $after:expr) => {
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name(_turns: u64) -> u64 {
            naked_asm!(
                piece!(enter),
                ".p2align 6",
                "2:",
                $before,
                $call,
                $after,
                piece!(again),
                piece!(leave),
                ".rept 7",
                ".p2align 6",
                "5:",
                piece!(ran),
                piece!(keep_way_back),
                $before,
                $call,
                $after,
                piece!(restore_way_back),
                "ret",
                ".endr",
                ".p2align 6",
                "5:",
                piece!(ran),
                "ret",
            )
        }
    };
}

macro_rules! calls {
    ($($name:ident $arguments:literal),+) => {
        $(nested!($name, piece!(arguments $arguments), piece!(call "5f"), piece!(remove_arguments $arguments));)+

        /// Eight calls in each of the turns, by the number of arguments.
        pub(super) const BY_ARGUMENTS: &[(u32, unsafe extern "C" fn(u64) -> u64)] = &[$(($arguments, $name)),+];
    };
}

calls!(calls_0 0, calls_1 1, calls_2 2, calls_3 3, calls_4 4, calls_5 5, calls_6 6, calls_7 7, calls_8 8, calls_10 10);

nested!(calls_by_register, "", piece!(call_by_register), "");

// The addresses of the callees, which are a line apart each, lie in a table on the stack.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn calls_by_table(_turns: u64) -> u64 {
    naked_asm!(
        piece!(enter),
        piece!(make_table),
        ".p2align 6",
        "2:",
        piece!(call_by_table "0"),
        piece!(again),
        piece!(remove_table),
        piece!(leave),
        ".p2align 6",
        "5:",
        ".irp slot,1,2,3,4,5,6,7",
        ".p2align 6",
        piece!(ran),
        piece!(keep_way_back),
        piece!(call_by_table "\\slot"),
        piece!(restore_way_back),
        "ret",
        ".endr",
        ".p2align 6",
        piece!(ran),
        "ret",
    )
}

/// What a dynamic linker would have filled in: the address of each callee, for its stub.
static SLOTS: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

// Every callee stands a line behind its stub, the stubs two lines apart.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn calls_by_linker(_turns: u64) -> u64 {
    naked_asm!(
        piece!(enter),
        piece!(link),
        ".p2align 6",
        "2:",
        piece!(call "6f"),
        piece!(again),
        piece!(leave),
        ".irp slot,0,1,2,3,4,5,6",
        ".p2align 6",
        "6:",
        piece!(stub "\\slot"),
        ".p2align 6",
        "5:",
        piece!(ran),
        piece!(keep_way_back),
        piece!(call "6f"),
        piece!(restore_way_back),
        "ret",
        ".endr",
        ".p2align 6",
        "6:",
        piece!(stub "7"),
        ".p2align 6",
        "5:",
        piece!(ran),
        "ret",
        slots = sym SLOTS,
    )
}

// Nine branches in one cache line, which is more than a processor has room for in its fast tables.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn calls_in_one_line(_turns: u64) -> u64 {
    naked_asm!(
        piece!(enter),
        ".p2align 6",
        "2:",
        ".rept 8",
        piece!(call "5f"),
        ".endr",
        piece!(again),
        piece!(leave),
        ".p2align 6",
        "5:",
        piece!(ran),
        "ret",
    )
}

#[unsafe(naked)]
pub(super) unsafe extern "C" fn empty() -> u64 {
    naked_asm!(".p2align 6", piece!(give_one), "ret")
}
