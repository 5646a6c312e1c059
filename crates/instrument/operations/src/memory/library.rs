//! The C library's memcpy, memset, strlen and strcmp, by size and alignment.

use measure::{Operation, Parameters, Point, takes};
use quantity::Quantity;
use record::Plot;
use workloads::memory::library::{LibraryCalls, call_library};

/// Calls of a function of the C library.
pub static LIBRARY: Operation = Operation {
    id: "memory.library",
    revision: 2,
    title: "memcpy, memset, strlen or strcmp of the C library",
    one_iteration: "one call of the function on operands in the first-level cache; its result and the last byte written are checked",
    method: "Calls by the address of the function in a loop, so that no compiler puts instructions in its place. alignment: bytes \
             between the beginning of a line and the first operand, which is the target or the first string; page: the operand \
             begins with the last byte of a page. The second operand begins a line, half a page from where the first one begins in \
             its page, so that loads do not wait for stores to the same place of another page. memcpy alternates between two sources. \
             The strings of strcmp differ in their last byte. sizes=mixed: bytes is the largest of lengths in half octaves (1, 2, 3, 4, \
             6, 8 to 256 B), drawn evenly from a seeded sequence of 65 536 calls, which no branch predictor remembers.",
    confounds: "The value is the throughput of calls that do not depend on each other; the loop and its check, some ten \
                instructions, are in it, and nothing is subtracted. With one size the branches of the function are predicted every \
                time, which is what most benchmarks of memcpy measure: programs call with many sizes, compare sizes=mixed. The \
                function is that of the library that oscope is linked with, by the processor's version of it; a jump through a \
                linkage table is not included. 16 KiB and their copy fill a cache of 32 KiB.",
    sources: &[
        (
            "libMicro",
            "memcpy, memset, strlen, strcmp: one size and alignment; source and target of memcpy begin a page, unless -a moves \
             the source",
        ),
        (
            "glibc benchtests",
            "bench-memcpy, bench-strlen and others: one size and alignment at a time; bench-memcpy-random: 16384 copies (2026) \
             with the sizes of SPEC2017, repeated",
        ),
        (
            "stress-ng",
            "--str, --memcpy: operations per second of several functions together, or of one by --str-method",
        ),
    ],
    parameters: takes::<LibraryCalls>,
    points: &[
        "profile=quick: function=memcpy|strlen bytes=64B alignment=0; function=memcpy|strlen bytes=256B alignment=0 sizes=mixed",
        "profile=standard: function=memcpy|memset|strlen|strcmp bytes=64B|1KiB|16KiB alignment=0; \
         function=memcpy|strlen bytes=64B alignment=1|page; \
         function=memcpy|memset|strlen|strcmp bytes=256B alignment=0 sizes=mixed",
        "profile=thorough: function=memcpy|memset|strlen|strcmp bytes=1B|16B|64B|256B|1KiB|16KiB alignment=0|1|page; \
         function=memcpy|memset|strlen|strcmp bytes=64B alignment=2|4|8|16|32|48|63; \
         function=memcpy|memset|strlen|strcmp bytes=256B alignment=0|page sizes=mixed",
    ],
    in_lines: with_mean,
    plot: Some(|| Plot::logarithmic("bytes", "size of a call", Quantity::Size)),
    predict: &[
        "let call = 9 cycles (×1.6: ten instructions of the loop, a call and a return, and some twenty instructions that choose a \
         path by the size and end it)",
        "let vector = min(processor.vector_bytes, 32 bytes (×1.3: vectors of at most 256 bits, also where there are wider ones: glibc's \
         versions for AVX2 and EVEX)) / 1 cycle",
        "function=memcpy|memset: let bytes = {mean} bytes / vector",
        "function=strlen: let bytes = {mean} bytes / vector × 1.2 (×1.5: a comparison for each vector, four of them combined)",
        "function=strcmp: let bytes = {mean} bytes / vector × 2 (×1.5: two loads, a comparison and a branch for most vectors)",
        "sizes!=mixed: hardware t0 call, and a vector in each cycle = (call + bytes) × cycle_ns",
        // Quick runs copy 16 KiB by vectors only.
        "function=memcpy sizes!=mixed: let t1 all = {bytes} bytes × 1e9 ns/s / ([memory.bandwidth.copy method=library bytes=16KiB cpus=1] \
         or else [memory.bandwidth.copy method=widest bytes=16KiB cpus=1])",
        "function=memset sizes!=mixed: let t1 all = {bytes} bytes × 1e9 ns/s / [memory.bandwidth.fill method=library bytes=16KiB cpus=1]",
        "function=strlen sizes!=mixed: let t1 all = {bytes} bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=16KiB cpus=1]",
        "function=strcmp sizes!=mixed: let t1 all = {2 * bytes} bytes × 1e9 ns/s / \
         [memory.bandwidth.read method=widest bytes=16KiB cpus=1]",
        "sizes!=mixed: hardware t1 call and return = [call.procedure.indirect method=register]",
        "sizes!=mixed: hardware t1 loop, choice of a path = 6 cycles (×1.8: some thirty instructions that overlap with the call) × cycle_ns",
        "sizes!=mixed: hardware t1 bytes, as from L1 = all",
        "alignment=1..63: hardware accesses to two lines = {mean / 64} cycles (×2: every second vector lies in two lines, which is an \
         access more) × cycle_ns",
        "alignment=page: hardware accesses to two lines = {mean / 64} cycles (×2: as with any alignment) × cycle_ns",
        "function=memcpy|memset alignment=page bytes=2B..: hardware store over the end of a page = 25 cycles (×2.5: tens of cycles: both \
         pages are translated before it is done) × cycle_ns",
        "function=strlen|strcmp alignment=page bytes=2B..: hardware load at the end of a page = 4 cycles (×2.5: the first load ends before \
         the next page, and its bytes are shifted) × cycle_ns",
        "sizes=mixed: hardware t0 calls, and a vector in each cycle = (call + bytes) × cycle_ns",
        "sizes=mixed: hardware t1 a call of one size = [memory.library function={function} bytes=64B alignment=0]",
        "sizes=mixed: hardware mispredicted choice of a path = 1.5 (×1.6: some eight paths, about equally frequent, are three branches, \
         each mispredicted half of the time) × 18 cycles (×1.3: 15 to 20 cycles, Agner Fog, microarchitecture) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every call gave the right result and wrote the last byte, and the last call of each batch wrote all bytes",
        "sizes!=mixed: bytes.of_calls = {bytes}: every call had the size of the point",
        "sizes=mixed: bytes.of_calls {0.95 * mean}..{1.05 * mean}: the sizes of the calls have the mean of all sizes",
        "calls: none",
        "linear",
        "undisturbed",
        "no new pages",
    ],
    bounds: &[
        "> 0.9 cycles × cycle_ns: a call and a return are two taken branches",
        "> {mean / 128} cycles × cycle_ns: no core loads or stores more than two vectors of 64 bytes per cycle",
    ],
    run: call_library,
    ..super::COMMON
};

/// The point with the mean of its lengths.
fn with_mean(point: &Point) -> Point {
    LibraryCalls::read(point).map_or(point.clone(), |calls| point.clone().with("mean", calls.mean()))
}
