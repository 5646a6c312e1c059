//! Random bytes by the vDSO's getrandom, and by the system call of the same length.

use super::CARD;
use measure::{Operation, takes};
use workloads::os::random::{Request, request};

/// getrandom by either way.
pub static RANDOM: Operation = Operation {
    id: "random.getrandom",
    title: "getrandom by the vDSO or by the system call",
    one_iteration: "one getrandom of bytes= bytes, whose first and last eight bytes must differ from the previous ones",
    method: "method=raw: by the system-call instruction. method=vdso: by the function __vdso_getrandom, whose state is one mapping of \
             this thread, as the C library makes it; the kernel's key is there before the first batch. 16 bytes by the system call \
             are syscall.getrandom.",
    confounds: "The function makes 96 bytes in advance and takes a new key with them, so that a small request is a copy most of the \
                time; the median of batches holds the mean of both. Since glibc 2.41 getrandom of the C library is this function. The \
                kernel replaces its own key at least once a minute, by a system call of the function.",
    sources: &[(
        "Linux selftests",
        "vDSO/vdso_test_getrandom.c: bench-single, of 4 bytes, against libc and the system call",
    )],
    parameters: takes::<Request>,
    points: &["method=vdso bytes=16B|256B; method=raw bytes=256B"],
    predict: &[
        "let block = 400 cycles (×1.6: a block of ChaCha20: 960 additions, exclusive ors and rotations in four chains, as instructions \
         or as one chain of vectors of four)",
        "method=raw: t0 floors(1)",
        "method=raw: software t0 16 bytes = kernel({counted[syscall.getrandom] - counted[syscall.floor]})",
        "method=raw: software t1 16 bytes = [syscall.getrandom]",
        "method=raw: software four more blocks = 4 × block × cycle_ns",
        "method=vdso: software calls, checks, copies = 60 cycles (×2: a call through a pointer, the state taken, generations of keys \
         compared, bytes copied and overwritten) × cycle_ns",
        // Two blocks for each 96 bytes.
        "method=vdso bytes=16B: software blocks = {2 * 16 / 96} × block × cycle_ns",
        // Whole blocks go to the buffer; two more are made each time, of which the rest is taken: 4 and 5 alternate.
        "method=vdso bytes=256B: software blocks = 4.5 × block × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both ends of the bytes differed every time",
        "method=raw: calls: getrandom 1",
        "method=vdso: calls: none",
        "undisturbed loop",
    ],
    bounds: &[
        "method=raw: floor",
        "method=vdso: > 20 cycles × cycle_ns: it calls a function and copies the bytes",
        "less than a tick",
        "method=vdso bytes=16B: < [syscall.getrandom]: it makes as many blocks without a system call",
    ],
    run: request,
    ..CARD
};
