//! malloc and free of the C library, by size, age of the heap, and threads.

use super::COMMON;
use measure::{Operation, Parameters, Point, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::os::heap::{Allocations, replace_blocks};

/// Blocks replaced.
pub static MALLOC: Operation = Operation {
    id: "memory.malloc",
    revision: 2,
    title: "free and malloc of the C library, one block in the place of another",
    one_iteration: "one free of a random block of those that live, and one malloc of a block of the same size, on which two numbers are \
                    written; cpus=all: by a thread on each CPU",
    method: "Up to 64 blocks live, of 512 KiB together or one; the first and the last eight bytes of each hold numbers, which must be \
             there when it is freed. heap=old: before, 8192 calls of malloc and free of 16 B to 64 KiB, from a seeded sequence, \
             leave some thousand blocks with holes between them. cpus=all: threads of one process, each with blocks that it \
             allocated itself. Before all, a block of 1 MiB is allocated and freed: from then on glibc keeps blocks of up to 1 MiB \
             in the heap instead of mapping each (mallopt(3), M_MMAP_THRESHOLD). Blocks of 64 MiB are always mapped, by one thread: with several, scaling.memory.",
    confounds: "The allocator is that of the library that oscope is linked with, or one that is preloaded; another one than \
                glibc's may map other sizes, which contradicts. A process of one thread takes no locks in glibc. Blocks of up \
                to 1032 bytes come from a list of the thread, whatever the age of the heap. Where all memory has huge pages, a mapped block may \
                get one for its first byte: see fault.huge. scaling.memory has 16 KiB, taken and freed at once, by 1 to all CPUs.",
    sources: &[
        ("libMicro", "malloc: 100 blocks of up to 32 sizes, then all of them freed"),
        (
            "glibc benchtests",
            "bench-malloc-simple: 25 to 1600 blocks of one size, then all of them freed; bench-malloc-thread: random blocks replaced by 1 to n threads",
        ),
        (
            "stress-ng",
            "--malloc: operations per second of malloc, calloc, realloc, aligned allocation and free of random sizes",
        ),
        ("will-it-scale", "malloc1: 128 MiB allocated and freed at once; malloc2: 1 KiB; neither is written"),
        (
            "osbench",
            "mem_alloc: a million blocks of 4 to 128 bytes, one byte of each written, then all of them freed; the best pass",
        ),
    ],
    parameters: takes::<Allocations>,
    points: &[
        "profile=quick: bytes=16B heap=new cpus=1|all; bytes=64KiB heap=old cpus=1; bytes=64MiB heap=new cpus=1",
        "profile=standard: bytes=16B|1KiB|64KiB|1MiB|64MiB heap=new cpus=1; bytes=16B|1KiB|64KiB heap=old cpus=1; \
         bytes=16B|64KiB heap=new cpus=all",
        "profile=thorough: bytes=16B|128B|1KiB|4KiB|64KiB|1MiB|64MiB heap=new|old cpus=1; \
         bytes=16B|128B|1KiB|4KiB|64KiB|1MiB heap=new|old cpus=all",
    ],
    tail: &["bytes=64KiB heap=old cpus=1; bytes=64MiB heap=new cpus=1"],
    needs,
    plot: Some(|| Plot::logarithmic("bytes", "size of a block", Quantity::Size)),
    predict: &[
        "bytes=..1KiB: let lists = 40 cycles (×1.8: a list of the thread, taken from and put back to: some twenty instructions each; \
         numbers compared and written)",
        "bytes=1025B..1MiB: let lists = 80 cycles (×2: neighbours of the block looked at, of which none is free, and a list of the heap \
         that it goes to and comes from)",
        "bytes=..1MiB: let t0 alone = (2 × family.call_cycles + lists) × cycle_ns",
        "bytes=..1MiB: let t1 alone = 2 × [call.procedure.indirect method=linker] + lists × cycle_ns",
        // Each of the two pages has a page table of its own.
        "bytes=64MiB: let t0 alone = whole(2, {counted[mapping.mmap_munmap bytes=4KiB]}) + (2 × (exception + find_entry) + 4 × \
         (new_page + clear_page) + 2 × page_given_back) × cycle_ns",
        "bytes=64MiB: let t1 alone = [mapping.mmap_munmap bytes=64MiB] + 2 × [fault.anonymous.write] + 2 × (new_page + clear_page) × cycle_ns \
         + 2 × ([fault.dontneed.call] − [syscall.floor])",
        "let t1 one = [memory.malloc bytes={bytes} heap={heap} cpus=1]",
        "operation of each CPU",
        "heap=old bytes=1025B..1MiB: software longer lists = 60 cycles (×2.5: holes of other sizes are passed, split and merged) × cycle_ns",
        "cpus=all bytes=1025B..1MiB: hardware locks of the heap = 60 cycles (×1.6: two locks taken and given back, 12 to 18 cycles for each \
         locked operation (Agner Fog)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: each block had both of its numbers when it was freed: no other block overlapped it",
        "bytes=..1MiB: calls: none",
        "bytes=64MiB: calls: mmap 1, munmap 1",
        "actors on their CPUs",
        "cpus=all: threads",
        "bytes=..1MiB cpus=1: no new pages",
        "bytes=64MiB cpus=1: faults.minor 0.9..2.1 (if consistent): the first and the last page of a block, or huge pages, were new",
    ],
    bounds: &[
        "bytes=..1MiB: > 3 cycles × cycle_ns: two calls and returns are four taken branches",
        "bytes=64MiB: floors(2)",
    ],
    run: replace_blocks,
    ..COMMON
};

fn needs(point: &Point) -> Vec<Need> {
    // All that live, and one more behind them.
    let block = Allocations::read(point).map_or(0, |allocations| allocations.bytes.bytes());
    let memory = Need::Memory { bytes: 2 * block };
    if point.on_all_cpus() { vec![Need::SecondCpu, Need::Pinning, memory] } else { vec![memory] }
}
