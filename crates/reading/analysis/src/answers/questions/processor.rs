//! Questions on the processor and the services of the kernel.

use super::question::{Operand, Question, ratio, side, slope};

const PROCESS_PIPE: Operand = side("a switch between processes", "switch.process.pipe", "cpu=same");
const PROCESS_FUTEX: Operand = side("a switch between processes", "switch.process.futex", "cpu=same");
const THREAD_PIPE: Operand = side("a switch between threads", "switch.thread.pipe", "cpu=same");
const THREAD_FUTEX: Operand = side("a switch between threads", "switch.thread.futex", "cpu=same");

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "argument",
        asks: "What does one more argument cost a procedure call?",
        derivations: &[slope(
            "call.procedure",
            "",
            "one more argument",
            "a straight line over all numbers of arguments; the last ones may be passed on the stack",
        )],
    },
    Question {
        id: "system_call",
        asks: "How much slower is a system call than a procedure call?",
        derivations: &[
            ratio(
                side("a system call", "syscall.getppid", "method=libc"),
                side("a procedure call", "call.procedure", "arguments=0"),
                "getppid does next to nothing; calls that work or that block cost more",
            ),
            ratio(
                side("a system call", "syscall.getpid", "method=libc"),
                side("a procedure call", "call.procedure", "arguments=0"),
                "getpid does next to nothing; calls that work or that block cost more",
            ),
        ],
    },
    Question {
        id: "library",
        asks: "How much faster is reading the clock in user space (vDSO) than by a system call?",
        derivations: &[ratio(
            side("reading the clock by a system call", "clock.read.monotonic.syscall", ""),
            side("reading it in user space", "clock.read.monotonic", ""),
            "where the vDSO cannot read the clock source it makes the system call, and the ratio is about 1",
        )],
    },
    Question {
        id: "creation",
        asks: "How much more does it cost to create a process than a thread?",
        derivations: &[ratio(
            side(
                "creating a process, its end and its parent's wait",
                "process.create.fork_wait",
                "resident=0B",
            ),
            side("creating and joining a thread", "thread.create.join", ""),
            "the parent has next to no memory of its own; with more, fork takes longer, and a thread does not",
        )],
    },
    Question {
        id: "fork_memory",
        asks: "How much more does fork cost with more memory of the parent?",
        derivations: &[slope(
            "process.create.fork_wait",
            "",
            "one more resident MiB",
            "private anonymous memory in base pages, as a heap is",
        )],
    },
    Question {
        id: "switch",
        asks: "Is a switch between processes slower than one between threads?",
        derivations: &[
            ratio(
                PROCESS_PIPE,
                THREAD_PIPE,
                "both by pipes, with little memory to load again; the address space is what differs",
            ),
            ratio(
                PROCESS_FUTEX,
                THREAD_FUTEX,
                "both by a futex, with little memory to load again; the address space is what differs",
            ),
            ratio(
                side("a switch between processes by pipes", "switch.process.pipe", "cpu=same"),
                side("one between threads by a futex", "switch.thread.futex", "cpu=same"),
                "not comparable: the two points differ in their mechanism, not only in their address space",
            ),
        ],
    },
    Question {
        id: "placement",
        asks: "Is it cheaper to hand a byte to a process on the same CPU or on another?",
        derivations: &[ratio(
            side("a round trip to another CPU", "ipc.pipe.round_trip", "cpu=other"),
            side("a round trip on one CPU", "ipc.pipe.round_trip", "cpu=same"),
            "both sides sleep between bytes; where the other CPU never sleeps, waking it is cheaper",
        )],
    },
];
