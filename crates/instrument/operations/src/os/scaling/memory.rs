//! Memory of one address space or of several, by several CPUs.

use super::{SCALING, points};
use measure::Operation;

/// Areas, pages and words.
pub static MEMORY: Operation = Operation {
    id: "scaling.memory",
    // 2: the fault was two, one of a read for the page of zeros and one of the write. 3: batches hold whole periods of the kernel.
    revision: 3,
    title: "call on memory by an actor on each CPU",
    method: "As scaling.file. mmap: mmap and munmap of an untouched page; brk: the end of the data segment moved up by a page, untouched, \
             and back, always by processes; fault: MADV_DONTNEED of a page and the first write to \
             it; malloc: 16 KiB of the C library, taken and given back; add: an atomic addition. object=shared: threads of one \
             address space, each with pages of its own, so that the address space is what they share; for add one word.",
    sources: &[
        (
            "will-it-scale",
            "mmap1 and page_fault1: 128 MiB; brk1: each of the two calls counted; malloc1: 128 MiB, malloc2: 1 KiB; by processes and by threads",
        ),
        ("vm-scalability", "case-anon-w-seq: bytes per second of first writes by many tasks"),
        ("multichase", "fairness: atomic additions to one word, nanoseconds per addition of each thread"),
    ],
    points: points!(
        quick "add", own "mmap|brk|fault|malloc|add", shared "mmap|fault|malloc|add",
        "profile=thorough: call=add object=shared tasks=processes cpus=2|4|8|16|32|64|128|256|512|1024|all"
    ),
    predict: &[
        "call=mmap: let t0 alone = whole(2, {counted[mapping.mmap_munmap bytes=4KiB]})",
        "call=mmap: let t1 alone = [mapping.mmap_munmap bytes=4KiB]",
        "call=brk: let t0 alone = whole(2, {counted[mapping.brk]})",
        "call=brk: let t1 alone = [mapping.brk]",
        "call=fault: let t0 alone = (entry + dispatch + exception + page_given_back + new_page + clear_page) × cycle_ns",
        "call=fault: let t1 alone = [fault.dontneed]",
        "call=malloc: let alone = 120 cycles (×1.8: a bin of the arena under its lock, split and merged again) × cycle_ns",
        "call=add: let alone = 12 cycles (×1.8: one locked addition: 7 cycles on Zen 3 and 4, 18 to 20 on Intel cores (Agner Fog)) × cycle_ns",
        "let t1 one = [scaling.memory call={call} object=own tasks=processes cpus=1]",
        "operation of each CPU",
        "call=mmap: let lines = 4 (×1.5: the lock of the address space and its tree of areas, in each call)",
        "call=mmap: let serial = 0.7 (×1.4: what is under the lock of the address space, of both calls) × alone",
        "call=fault: let lines = 3 (×1.6: the lock of the address space for readers, and its set of CPUs)",
        "call=malloc: let lines = 0 (×1: threads have arenas of their own)",
        "call!=add|brk: lines of a shared object",
        "call=add: line of short operations",
        "call=mmap: lock of a shared object",
        "call=fault object=shared cpus!=1|all: hardware flush on the other CPUs = interrupt + {cpus - 1} × 300 ns (×2: an \
         interrupt of another CPU handled)",
        "call=fault object=shared cpus=all: hardware flush on the other CPUs = interrupt + (cpus.allowed − 1) × 300 ns (×2: an \
         interrupt of another CPU handled)",
        "call=fault object=shared cpus!=1|all: software the hypervisor sends and takes interrupts = {cpus} × vm_exit",
        "call=fault object=shared cpus=all: software the hypervisor sends and takes interrupts = cpus.allowed × \
         vm_exit",
    ],
    evidence: &[
        "answers = 1: every page and every word had the content that it must, and the data segment its end",
        "call=mmap: calls: mmap 1, munmap 1",
        "call=brk: calls: brk 2",
        "call=fault: calls: madvise 1",
        "call=malloc|add: calls: none",
        "call=fault cpus=1: faults.minor 0.99..1.01: one minor fault per touch",
        "actors on their CPUs",
    ],
    bounds: &[
        "call=mmap|brk: floors(2)",
        "call=fault: floor",
        "call=malloc|add: > 1 cycles × cycle_ns: an operation on memory takes a cycle on any core",
    ],
    ..SCALING
};
