//! Context switches in a ring of processes with buffers, and the refill of the cache.

use measure::{Actors, How, Operation, takes};
use quantity::Quantity;
use record::{Gate, Need, Plot};
use workloads::os::token_ring::{self, TokenRing};

/// Common to rings of processes.
pub const RING: Operation = Operation {
    actors: Actors::TwoProcesses,
    gate: Gate { involuntary: false, ..Operation::GATE },
    needs: |_| vec![Need::Pinning],
    evidence: &["token ring"],
    spend_ns: 20_000_000,
    parameters: takes::<TokenRing>,
    ..super::COMMON
};

/// A switch in a ring, with the refill of the cache.
pub static SWITCH: Operation = Operation {
    id: "switch.process.ring",
    title: "context switch in a ring of processes with buffers",
    one_iteration: "one switch in a round of the token, minus its system calls and the read of a hot buffer",
    method: "A token of one byte passes a ring of processes over pipes, all on one CPU; each process that gets it sums a \
             buffer of its own (bytes=), and the sum must be right. The control, one task, makes the same system calls on \
             a pipe of its own and sums its hot buffer as often. The difference divided by the counted switches of all \
             processes is the context switch of lmbench: with bytes=0B the switch, otherwise with the refill of the cache.",
    confounds: "With two processes and no buffer it is switch.process.pipe. With more, the kernel's data of each process is cold, \
                and beyond six the kernel has no TLB tag (ASID) for each. In a larger ring a woken process may preempt its \
                waker, which must run again to wait: up to 1.2 switches per hop, so a division by hops overstates each. \
                Buffers are read sequentially, so the prefetcher helps; random access costs more.",
    sources: &[
        (
            "lmbench",
            "lat_ctx: 2 to 96 processes, 0 to 64 KiB, unpinned, divided by the assumed number of switches (E53)",
        ),
        ("hbench:OS", "lat_ctx: a ring, less the same pipes and sums of as much memory in one process"),
    ],
    how: How::SlopeLessControl { per: "switches" },
    // The rings of lmbench's tables, and the largest one.
    points: &[
        "processes=2|8|16|96 bytes=0B; processes=2|16 bytes=16KiB; processes=16|96 bytes=64KiB",
        "profile=thorough: processes=4|24|32|64 bytes=0B; processes=2 bytes=64KiB; processes=8 bytes=16KiB|64KiB; \
         processes=96 bytes=16KiB",
    ],
    plot: Some(|| Plot::logarithmic("processes", "processes in the ring", Quantity::Count)),
    predict: &[
        "let lines = 80 (×1.6: task, stacks, address space, pipes, files of a process that has not run recently: some 80 \
         cache lines) × family.l2_cycles",
        "let pages = 12 (×1.6: code, stack, heap and library of a small program: a dozen page walks after TLB \
         eviction) × table_walk",
        "processes=3..6: let cold = lines",
        // The kernel has six TLB tags (TLB_NR_DYN_ASIDS in arch/x86/include/asm/tlbflush.h).
        "processes=7..: let cold = lines + pages",
        "hand-offs between processes(1)",
        "bytes=0B: software t1 switch between two processes = [switch.process.pipe cpu=same]",
        "processes=3..: hardware t0 cold data of a process = cold × cycle_ns",
        "processes=3.. bytes=0B: hardware t1 cold data of a process = cold × cycle_ns",
        "bytes!=0B processes=..6: hardware t0 refill = refill × cycle_ns",
        "bytes!=0B processes=7..: hardware t0 refill = (refill + {bytes / 4KiB} × table_walk) × cycle_ns",
        "bytes!=0B: software t1 the ring without buffers = [switch.process.ring processes={processes} bytes=0B]",
        "bytes!=0B: hardware t1 refill = [switch.process.refill processes={processes} bytes={bytes}]",
    ],
    evidence: &[
        "token ring",
        "switches {0.98 * processes}..{2.1 * processes} (if consistent): every process of the ring ran, and some were \
         preempted before they waited",
    ],
    bounds: &["switch bound"],
    run: token_ring::switches,
    ..RING
};

/// The extra cost of a buffer read after other processes ran.
pub static REFILL: Operation = Operation {
    id: "switch.process.refill",
    title: "cache refill after a context switch",
    one_iteration: "one visit of the token, minus the switch and the read of a hot buffer",
    method: "The ring of switch.process.ring. Rounds in which every process reads its buffer alternate with rounds without, \
             after which the first process reads its buffer as often as there are processes. Both make the same switches \
             and read as many bytes; the difference divided by the counted visits is the cost of cold caches: the buffer \
             in a lower cache level, TLB misses, and the kernel's lines that the buffers evict.",
    confounds: "Where all buffers fit L1 it is near zero. A buffer larger than L1 is never hot there, neither in the ring nor in \
                the control. The prefetcher helps sequential reads.",
    sources: &[
        ("lmbench", "lat_ctx -s: not separated from the switch"),
        (
            "hbench:OS",
            "lat_ctx2: a ring, less the sums of one hot buffer: switch and refill together; less lat_ctx the refill",
        ),
    ],
    how: How::SlopeLessControl { per: "visits" },
    points: &[
        "processes=2|16 bytes=16KiB; processes=16|96 bytes=64KiB",
        "profile=thorough: processes=2 bytes=64KiB; processes=8 bytes=16KiB|64KiB; processes=96 bytes=16KiB",
    ],
    predict: &[
        "processes=..6: hardware lines and pages that others evicted = refill × cycle_ns",
        "processes=7..: hardware lines and pages that others evicted = (refill + {bytes / 4KiB} × table_walk) × cycle_ns",
    ],
    bounds: &[
        "< {(bytes / 64 + 1000) * 200} ns (×2: a miss of every cache takes 80 to 400 ns): less than serial misses to memory of \
         every line of the buffer and of the kernel's path",
    ],
    run: token_ring::refills,
    ..RING
};
