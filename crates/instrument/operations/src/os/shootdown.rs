//! Calls that interrupt the other CPUs of an address space.

use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Need, Plot, Scale};
use workloads::os::shootdown::{Shootdown, run};

/// A call while other CPUs run threads of the same memory.
pub static SHOOTDOWN: Operation = Operation {
    id: "ipi.shootdown",
    title: "call that interrupts the CPUs of the other threads (TLB shootdown, membarrier)",
    one_iteration: "one iteration of the call by the main thread, while n other CPUs run threads of the same memory",
    method: "Threads that spin in user space are pinned to others= CPUs; the main thread calls. munmap: MAP_POPULATE of a page \
             and its munmap; mprotect: of a written page, to read-only and back; dontneed: MADV_DONTNEED of a page and the \
             write to it; membarrier_expedited: a barrier on the CPUs of the process; membarrier_global: after a grace period \
             of RCU. Function call interrupts that the other CPUs received are read from /proc/interrupts before and after. The \
             line through the points gives the cost of one more CPU.",
    confounds: "A CPU whose thread does not run at the moment gets no interrupt: a busy machine lowers the count. AArch64, and \
                AMD processors with INVLPGB for processes on more than three CPUs, invalidate the TLBs of other CPUs without an \
                interrupt. Under KVM a virtual CPU that does not run is flushed when it next runs.",
    sources: &[
        (
            "will-it-scale",
            "tlb_flush2 -t: MADV_DONTNEED of a page and the faults beside it, by all threads; tlb_flush1, 3: of files; calls \
             per second",
        ),
        (
            "stress-ng",
            "--tlb-shootdown: shootdowns and interrupts per second; --membarrier: calls of all kinds per second",
        ),
    ],
    actors: Actors::Children,
    parameters: takes::<Shootdown>,
    points: &[
        "profile=quick: call=mprotect|membarrier_expedited others=0|1",
        "profile=standard: call=munmap|mprotect|dontneed|membarrier_expedited others=0|1",
        "profile=thorough: call=munmap|mprotect|dontneed|membarrier_expedited others=0|1|3|7|15|31|63; \
         call=membarrier_global others=0|1",
    ],
    needs: |point| match point.optional::<u64>("others") {
        Ok(Some(0)) => Vec::new(),
        _ => vec![Need::SecondCpu, Need::Pinning],
    },
    fit: Some(|| crate::fit::line("others", "one more CPU", "no other CPU")),
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("others", "other CPUs", Quantity::Count)
    }),
    predict: &[
        "call=munmap: software t0 the call by one thread = whole(2, {counted[mapping.mmap_munmap bytes=4KiB]})",
        "call=munmap: software t0 page populated and freed = (page_given_back + new_page + clear_page) × cycle_ns",
        "call=munmap: software t1 the call by one thread = [mapping.mmap_munmap bytes=4KiB]",
        "call=munmap: software t1 page populated and freed = [fault.dontneed] − [syscall.floor]",
        "call=mprotect: software t0 the calls by one thread = whole(2, {counted[mapping.mprotect bytes=4KiB]}) + flush × cycle_ns",
        "call=mprotect others=0: software t1 the calls by one thread = [mapping.mprotect bytes=4KiB]",
        "call=dontneed: software t0 the call by one thread = (entry + dispatch + exception + page_given_back + new_page + \
         clear_page) × cycle_ns",
        "call=dontneed others=0: software t1 the call by one thread = [fault.dontneed]",
        "call=mprotect|dontneed others!=0: software t1 the call by one thread = [ipi.shootdown call={call} others=0]",
        "call=membarrier_expedited: floors(1)",
        "call=membarrier_expedited: software handler = path(150, 2) (×1.8: command checked, threads counted, CPUs found) × cycle_ns",
        "call=membarrier_global: floors(1)",
        "call=membarrier_global: software a grace period of RCU = 8000000 ns (×3: some ticks at 250 to 1000 Hz (kernel \
         documentation, RCU/checklist: synchronize_rcu takes milliseconds))",
        // The sender waits for the last CPU; the flush of mprotect is that of the first call only.
        "call=munmap|mprotect|dontneed|membarrier_expedited others!=0: hardware interrupts of the other CPUs = interrupt + \
         {others} × 300 ns (×2: an interrupt of another CPU handled)",
        "call=munmap|mprotect|dontneed|membarrier_expedited others!=0: software the hypervisor sends and takes interrupts = \
         {1 + others} × vm_exit",
    ],
    evidence: &[
        "answers = 1: the call succeeded, and the page had the content that it must",
        "call=munmap: calls: mmap 1, munmap 1",
        "call=mprotect: calls: mprotect 2",
        "call=dontneed: calls: madvise 1",
        "call=membarrier_expedited|membarrier_global: calls: membarrier 1",
        "call!=membarrier_global: linear",
        "undisturbed",
        "others!=0: actors.cpus = {1 + others}: each thread was on a CPU of its own",
        "others!=0: threads",
        "call=membarrier_expedited others!=0: interrupts.function_call {0.2 * others}..1e6: the other CPUs were interrupted",
        "architecture=x86_64 call=munmap|mprotect|dontneed others=1..2: interrupts.function_call {0.2 * others}..1e6: the other \
         CPUs were interrupted",
    ],
    bounds: &["call=munmap|mprotect: floors(2)", "call!=munmap|mprotect: floor"],
    run,
    ..super::COMMON
};
