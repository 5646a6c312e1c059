//! A probe on a function or at a system call: what a debugger's breakpoint, a tracer's uprobe and a program at a tracepoint cost the
//! program that meets it.

use super::COMMON;
use measure::{Operation, takes};
use workloads::os::probe::{Probed, call_probed};
use workloads::os::traced_entry::{ProbedCall, call_traced_entry};

/// A probe met.
pub static FUNCTION: Operation = Operation {
    id: "probe.function",
    title: "a function called with a probe on it",
    one_iteration: "one call of a function that gives the number after its argument, and its return; the probe on it must count every \
                    call",
    method: "The function keeps a frame pointer, as compilers make it where tracers shall walk frames, and is called in a loop, each \
             time with what it gave before. probe=none: nothing is on it. probe=breakpoint: a debug register holds its address \
             (perf_event_open, PERF_TYPE_BREAKPOINT). probe=uprobe: the kernel puts a trap in the place of its first instruction and \
             emulates that. probe=uretprobe: the return is trapped, too. handler=count: the event counts; handler=bpf: a BPF \
             program of eleven instructions adds 1 to a number of its own. The cost of a probe is the difference to probe=none.",
    confounds: "The kernel's own figure for a program (run_time_ns, kernel.bpf_stats_enabled) leaves out the trap, which is most of \
                the cost. What compilers begin a function with matters: the kernel emulates a push and a nop, and steps through others \
                in a second trap. In a guest the hypervisor may intercept the debug registers, which the kernel reads and writes at each \
                breakpoint. Since Linux 6.11 a return on x86-64 is a system call instead of a trap. Another tracer on the program adds its \
                own cost.",
    sources: &[
        ("bpftrace", "uprobe and uretprobe on a function of a program"),
        (
            "Linux selftests",
            "bpf/benchs/bench_trigger.c: trig-uprobe-nop, trig-uprobe-push, trig-uretprobe-push: hits per second",
        ),
        (
            "perf bench",
            "uprobe empty, empty_ret: on usleep(1000) of the C library, microseconds more than uprobe baseline",
        ),
    ],
    parameters: takes::<Probed>,
    points: &[
        "probe=none; probe=breakpoint|uprobe|uretprobe handler=count; probe=uprobe|uretprobe handler=bpf",
    ],
    predict: &[
        "hardware call, and the frame pointer stored and loaded again = (2 × family.call_cycles + family.store_forward_cycles) × cycle_ns",
        "probe!=none: hardware t0 trap and return = exception × cycle_ns",
        "probe!=none: hardware t1 trap and return, as with EFAULT = measured_exception",
        "probe=breakpoint: software debug registers read and written through the hypervisor = 2 × vm_exit",
        "probe=uprobe|uretprobe: software probe found, instruction emulated, event counted = 1600 cycles (×1.8: a search in a tree, two \
         locks, a record of the event written, handlers called through pointers: some 1 500 instructions) × cycle_ns",
        "probe=uretprobe: floors(1)",
        "probe=uretprobe: software return address replaced = 500 cycles (×2: an instance taken from a list, the stack written, \
         registers restored) × cycle_ns",
        "handler=bpf: software the program entered and run = 150 cycles (×2: arguments laid out, eleven instructions, one of them locked) \
         × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the function gave the number after its argument each time",
        "probe!=none: probe.hits = 1: the event of the probe counted every call",
        "handler=bpf: probe.programs = 1: the program counted every call",
        "linear",
        "probe!=uretprobe: calls: none",
        "undisturbed",
        "no new pages",
    ],
    bounds: &[
        "probe=none: > 0.9 cycles × cycle_ns: a call and a return are two taken branches",
        "probe!=none: exceptions(1)",
        "less than a tick",
    ],
    run: call_probed,
    ..COMMON
};

/// A tracepoint met.
pub static SYSCALL: Operation = Operation {
    id: "probe.syscall",
    title: "getuid with a BPF program at its tracepoint",
    one_iteration: "one getuid, which must give the user's number; the program at the tracepoint must count every call",
    method: "getuid by the system-call instruction, in a loop. probe=none: nothing is at its entry. probe=tracepoint: a BPF program of \
             fifteen instructions is attached to the raw tracepoint sys_enter (BPF_RAW_TRACEPOINT_OPEN). It compares the number of the \
             call and of the thread, and adds 1 to a number of its own. The cost of the tracepoint is the difference to probe=none.",
    confounds: "The kernel's own figure for a program (run_time_ns, kernel.bpf_stats_enabled) leaves out the way to it: with the \
                tracepoint every system call of every process takes the slow path at its entry and its exit, also calls that no \
                program counts. This holds for the whole machine while a trial lasts. Audit rules and other tracers take the same \
                path.",
    sources: &[
        ("bpftrace", "rawtracepoint:sys_enter with a filter on tid, and count()"),
        (
            "Linux selftests",
            "bpf/benchs/bench_trigger.c: trig-rawtp: hits per second; of getpgid calls in older versions, of a loop in the \
             kernel in newer ones",
        ),
    ],
    parameters: takes::<ProbedCall>,
    points: &["probe=none|tracepoint"],
    predict: &[
        "t0 floors(1)",
        "software t0 getuid = kernel({counted[syscall.getuid method=raw] - counted[syscall.floor]})",
        "software t1 getuid = [syscall.getuid method=raw]",
        "probe=tracepoint: software slow path at entry and exit = path(120, 0) (×1.8: flags of the call tested, registers passed on, the \
         number read again, the same at the exit, where nothing is attached) × cycle_ns",
        "probe=tracepoint: software the program reached and left = path(90, 0) (×1.8: the list of functions at the tracepoint, RCU, a \
         count against recursion, arguments laid out) × cycle_ns",
        "probe=tracepoint: software the program = path(30, 1) (×1.8: fifteen instructions, a helper, a place in an array) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the user's number every time",
        "probe=tracepoint: probe.programs = 1: the program counted every call",
        "calls: getuid 1",
        "undisturbed loop",
    ],
    bounds: &["floor", "less than a tick"],
    run: call_traced_entry,
    ..COMMON
};
