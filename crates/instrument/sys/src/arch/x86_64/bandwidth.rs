//! Loops over memory that are timed on x86-64: loads, stores and copies of every width.
//!
//! Each does `passes` passes of `turns` turns. The pass's own instructions stand behind the turns, so that the
//! loop begins at a multiple of 64 bytes without padding on the way.

use crate::bandwidth::{Action, Kernel, Method, Run, Walk};
use core::arch::naked_asm;
use core::arch::x86_64::__cpuid;
use std::arch::is_x86_feature_detected;

/// Instructions of a pass besides those of its turns, and the three that find the streams.
const PASS: u32 = 8;
const FIND_STREAMS: u32 = 3;

/// The method that moves the most bytes with an instruction.
pub(crate) fn widest() -> Method {
    if is_x86_feature_detected!("avx512f") {
        Method::Vector512
    } else if is_x86_feature_detected!("avx2") {
        Method::Vector256
    } else {
        Method::Vector128
    }
}

/// The instructions a loop may need beyond those of every x86-64.
#[derive(Clone, Copy)]
struct Extensions {
    avx2: bool,
    avx512f: bool,
    clzero: bool,
}

impl Extensions {
    const ALL: Self = Self { avx2: true, avx512f: true, clzero: true };

    /// Those of this processor (CLZERO: CPUID 0x8000_0008, EBX bit 0).
    fn detected() -> Self {
        Self {
            avx2: is_x86_feature_detected!("avx2"),
            avx512f: is_x86_feature_detected!("avx512f"),
            clzero: __cpuid(0x8000_0000).eax >= 0x8000_0008 && __cpuid(0x8000_0008).ebx & 1 != 0,
        }
    }
}

/// The loop for an action by a method; `None` where there is none or the processor lacks the instructions.
pub(crate) fn kernel(action: Action, method: Method) -> Option<Kernel> {
    kernel_for(action, method, Extensions::detected())
}

/// The loop on this processor or, where it lacks the instructions, on one that has them all: for what is said of a
/// point that is skipped here, and must not be run.
pub(crate) fn described_kernel(action: Action, method: Method) -> Option<Kernel> {
    kernel(action, method).or_else(|| kernel_for(action, method, Extensions::ALL))
}

fn kernel_for(action: Action, method: Method, extensions: Extensions) -> Option<Kernel> {
    use Action::{Copy, Fill, Read, Write};
    use Method::{
        Loop, NonTemporal, NonTemporalPrefetch, Prefetch, Streams, StreamsPrefetch, String, Unrolled,
        Vector128, Vector256, Vector512, ZeroLine,
    };
    let Extensions { avx2: middle, avx512f: wide, clzero } = extensions;
    // Bytes, loads, stores and instructions of a turn, those of the loop included.
    let (run, [turn, loads, stores, instructions]): (Run, [u32; 4]) = match (action, method) {
        (Read, Loop) => (read_loop, [8, 1, 0, 4]),
        (Read, Unrolled) => (read_unrolled, [512, 64, 0, 67]),
        (Read, Vector128) => (read_128, [512, 32, 0, 35]),
        (Read, Vector256) if middle => (read_256, [512, 16, 0, 19]),
        (Read, Vector512) if wide => (read_512, [512, 8, 0, 11]),
        (Read, Prefetch) if wide => (read_512_prefetch, [512, 8, 0, 19]),
        (Read, Prefetch) if middle => (read_256_prefetch, [512, 16, 0, 27]),
        (Read, Streams) if wide => (read_512_streams, [512, 8, 0, 11]),
        (Read, Streams) if middle => (read_256_streams, [512, 16, 0, 19]),
        (Read, StreamsPrefetch) if wide => (read_512_streams_prefetch, [512, 8, 0, 19]),
        (Read, StreamsPrefetch) if middle => (read_256_streams_prefetch, [512, 16, 0, 27]),
        (Write, Loop) => (write_loop, [8, 0, 1, 4]),
        (Write, Unrolled) => (write_unrolled, [512, 0, 64, 67]),
        (Write, Vector128) => (write_128, [512, 0, 32, 35]),
        (Write, Vector256) if middle => (write_256, [512, 0, 16, 19]),
        (Write, Vector512) if wide => (write_512, [512, 0, 8, 11]),
        (Write, NonTemporal) if wide => (write_512_nontemporal, [512, 0, 8, 11]),
        (Write, NonTemporal) if middle => (write_256_nontemporal, [512, 0, 16, 19]),
        (Write, NonTemporal) => (write_128_nontemporal, [512, 0, 32, 35]),
        // Stepped through, a string instruction stops at every byte.
        (Fill, String) => (fill_string, [1, 0, 1, 1]),
        (Fill, ZeroLine) if clzero => (fill_clzero, [64, 0, 1, 4]),
        (Copy, Loop) => (copy_loop, [8, 1, 1, 6]),
        (Copy, Unrolled) => (copy_unrolled, [512, 64, 64, 132]),
        (Copy, Vector128) => (copy_128, [512, 32, 32, 68]),
        (Copy, Vector256) if middle => (copy_256, [512, 16, 16, 36]),
        (Copy, Vector512) if wide => (copy_512, [512, 8, 8, 20]),
        (Copy, NonTemporal) if wide => (copy_512_nontemporal, [512, 8, 8, 20]),
        (Copy, NonTemporal) if middle => (copy_256_nontemporal, [512, 16, 16, 36]),
        (Copy, NonTemporalPrefetch) if wide => (copy_512_prefetch, [512, 8, 8, 28]),
        (Copy, NonTemporalPrefetch) if middle => (copy_256_prefetch, [512, 16, 16, 44]),
        (Copy, String) => (copy_string, [1, 1, 1, 1]),
        _ => stream::kernel(action, method, middle, wide)?,
    };
    let more = match method {
        Streams | StreamsPrefetch => FIND_STREAMS,
        ZeroLine => 1,
        _ => 0,
    };
    Some(Kernel { run, turn, loads, stores, instructions, pass: PASS + more })
}

// RSI goes through the source, RDX through the target, R10 and R11 are where this pass began, RCX counts turns,
// R8 passes, R9 is the way from one pass to the next. `$start` comes before all, `$pass` before each pass.
macro_rules! walk {
    ($name:ident: $($start:expr),*; $($pass:expr),*; $($body:expr),+; $($end:expr),*) => {
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name(_walk: *const Walk) -> u64 {
            naked_asm!(
                "mov r11, qword ptr [rdi]",
                "mov r10, qword ptr [rdi + 8]",
                "mov r8, qword ptr [rdi + 24]",
                "mov r9, qword ptr [rdi + 32]",
                "xor eax, eax",
                $($start,)*
                "jmp 3f",
                ".p2align 6",
                "2:",
                $($body,)+
                "dec rcx",
                "jnz 2b",
                "dec r8",
                "jz 4f",
                "add r10, r9",
                "add r11, r9",
                "3:",
                "mov rsi, r10",
                "mov rdx, r11",
                "mov rcx, qword ptr [rdi + 16]",
                $($pass,)*
                "jmp 2b",
                "4:",
                $($end,)*
                "ret",
            )
        }
    };
}

/// Every instruction for each of eight registers, in each group of a turn.
macro_rules! groups {
    ($groups:literal, $($instruction:literal),+) => {
        concat!(
            ".irp group,", $groups, "\n",
            $(".irp n,0,1,2,3,4,5,6,7\n", $instruction, "\n.endr\n",)+
            ".endr"
        )
    };
}

walk! { read_loop: ; ; "add rax, qword ptr [rsi]", "add rsi, 8"; }
walk! { write_loop: "mov rax, qword ptr [rdi + 40]"; ; "mov qword ptr [rdx], rax", "add rdx, 8"; }
walk! { copy_loop: ; ; "mov rax, qword ptr [rsi]", "mov qword ptr [rdx], rax", "add rsi, 8", "add rdx, 8"; }
walk! {
    read_unrolled:
    "push rbx", "push rbp", "push r12", "xor ebx, ebx", "xor ebp, ebp", "xor r12d, r12d"; ;
    ".irp group,0,32,64,96,128,160,192,224,256,288,320,352,384,416,448,480",
    "add rax, qword ptr [rsi + \\group]", "add rbx, qword ptr [rsi + \\group + 8]",
    "add rbp, qword ptr [rsi + \\group + 16]", "add r12, qword ptr [rsi + \\group + 24]", ".endr",
    "add rsi, 512";
    "add rax, rbx", "add rax, rbp", "add rax, r12", "pop r12", "pop rbp", "pop rbx"
}
walk! {
    write_unrolled:
    "mov rax, qword ptr [rdi + 40]"; ;
    groups!("0,64,128,192,256,320,384,448", "mov qword ptr [rdx + \\group + 8*\\n], rax"), "add rdx, 512";
}
walk! {
    copy_unrolled: ; ;
    groups!(
        "0,64,128,192,256,320,384,448",
        "mov rax, qword ptr [rsi + \\group + 8*\\n]\nmov qword ptr [rdx + \\group + 8*\\n], rax"
    ),
    "add rsi, 512", "add rdx, 512";
}

// Eight sums side by side; in the end they are added up in halves until one word is left.
macro_rules! no_sums {
    () => {
        ".irp n,0,1,2,3,4,5,6,7\nvpxor xmm\\n, xmm\\n, xmm\\n\n.endr"
    };
}
macro_rules! one_sum {
    (64) => {
        concat!(
            ".irp n,1,2,3,4,5,6,7\nvpaddq zmm0, zmm0, zmm\\n\n.endr\nvextracti64x4 ymm1, zmm0, 1\n",
            "vpaddq ymm0, ymm0, ymm1\n",
            one_sum!(half)
        )
    };
    (32) => {
        concat!(".irp n,1,2,3,4,5,6,7\nvpaddq ymm0, ymm0, ymm\\n\n.endr\n", one_sum!(half))
    };
    (half) => {
        "vextracti128 xmm1, ymm0, 1\nvpaddq xmm0, xmm0, xmm1\nvpsrldq xmm1, xmm0, 8\nvpaddq xmm0, xmm0, xmm1\n\
         vmovq rax, xmm0\nvzeroupper"
    };
    (16) => {
        ".irp n,1,2,3,4,5,6,7\npaddq xmm0, xmm\\n\n.endr\nmovdqa xmm1, xmm0\npsrldq xmm1, 8\npaddq xmm0, xmm1\n\
         movq rax, xmm0"
    };
}
// A line from each of four places, a quarter of the pass apart: R11 is the quarter, RDX three of them.
macro_rules! line_of_each {
    ($vector:literal, $lines:literal) => {
        concat!(
            ".irp line,",
            $lines,
            "\n",
            line_of_each!($vector, "0", "rsi"),
            line_of_each!($vector, "1", "rsi + r11"),
            line_of_each!($vector, "2", "rsi + 2*r11"),
            line_of_each!($vector, "3", "rsi + rdx"),
            ".endr"
        )
    };
    ($vector:literal, $n:literal, $place:literal) => {
        concat!(
            "vpaddq ",
            $vector,
            $n,
            ", ",
            $vector,
            $n,
            ", ",
            $vector,
            "word ptr [",
            $place,
            " + \\line]\n"
        )
    };
}
// Lines are asked for two base pages ahead: further ahead nothing grew faster on a Zen 5.
macro_rules! ahead {
    () => {
        groups!("8192", "prefetchnta byte ptr [rsi + \\group + 64*\\n]")
    };
    (streams) => {
        ".irp line,8192,8256\nprefetchnta byte ptr [rsi + \\line]\nprefetchnta byte ptr [rsi + r11 + \\line]\n\
         prefetchnta byte ptr [rsi + 2*r11 + \\line]\nprefetchnta byte ptr [rsi + rdx + \\line]\n.endr"
    };
}
macro_rules! reads {
    ($plain:ident, $prefetch:ident, $streams:ident, $both:ident: $width:tt, $in_order:expr, $of_each:expr) => {
        walk! { $plain: no_sums!(); ; $in_order, "add rsi, 512"; one_sum!($width) }
        walk! { $prefetch: no_sums!(); ; ahead!(), $in_order, "add rsi, 512"; one_sum!($width) }
        walk! {
            $streams:
            no_sums!(); "mov r11, rcx", "shl r11, 7", "lea rdx, [r11 + 2*r11]";
            $of_each, "sub rsi, -128"; one_sum!($width)
        }
        walk! {
            $both:
            no_sums!(); "mov r11, rcx", "shl r11, 7", "lea rdx, [r11 + 2*r11]";
            ahead!(streams), $of_each, "sub rsi, -128"; one_sum!($width)
        }
    };
}
reads! {
    read_512, read_512_prefetch, read_512_streams, read_512_streams_prefetch:
    64, groups!("0", "vpaddq zmm\\n, zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]"),
    line_of_each!("zmm", "0,64")
}
reads! {
    read_256, read_256_prefetch, read_256_streams, read_256_streams_prefetch:
    32, groups!("0,256", "vpaddq ymm\\n, ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]"),
    line_of_each!("ymm", "0,32,64,96")
}
walk! {
    read_128:
    ".irp n,0,1,2,3,4,5,6,7\npxor xmm\\n, xmm\\n\n.endr"; ;
    groups!("0,128,256,384", "paddq xmm\\n, xmmword ptr [rsi + \\group + 16*\\n]"), "add rsi, 512";
    one_sum!(16)
}

mod stores;
mod stream;
use stores::*;
