//! x86-64: the time stamp counter, loops, chains, calls, and the `syscall` instruction.

use super::{CounterRead, LoopCounter};
use core::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence, _rdtsc};
use core::arch::{asm, naked_asm};

pub(crate) mod arithmetic;
pub(super) mod bandwidth;
#[macro_use]
pub(super) mod calls;
pub(crate) mod marks;
pub(super) mod process;

/// Name of the counter in records.
pub const COUNTER_NAME: &str = "tsc";

/// The kernel's clock sources that mean that it trusts this counter.
pub const TRUSTED_CLOCK_SOURCES: &[&str] = &["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"];

/// Whether the counter runs at one rate in every power state (CPUID 0x8000_0007, EDX bit 8).
pub fn counter_is_invariant() -> bool {
    let highest = __cpuid(0x8000_0000).eax;
    highest >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

/// What CPUID calls the hypervisor; `None` where it names none.
pub fn hypervisor() -> Option<String> {
    let is_there = __cpuid(1).ecx >> 31 == 1;
    let leaf = is_there.then(|| __cpuid(0x4000_0000))?;
    let letters = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
    Some(String::from_utf8_lossy(&letters).trim_end_matches('\0').to_owned())
}

/// Reads the counter before a timed sequence: nothing later starts before it has been read.
#[inline(always)]
pub fn counter_start() -> i64 {
    // SAFETY: SSE2, and with it LFENCE, is part of x86-64; RDTSC reads a register.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks as i64
    }
}

/// Reads the counter after a timed sequence: everything earlier is done before it is read.
#[inline(always)]
pub fn counter_stop() -> i64 {
    let mut processor = 0;
    // SAFETY: RDTSCP is on every processor that has an invariant counter; it writes to `processor` only.
    unsafe {
        let ticks = __rdtscp(&raw mut processor);
        _mm_lfence();
        ticks as i64
    }
}

/// Reads the counter behind CPUID, as those do who fence with it.
#[inline(always)]
pub fn counter_behind_cpuid() -> i64 {
    std::hint::black_box(__cpuid(0));
    // SAFETY: RDTSC reads a register.
    unsafe { _rdtsc() as i64 }
}

/// Reads the counter by RDTSCP before CPUID, which ends an interval that begins with [`counter_behind_cpuid`]: both CPUIDs are
/// outside of it.
#[inline(always)]
pub fn counter_before_cpuid() -> i64 {
    let mut processor = 0;
    // SAFETY: RDTSCP is on every processor that has an invariant counter; it writes to `processor` only.
    let ticks = unsafe { __rdtscp(&raw mut processor) };
    std::hint::black_box(__cpuid(0));
    ticks as i64
}

/// Whether this processor can read its counter in this way.
pub fn can_read(_how: CounterRead) -> bool {
    true
}

macro_rules! counter_loop {
    ($name:ident, $($instruction:literal),+) => {
        looping! {
            $name(_n):
            "push rbx", "xor r8d, r8d", "xor r9d, r9d", "test rdi, rdi", "jz 3f";
            $($instruction),+, "shl rdx, 32", "or rax, rdx",
            "cmp rax, r8", "adc r9, 0", "mov r8, rax", "dec rdi", "jnz 2b";
            "3:", "mov rax, r9", "pop rbx"
        }
    };
}

counter_loop!(read_bare, "rdtsc");
counter_loop!(read_fenced, "lfence", "rdtsc", "lfence");
counter_loop!(read_waiting, "rdtscp");
counter_loop!(read_cpuid, "xor eax, eax", "cpuid", "rdtsc");

looping! {
    loops_in_register(_loops, _n):
    "mov rcx, rdi", "jmp 3f";
    "dec rax", "jnz 2b";
    "dec rcx", "jz 4f", "3:", "mov rax, rsi", "jmp 2b", "4:", "mov rax, rdi", "imul rax, rsi"
}

// The counter is never set anew but counted back, so that each loop waits for the one before.
looping! {
    loops_in_memory(_loops, _n):
    "lea rdx, [rsp - 64]", "xor ecx, ecx", "xor eax, eax", "mov qword ptr [rdx + 8 * rcx], 0";
    "inc qword ptr [rdx + 8 * rcx]", "cmp qword ptr [rdx + 8 * rcx], rsi", "jb 2b";
    "add rax, qword ptr [rdx + 8 * rcx]", "sub qword ptr [rdx + 8 * rcx], rsi", "dec rdi", "jnz 2b"
}

looping! {
    loops_on_stack(_loops, _n):
    "xor eax, eax", "jmp 3f";
    "inc qword ptr [rsp - 8]", "cmp qword ptr [rsp - 8], rsi", "jb 2b";
    "add rax, qword ptr [rsp - 8]", "dec rdi", "jz 4f", "3:", "mov qword ptr [rsp - 8], 0", "jmp 2b", "4:"
}

// What gcc -O0 makes of `for (i = 0; i < n; i++);`: the check is at the end, and its first one is jumped to.
looping! {
    loop_of_c(_n):
    "push rbp", "mov rbp, rsp", "mov dword ptr [rbp - 64], edi", "mov dword ptr [rbp - 60], 0", "jmp 3f";
    "add dword ptr [rbp - 60], 1", "3:", "mov eax, dword ptr [rbp - 60]", "cmp eax, dword ptr [rbp - 64]", "jl 2b";
    "mov eax, dword ptr [rbp - 60]", "pop rbp"
}

// The additions take a register, not a constant: since Golden Cove an addition of a small constant is
// done while renaming and takes no cycle at all.
macro_rules! known_cost {
    ($name:ident, $adds:literal) => {
        looping! {
            $name(_n):
            "mov rax, rdi", "xor ecx, ecx", "mov edx, 1", "mov r8d, 0";
            concat!(".rept ", $adds), "add rax, rcx", ".endr", "add r8, rdx", "sub rax, rdx", "jnz 2b";
            "mov rax, r8"
        }
    };
}

known_cost!(known_0, 0);
known_cost!(known_10, 10);
known_cost!(known_20, 20);
known_cost!(known_40, 40);

looping! {
    chains_of_adds(_turns):
    "push rbx", "push r12", "push r13", "mov ecx, 1";
    ".rept 5\n.irp chain,rax,rdx,rsi,r8,r9,r10,r11,rbx,r12,r13\nadd \\chain, rcx\n.endr\n.endr",
    "dec rdi", "jnz 2b";
    "xor eax, eax", "pop r13", "pop r12", "pop rbx"
}

macro_rules! chain {
    ($name:ident, $instruction:literal) => {
        looping! {
            $name(_turns):
            "mov eax, 1", "mov ecx, 1";
            ".rept 50", $instruction, ".endr", "dec rdi", "jnz 2b";
        }
    };
}

chain!(chain_of_adds, "add rax, rcx");
chain!(chain_of_multiplies, "imul rax, rcx");

/// Instructions of one iteration of [`super::empty_loops`].
pub fn instructions_per_loop(counter: LoopCounter) -> f64 {
    match counter {
        LoopCounter::Register => 2.0,
        LoopCounter::Memory | LoopCounter::Unoptimised => 3.0,
    }
}

#[unsafe(naked)]
pub(super) unsafe extern "C" fn calls_of_kernel<const NUMBER: i64>(_expected: isize, _n: u64) -> u64 {
    naked_asm!(
        "push rbx",
        "push r12",
        "push r14",
        "mov r14, rdi",
        "mov r12, rsi",
        "xor ebx, ebx",
        ".p2align 6",
        "2:",
        "mov eax, {number}",
        "syscall",
        "xor edx, edx",
        "cmp rax, r14",
        "sete dl",
        "add rbx, rdx",
        "dec r12",
        "jnz 2b",
        "mov rax, rbx",
        "pop r14",
        "pop r12",
        "pop rbx",
        "ret",
        number = const NUMBER,
    )
}

/// A system call: [`super::syscall`].
#[inline(always)]
pub(super) unsafe fn syscall<const NUMBER: i64>(arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the arguments; the clobbers are those of the instruction.
    unsafe {
        asm!(
            "mov eax, {number}",
            "syscall",
            number = const NUMBER,
            out("rax") result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Follows `turns` × [`CHASE_LOADS`](super::CHASE_LOADS) links, each the address of the next, from `start`, the address
/// of one; gives the last address.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn chase(_start: *const u8, _turns: u64) -> *const u8 {
    naked_asm!(
        "mov rax, rdi",
        "test rsi, rsi",
        "jz 3f",
        ".p2align 6",
        "2:",
        ".rept 64",
        "mov rax, qword ptr [rax]",
        ".endr",
        "dec rsi",
        "jnz 2b",
        "3:",
        "ret",
    )
}

// Chains of loads, CHASE_LOADS in a turn, from the addresses in `places`, where the last addresses are stored. Up to eight
// are in registers; of more, every address is read from its place and stored there, by two more instructions for each load.
macro_rules! chains {
    ($($name:ident: $rounds:literal, $registers:literal;)+ / $($long:ident: $times:literal, $chains:literal;)+) => {$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(_places: *mut *const u8, _turns: u64) {
            naked_asm!(
                "push rbx", "push r12", "mov r12, 0",
                concat!(".irp chain,", $registers, "\nmov \\chain, qword ptr [rdi + r12]\nadd r12, 8\n.endr"),
                ".p2align 6",
                "2:",
                concat!(".rept ", $rounds, "\n.irp chain,", $registers, "\nmov \\chain, qword ptr [\\chain]\n.endr\n.endr"),
                "dec rsi",
                "jnz 2b",
                "mov r12, 0",
                concat!(".irp chain,", $registers, "\nmov qword ptr [rdi + r12], \\chain\nadd r12, 8\n.endr"),
                "pop r12",
                "pop rbx",
                "ret",
            )
        }
    )+$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $long(_places: *mut *const u8, _turns: u64) {
            naked_asm!(
                ".p2align 6",
                "2:",
                concat!(".rept ", $times, "\n.set place, 0\n.rept ", $chains),
                "mov rax, qword ptr [rdi + place]",
                "mov rax, qword ptr [rax]",
                "mov qword ptr [rdi + place], rax",
                ".set place, place + 8",
                ".endr\n.endr",
                "dec rsi",
                "jnz 2b",
                "ret",
            )
        }
    )+};
}
chains! {
    chains_2: "32", "rax,rdx";
    chains_4: "16", "rax,rdx,rcx,r8";
    chains_8: "8", "rax,rdx,rcx,r8,r9,r10,r11,rbx";
    /
    chains_16: "4", "16";
    chains_32: "2", "32";
    chains_64: "1", "64";
}

/// Executes CPUID `n` times and gives how often it reported the same highest leaf as at first.
pub fn identify(n: u64) -> u64 {
    let highest = __cpuid(0).eax;
    (0..n).map(|_| u64::from(__cpuid(0).eax == highest && highest > 0)).sum()
}

/// Whether this architecture has a second way into the kernel.
pub(crate) const HAS_INTERRUPT_ENTRY: bool = true;

/// A system call with up to two arguments, of which the kernel takes 32 bits each, by `int 0x80` and the numbers
/// of 32-bit programs; the kernel's own result. Where the kernel has no such entry, the instruction causes a protection fault.
#[inline(always)]
pub(crate) unsafe fn interrupt_call(number: usize, arguments: [usize; 2]) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the arguments. RBX belongs to the compiler, so it is exchanged and put back;
    // kernels before 4.17 clear R8 to R11.
    unsafe {
        asm!(
            "xchg rbx, {first}",
            "int 0x80",
            "xchg rbx, {first}",
            first = inout(reg) arguments[0] => _,
            inlateout("rax") number as isize => result,
            in("rcx") arguments[1],
            in("rdx") 0,
            in("rsi") 0,
            in("rdi") 0,
            lateout("r8") _,
            lateout("r9") _,
            lateout("r10") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}
