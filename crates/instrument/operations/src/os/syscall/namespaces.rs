//! Namespaces of containers: left for a new one (unshare), and entered (setns).

use super::CARD;
use measure::{Operation, takes};
use record::Gate;
use workloads::os::namespaces::{Spaces, enter, unshare, waits};

/// A new namespace.
pub static UNSHARE: Operation = Operation {
    id: "syscall.unshare",
    title: "unshare of one kind of namespace",
    one_iteration: "one unshare, which must give the process a new namespace of this kind and leaves the one before without a user",
    method: "unshare by the system-call instruction, in a loop; kind=pid, which concerns children, goes back to the own namespace by a \
             setns before each. At the last unshare of each batch the number of the namespace (the inode of /proc/self/ns/KIND) must \
             change. The process ends with the trial, and its last namespace with it.",
    confounds: "The kernel frees namespaces of network and IPC later, by a thread of its own, which competes for locks and for the CPU; \
                at most 64 of the network are pending before the trial waits. A mount namespace copies all mounts: tens on a small server, hundreds \
                beside containers. kind=user cannot be looped: each would be inside the one before.",
    sources: &[
        ("stress-ng", "--unshare: calls with all flags by forked children"),
        ("Linux selftests", "none: no times"),
    ],
    parameters: takes::<Spaces>,
    points: &["kind=uts|ipc|mount|net|pid|cgroup|time"],
    predict: &[
        "kind!=pid: floors(1)",
        "kind=pid: floors(2)",
        "software sets of namespaces made and given back = path(700, 20) (×1.6: a set allocated, seven references taken and given back, \
         rights checked) × cycle_ns",
        "kind=uts|cgroup|time|pid: software one namespace made and freed = path(1200, 20) (×1.8: allocated, counted for the user at every \
         level, numbered, copied, linked in a tree; the same back) × cycle_ns",
        "kind=time: software a page for the vDSO = 300 cycles (×2: allocated, cleared, freed) × cycle_ns",
        "kind=pid: software a cache of process numbers, its files of /proc/sys, and the way back = path(5000, 60) (×2: a slab found by its \
         name, a table of files copied and linked, a second set of namespaces) × cycle_ns",
        "kind=ipc: software three tables, a file system of queues, files of /proc/sys = path(25000, 300) (×2: a superblock, its root and \
         its mount, three hash tables, two tables of files) × cycle_ns",
        "kind=mount: software mounts copied and freed = path(30000, 700) (×3: 10 to 60 mounts, each allocated with counters of every CPU, \
         linked in three lists and a hash table; the same back) × cycle_ns",
        "kind=mount: software grace period = 25000 ns (×2.5: an expedited one of RCU: an interrupt to each busy CPU)",
        "kind=net: software a loopback device, tables of all protocols, their files in /proc = path(300000, 4000) (×2.5: some 80 \
         subsystems, each with tables, files and a socket of its own) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the last unshare of each batch changed the number of the namespace",
        "kind!=pid: calls: unshare 1",
        "kind=pid: calls: unshare 1, setns 1",
        "linear",
        "undisturbed",
    ],
    // It waits for a grace period, or the kernel frees the last one meanwhile, on the same CPU.
    gate_of: Some(|point| match waits(point) {
        true => Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
        false => Operation::GATE,
    }),
    run: unshare,
    ..CARD
};

/// Another namespace.
pub static SETNS: Operation = Operation {
    id: "syscall.setns",
    title: "setns to a namespace of one kind",
    one_iteration: "one setns by a descriptor of /proc/self/ns/KIND, which must make that namespace the one of the process",
    method: "setns by the system-call instruction, alternating between the own namespace and a new one, in a loop. After each batch the \
             number of the current namespace (the inode of /proc/self/ns/KIND) must be that of the last one entered.",
    confounds: "A mount namespace also sets root and working directory. A time namespace replaces the page of the vDSO. kind=pid would \
                need a process inside, and is the way back of syscall.unshare.",
    sources: &[("stress-ng", "--unshare: setns among others, no time of its own")],
    parameters: takes::<Spaces>,
    points: &["kind=uts|ipc|mount|net|cgroup|time"],
    predict: &[
        "floors(1)",
        "software sets of namespaces made and given back = path(800, 22) (×1.6: descriptor and rights checked, a set allocated, seven \
         references taken and given back) × cycle_ns",
        "kind=mount: software root and working directory = path(900, 16) (×1.8: a copy of both, the root looked up through its mounts, \
         references given back) × cycle_ns",
        "kind=time: software the page of the vDSO replaced = path(900, 10) (×2: the mapping found and its entries cleared under a lock, \
         buffers flushed) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: after each batch the number of the namespace was that of the last one entered",
        "calls: setns 1",
        "undisturbed loop",
    ],
    bounds: &["floor", "less than a tick"],
    run: enter,
    ..CARD
};
