//! The questions that reports on operating systems ask, as a table: each names the points that answer it.
//!
//! To add a question, add an entry. Its way is a contrast between numbers of the same run; what that
//! contrast does not separate is said beside the answer, so that no answer claims more than it shows.

/// One side of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// What it is, in words that can begin a sentence.
    pub words: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// The point; empty for the only one.
    pub point: &'static str,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// How many times as long one takes as the other.
    Ratio {
        /// The one.
        of: Side,
        /// The other.
        to: Side,
    },
    /// The slope of the line through a sweep.
    Slope {
        /// The operation.
        operation: &'static str,
        /// The parameters that the sweep holds fixed.
        fixed: &'static str,
        /// What the slope is the cost of: `one more argument`.
        words: &'static str,
    },
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// A word for scripts.
    pub id: &'static str,
    /// The question.
    pub asks: &'static str,
    /// The ways in which it may be answered, each with what that way leaves open; the best that the plan
    /// allows is taken.
    pub ways: &'static [(Way, &'static str)],
}

const fn side(words: &'static str, operation: &'static str, point: &'static str) -> Side {
    Side {
        words,
        operation,
        point,
    }
}

const PROCESS_PIPE: Side = side("a switch between processes", "switch.process.pipe", "cpu=same");
const PROCESS_FUTEX: Side = side("a switch between processes", "switch.process.futex", "cpu=same");
const THREAD_PIPE: Side = side("a switch between threads", "switch.thread.pipe", "cpu=same");
const THREAD_FUTEX: Side = side("a switch between threads", "switch.thread.futex", "cpu=same");

/// All questions, in the order in which they are answered.
pub const QUESTIONS: &[Question] = &[
    Question {
        id: "argument",
        asks: "What does one more argument cost a procedure call?",
        ways: &[(
            Way::Slope {
                operation: "call.procedure",
                fixed: "",
                words: "one more argument",
            },
            "a straight line over all numbers of arguments, of which the last may travel by the stack",
        )],
    },
    Question {
        id: "system_call",
        asks: "How much dearer is a system call than a procedure call?",
        ways: &[(
            Way::Ratio {
                of: side("a system call", "syscall.getppid", ""),
                to: side("a procedure call", "call.procedure", "arguments=0"),
            },
            "getppid does next to nothing; calls that work or that block cost more",
        )],
    },
    Question {
        id: "library",
        asks: "What does the library save that reads the clock without a system call?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "reading the clock by a system call",
                    "clock.read.monotonic.syscall",
                    "",
                ),
                to: side("reading it by the library", "clock.read.monotonic", ""),
            },
            "where the library cannot read the clock itself it makes the call, and the ratio is about 1",
        )],
    },
    Question {
        id: "creation",
        asks: "How much dearer is a process than a thread to create?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "creating a process, its end and its parent's wait",
                    "process.create.fork_wait",
                    "resident_mib=0",
                ),
                to: side("creating and joining a thread", "thread.create.join", ""),
            },
            "the parent has next to no memory of its own; with more, fork takes longer, and a thread does not",
        )],
    },
    Question {
        id: "fork_memory",
        asks: "What does the memory of its parent cost a fork?",
        ways: &[(
            Way::Slope {
                operation: "process.create.fork_wait",
                fixed: "",
                words: "one more resident MiB",
            },
            "private memory in small pages, which is what a heap is made of",
        )],
    },
    Question {
        id: "switch",
        asks: "Is a switch between processes dearer than one between threads?",
        ways: &[
            (
                Way::Ratio {
                    of: PROCESS_PIPE,
                    to: THREAD_PIPE,
                },
                "both by pipes, with little memory to load again; the address space is what differs",
            ),
            (
                Way::Ratio {
                    of: PROCESS_FUTEX,
                    to: THREAD_FUTEX,
                },
                "both by a futex, with little memory to load again; the address space is what differs",
            ),
            (
                Way::Ratio {
                    of: side(
                        "a switch between processes by pipes",
                        "switch.process.pipe",
                        "cpu=same",
                    ),
                    to: side(
                        "one between threads by a futex",
                        "switch.thread.futex",
                        "cpu=same",
                    ),
                },
                "the means differ, so that the address space is not all that does: no contrast of like with like",
            ),
        ],
    },
    Question {
        id: "placement",
        asks: "Is it cheaper to hand a byte to a process on the same CPU or on another?",
        ways: &[(
            Way::Ratio {
                of: side("a round trip to another CPU", "ipc.pipe.round_trip", "cpu=other"),
                to: side("a round trip on one CPU", "ipc.pipe.round_trip", "cpu=same"),
            },
            "both sides sleep between bytes; where the other CPU never sleeps, waking it is cheaper",
        )],
    },
    Question {
        id: "file_cache",
        asks: "How much dearer is a block of a file from the disk than from the kernel's cache?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block from the disk",
                    "file.read.uncached",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "one from the cache",
                    "file.read.cached",
                    "order=random bytes=16MiB",
                ),
            },
            "blocks of 4 KiB at random places; what lies below the device, such as a host's cache, may have had the block",
        )],
    },
    Question {
        id: "sequential",
        asks: "How much dearer is a block at a random place of a file than the next one?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block at a random place",
                    "file.read.uncached",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "the next block",
                    "file.read.uncached",
                    "order=sequential bytes=16MiB",
                ),
            },
            "neither is in the cache at first, but in order the kernel reads ahead: most blocks are there when they are \
             asked for",
        )],
    },
    Question {
        id: "sequential_device",
        asks: "Is reading in order quicker for the disk itself, when nobody reads ahead?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a block at a random place",
                    "file.read.direct",
                    "order=random bytes=64MiB",
                ),
                to: side(
                    "the next block",
                    "file.read.direct",
                    "order=sequential bytes=64MiB",
                ),
            },
            "one block at a time, past the cache; a disk or a host that reads ahead by itself is not told apart from one \
             that is quicker in order",
        )],
    },
    Question {
        id: "contention",
        asks: "What does one more competitor cost who reads at the same time?",
        ways: &[(
            Way::Slope {
                operation: "file.contention",
                fixed: "order=random others=same",
                words: "one more competitor",
            },
            "a straight line, where a device that serves several at once costs nothing more for the first; beyond, the \
             device or the CPUs may be what is short",
        )],
    },
];
