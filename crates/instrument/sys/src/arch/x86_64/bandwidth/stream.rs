//! Loops with arithmetic between loads and stores, on x86-64: STREAM's scale, add and triad, and the update in place.

use crate::bandwidth::{Action, Method, Run, Walk};
use core::arch::naked_asm;

/// The loop and the bytes, loads, stores and instructions of its turn, on a processor with vectors of 32 bytes (`middle`) and
/// of 64 (`wide`); `None` where there is none.
pub(super) fn kernel(action: Action, method: Method, middle: bool, wide: bool) -> Option<(Run, [u32; 4])> {
    use Action::{Add, Scale, Triad, Update};
    use Method::{NonTemporal, Vector128, Vector256, Vector512};
    Some(match (action, method) {
        (Scale, Vector128) => (scale_128, [512, 32, 32, 100]),
        (Scale, Vector256) if middle => (scale_256, [512, 16, 16, 36]),
        (Scale, Vector512) if wide => (scale_512, [512, 8, 8, 20]),
        (Scale, NonTemporal) if wide => (scale_512_nontemporal, [512, 8, 8, 20]),
        (Scale, NonTemporal) if middle => (scale_256_nontemporal, [512, 16, 16, 36]),
        (Add, Vector128) => (add_128, [512, 64, 32, 100]),
        (Add, Vector256) if middle => (add_256, [512, 32, 16, 52]),
        (Add, Vector512) if wide => (add_512, [512, 16, 8, 28]),
        (Add, NonTemporal) if wide => (add_512_nontemporal, [512, 16, 8, 28]),
        (Add, NonTemporal) if middle => (add_256_nontemporal, [512, 32, 16, 52]),
        (Triad, Vector128) => (triad_128, [512, 64, 32, 132]),
        (Triad, Vector256) if middle => (triad_256, [512, 32, 16, 52]),
        (Triad, Vector512) if wide => (triad_512, [512, 16, 8, 28]),
        (Triad, NonTemporal) if wide => (triad_512_nontemporal, [512, 16, 8, 28]),
        (Triad, NonTemporal) if middle => (triad_256_nontemporal, [512, 32, 16, 52]),
        (Update, Vector128) => (update_128, [512, 32, 32, 99]),
        (Update, Vector256) if middle => (update_256, [512, 16, 16, 35]),
        (Update, Vector512) if wide => (update_512, [512, 8, 8, 19]),
        _ => return None,
    })
}

// Eight registers at a time; the ninth holds the constant. RAX is the way from the first source to the second.
macro_rules! streams {
    ($($name:ident: $constant:literal, $groups:literal, [$($instruction:literal),+], $end:literal;)+) => {$(
        walk! {
            $name: "mov rax, qword ptr [rdi + 48]", $constant; ;
            groups!($groups, $($instruction),+), "add rsi, 512", "add rdx, 512"; $end
        }
    )+};
}
streams! {
    scale_128: "movq xmm8, qword ptr [rdi + 40]\npunpcklqdq xmm8, xmm8", "0,128,256,384", [
        "movapd xmm\\n, xmmword ptr [rsi + \\group + 16*\\n]",
        "mulpd xmm\\n, xmm8",
        "movapd xmmword ptr [rdx + \\group + 16*\\n], xmm\\n"
    ], "";
    add_128: "movq xmm8, qword ptr [rdi + 40]\npunpcklqdq xmm8, xmm8", "0,128,256,384", [
        "movapd xmm\\n, xmmword ptr [rsi + \\group + 16*\\n]",
        "addpd xmm\\n, xmmword ptr [rsi + rax + \\group + 16*\\n]",
        "movapd xmmword ptr [rdx + \\group + 16*\\n], xmm\\n"
    ], "";
    triad_128: "movq xmm8, qword ptr [rdi + 40]\npunpcklqdq xmm8, xmm8", "0,128,256,384", [
        "movapd xmm\\n, xmmword ptr [rsi + rax + \\group + 16*\\n]",
        "mulpd xmm\\n, xmm8",
        "addpd xmm\\n, xmmword ptr [rsi + \\group + 16*\\n]",
        "movapd xmmword ptr [rdx + \\group + 16*\\n], xmm\\n"
    ], "";
    scale_256: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmulpd ymm\\n, ymm8, ymmword ptr [rsi + \\group + 32*\\n]",
        "vmovapd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "vzeroupper";
    scale_256_nontemporal: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmulpd ymm\\n, ymm8, ymmword ptr [rsi + \\group + 32*\\n]",
        "vmovntpd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "sfence\nvzeroupper";
    add_256: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmovapd ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]",
        "vaddpd ymm\\n, ymm\\n, ymmword ptr [rsi + rax + \\group + 32*\\n]",
        "vmovapd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "vzeroupper";
    add_256_nontemporal: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmovapd ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]",
        "vaddpd ymm\\n, ymm\\n, ymmword ptr [rsi + rax + \\group + 32*\\n]",
        "vmovntpd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "sfence\nvzeroupper";
    triad_256: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmulpd ymm\\n, ymm8, ymmword ptr [rsi + rax + \\group + 32*\\n]",
        "vaddpd ymm\\n, ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]",
        "vmovapd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "vzeroupper";
    triad_256_nontemporal: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vmulpd ymm\\n, ymm8, ymmword ptr [rsi + rax + \\group + 32*\\n]",
        "vaddpd ymm\\n, ymm\\n, ymmword ptr [rsi + \\group + 32*\\n]",
        "vmovntpd ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "sfence\nvzeroupper";
    scale_512: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmulpd zmm\\n, zmm8, zmmword ptr [rsi + \\group + 64*\\n]",
        "vmovapd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "vzeroupper";
    scale_512_nontemporal: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmulpd zmm\\n, zmm8, zmmword ptr [rsi + \\group + 64*\\n]",
        "vmovntpd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "sfence\nvzeroupper";
    add_512: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmovapd zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]",
        "vaddpd zmm\\n, zmm\\n, zmmword ptr [rsi + rax + \\group + 64*\\n]",
        "vmovapd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "vzeroupper";
    add_512_nontemporal: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmovapd zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]",
        "vaddpd zmm\\n, zmm\\n, zmmword ptr [rsi + rax + \\group + 64*\\n]",
        "vmovntpd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "sfence\nvzeroupper";
    triad_512: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmulpd zmm\\n, zmm8, zmmword ptr [rsi + rax + \\group + 64*\\n]",
        "vaddpd zmm\\n, zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]",
        "vmovapd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "vzeroupper";
    triad_512_nontemporal: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vmulpd zmm\\n, zmm8, zmmword ptr [rsi + rax + \\group + 64*\\n]",
        "vaddpd zmm\\n, zmm\\n, zmmword ptr [rsi + \\group + 64*\\n]",
        "vmovntpd zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "sfence\nvzeroupper";
}
macro_rules! updates {
    ($($name:ident: $constant:literal, $groups:literal, [$($instruction:literal),+], $end:literal;)+) => {$(
        walk! { $name: $constant; ; groups!($groups, $($instruction),+), "add rdx, 512"; $end }
    )+};
}
updates! {
    update_128: "movq xmm8, qword ptr [rdi + 40]\npunpcklqdq xmm8, xmm8", "0,128,256,384", [
        "movdqa xmm\\n, xmmword ptr [rdx + \\group + 16*\\n]",
        "paddq xmm\\n, xmm8",
        "movdqa xmmword ptr [rdx + \\group + 16*\\n], xmm\\n"
    ], "";
    update_256: "vbroadcastsd ymm8, qword ptr [rdi + 40]", "0,256", [
        "vpaddq ymm\\n, ymm8, ymmword ptr [rdx + \\group + 32*\\n]",
        "vmovdqa ymmword ptr [rdx + \\group + 32*\\n], ymm\\n"
    ], "vzeroupper";
    update_512: "vbroadcastsd zmm8, qword ptr [rdi + 40]", "0", [
        "vpaddq zmm\\n, zmm8, zmmword ptr [rdx + \\group + 64*\\n]",
        "vmovdqa64 zmmword ptr [rdx + \\group + 64*\\n], zmm\\n"
    ], "vzeroupper";
}
