//! Stores and copies by vectors, non-temporal and by string instructions, on x86-64.

use crate::bandwidth::Walk;
use core::arch::naked_asm;

// A store for every vector of a turn. Non-temporal ones are still on their way when the loop ends: a fence
// waits for them.
macro_rules! writes {
    ($($name:ident: $word:literal, $groups:literal, $store:literal, $end:literal;)+) => {$(
        walk! { $name: $word; ; groups!($groups, $store), "add rdx, 512"; $end }
    )+};
}
writes! {
    write_128: "movq xmm0, qword ptr [rdi + 40]\npunpcklqdq xmm0, xmm0", "0,128,256,384",
        "movdqa xmmword ptr [rdx + \\group + 16*\\n], xmm0", "";
    write_128_nontemporal: "movq xmm0, qword ptr [rdi + 40]\npunpcklqdq xmm0, xmm0", "0,128,256,384",
        "movntdq xmmword ptr [rdx + \\group + 16*\\n], xmm0", "sfence";
    write_256: "vpbroadcastq ymm0, qword ptr [rdi + 40]", "0,256",
        "vmovdqa ymmword ptr [rdx + \\group + 32*\\n], ymm0", "vzeroupper";
    write_256_nontemporal: "vpbroadcastq ymm0, qword ptr [rdi + 40]", "0,256",
        "vmovntdq ymmword ptr [rdx + \\group + 32*\\n], ymm0", "sfence\nvzeroupper";
    write_512: "vpbroadcastq zmm0, qword ptr [rdi + 40]", "0",
        "vmovdqa64 zmmword ptr [rdx + \\group + 64*\\n], zmm0", "vzeroupper";
    write_512_nontemporal: "vpbroadcastq zmm0, qword ptr [rdi + 40]", "0",
        "vmovntdq zmmword ptr [rdx + \\group + 64*\\n], zmm0", "sfence\nvzeroupper";
}

// Eight registers are loaded and stored at a time.
macro_rules! copy_kernel {
    ($name:ident, [$($first:expr),*], $groups:literal, $load:literal, $store:literal, $end:literal) => {
        walk! {
            $name: ; ;
            $($first,)* groups!($groups, $load, $store), "add rsi, 512", "add rdx, 512";
            $end
        }
    };
}
copy_kernel!(
    copy_128,
    [],
    "0,128,256,384",
    "movdqa xmm\\n, xmmword ptr [rsi + \\group + 16*\\n]",
    "movdqa xmmword ptr [rdx + \\group + 16*\\n], xmm\\n",
    ""
);
macro_rules! wide_copies {
    ($plain:ident, $nontemporal:ident, $prefetch:ident:
     $groups:literal, $load:literal, $store:literal, $past:literal) => {
        copy_kernel!($plain, [], $groups, $load, $store, "vzeroupper");
        copy_kernel!($nontemporal, [], $groups, $load, $past, "sfence\nvzeroupper");
        copy_kernel!($prefetch, [ahead!()], $groups, $load, $past, "sfence\nvzeroupper");
    };
}
wide_copies! {
    copy_256, copy_256_nontemporal, copy_256_prefetch:
    "0,256", "vmovdqa ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]",
    "vmovdqa ymmword ptr [rdx + \\group + 32*\\n], ymm\\n",
    "vmovntdq ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
}
wide_copies! {
    copy_512, copy_512_nontemporal, copy_512_prefetch:
    "0", "vmovdqa64 zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]",
    "vmovdqa64 zmmword ptr [rdx + \\group + 64*\\n], zmm\\n",
    "vmovntdq zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
}

walk! { fill_clzero: ; "mov rax, rdx"; "clzero", "add rax, 64"; "sfence", "xor eax, eax" }

// String instructions count in RCX and go by RSI and RDI; one is a whole pass.
macro_rules! string {
    ($name:ident, $instruction:literal) => {
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name(_walk: *const Walk) -> u64 {
            naked_asm!(
                "mov rdx, qword ptr [rdi]",
                "mov r10, qword ptr [rdi + 8]",
                "mov r11, qword ptr [rdi + 16]",
                "mov r8, qword ptr [rdi + 24]",
                "mov r9, qword ptr [rdi + 32]",
                "mov rax, qword ptr [rdi + 40]",
                "jmp 3f",
                ".p2align 6",
                "2:",
                $instruction,
                "dec r8",
                "jz 4f",
                "add r10, r9",
                "add rdx, r9",
                "3:",
                "mov rsi, r10",
                "mov rdi, rdx",
                "mov rcx, r11",
                "jmp 2b",
                "4:",
                "xor eax, eax",
                "ret",
            )
        }
    };
}
string!(copy_string, "rep movsb");
string!(fill_string, "rep stosb");
