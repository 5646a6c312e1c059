//! Memory of another process, read by one call.

use measure::{Actors, Operation, takes};
use workloads::os::other_memory::{OtherMemory, read_child};

/// process_vm_readv.
pub static PROCESS_VM_READV: Operation = Operation {
    id: "ipc.process_vm_readv",
    title: "process_vm_readv: memory of another process read by one call",
    one_iteration: "one process_vm_readv of n bytes of a child that sleeps, first and last word checked",
    method: "By the system-call instruction. The child has written other words than its parent at the same addresses, and sleeps. \
             The words that are checked are overwritten before each call.",
    confounds: "The pages are those of one process, in the caches after the first call. Each page is looked up and pinned. Yama \
                (kernel.yama.ptrace_scope) lets a process read its children; others only with rights.",
    sources: &[
        ("stress-ng", "--vm-rw: MB per second of process_vm_readv and process_vm_writev of a child, checked"),
        ("Open MPI", "the vader transport: messages of more than 4 KiB by process_vm_readv (cma)"),
    ],
    actors: Actors::Children,
    parameters: takes::<OtherMemory>,
    points: &["bytes=4KiB|1MiB"],
    predict: &[
        "floors(1)",
        "software the process found, its right checked, its memory kept = path(500, 10) (×2: a task looked up, credentials and \
         capabilities compared, the security module asked, counts raised and lowered) × cycle_ns",
        "software each page looked up and pinned = {bytes / 4096} × path(200, 3) (×2: a walk of the page table for \
         each page (get_user_pages), a page pinned and unpinned) × cycle_ns",
        "hardware t0 bytes copied = {bytes / 10} cycles (×1.9: 10 bytes a cycle: rep movsb from L2 or the last-level cache) × cycle_ns",
        "bytes=..65536: hardware t1 bytes copied = {bytes} bytes × 1e9 ns/s / [memory.bandwidth.copy method=library bytes=16KiB cpus=1]",
        "bytes=65537..: hardware t1 bytes copied = {bytes} bytes × 1e9 ns/s / [memory.bandwidth.copy method=library bytes=4MiB cpus=1]",
    ],
    evidence: &[
        "answers = 1: all bytes were read, and the words were those of the child",
        "calls: process_vm_readv 1",
        "undisturbed",
    ],
    bounds: &[
        "floor",
        "> {bytes / 64} cycles × cycle_ns: no core stores more than 64 bytes per cycle, and every byte is copied",
    ],
    run: read_child,
    ..super::COMMON
};
