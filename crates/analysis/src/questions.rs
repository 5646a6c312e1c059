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
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Which of several methods is the fastest.
    Fastest(Fastest),
    /// Whether a cache is as large as the machine says.
    Told(Told),
}

/// Points of an operation that differ in one parameter, by which the fastest is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fastest {
    /// The operation; its quantity is a rate.
    pub operation: &'static str,
    /// The parameter that names the method.
    pub by: &'static str,
    /// The other parameters; of several groups the first decides.
    pub holds: &'static [&'static str],
    /// How the sentence about each of them begins: `on one CPU`.
    pub among: &'static [&'static str],
    /// By method, how many bytes the bus to memory carries at most for each byte that counts, and why; an empty
    /// name stands for all others.
    pub traffic: &'static [(&'static str, f64, &'static str)],
}

/// The size of a cache that was found, and which one the machine calls it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    /// The point that found it.
    pub found: Side,
    /// The cache, as facts name it: `l1d`.
    pub cache: &'static str,
    /// Found and told agree within this share: what the method is good for.
    pub close: f64,
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq)]
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

const MEMORY: &[&str] = &["size=128MiB cpus=1", "size=128MiB cpus=all"];
const AMONG: &[&str] = &["on one CPU", "on all CPUs"];
const ONLY_MAIN: &str = "bytes of the program, each once, in 128 MiB on huge pages where there are any; the thorough profile tries \
                         every method, also on all CPUs";

/// A store brings its line from memory first, and it goes back later; past the caches it only goes.
const STORED: &[(&str, f64, &str)] = &[
    ("nontemporal", 1.0, ""),
    ("zero_line", 1.0, ""),
    (
        "",
        2.0,
        "a line comes before it is written, unless the processor sees that all of it will be",
    ),
];
const COPIED: &[(&str, f64, &str)] = &[
    ("nontemporal", 2.0, "read and written"),
    ("nontemporal_prefetch", 2.0, "read and written"),
    ("", 3.0, "read, brought before it is written, and written"),
];

const fn fastest(
    operation: &'static str,
    traffic: &'static [(&'static str, f64, &'static str)],
) -> (Way, &'static str) {
    let way = Fastest {
        operation,
        by: "method",
        holds: MEMORY,
        among: AMONG,
        traffic,
    };
    (Way::Fastest(way), ONLY_MAIN)
}

const fn told(found: Side, cache: &'static str, close: f64) -> (Way, &'static str) {
    let leaves_open =
        "found is where the latency of growing working sets rises, without anything that the machine says";
    (Way::Told(Told { found, cache, close }), leaves_open)
}

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
        id: "first_cache",
        asks: "Is the first cache as large as the machine says?",
        ways: &[told(
            side("the first cache:", "memory.levels", "level=1 of=size"),
            "l1d",
            0.05,
        )],
    },
    Question {
        id: "second_cache",
        asks: "Is the second cache as large as the machine says?",
        ways: &[told(
            side("the second cache:", "memory.levels", "level=2 of=size"),
            "l2",
            0.15,
        )],
    },
    Question {
        id: "third_cache",
        asks: "Is the third cache as large as the machine says?",
        ways: &[told(
            side("the third cache:", "memory.levels", "level=3 of=size"),
            "l3",
            0.15,
        )],
    },
    Question {
        id: "fastest_read",
        asks: "Which method reads memory fastest?",
        ways: &[fastest("memory.bandwidth.read", &[])],
    },
    Question {
        id: "fastest_write",
        asks: "Which method writes memory fastest?",
        ways: &[fastest("memory.bandwidth.write", STORED)],
    },
    Question {
        id: "fastest_copy",
        asks: "Which method copies memory fastest?",
        ways: &[fastest("memory.bandwidth.copy", COPIED)],
    },
    Question {
        id: "fastest_fill",
        asks: "Which method fills memory fastest?",
        ways: &[fastest("memory.bandwidth.fill", STORED)],
    },
    Question {
        id: "ping",
        asks: "Does ping tell what a round trip between programs takes?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a round trip between programs",
                    "network.round_trip.tcp",
                    "path=loopback cpu=same bytes=64",
                ),
                to: side("ping", "network.round_trip.icmp", "path=loopback bytes=56"),
            },
            "over loopback, where nothing is on its way: the kernel answers ping itself, and no program wakes",
        )],
    },
    Question {
        id: "network_adds",
        asks: "What does the network add to a round trip?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a round trip to the other machine",
                    "network.round_trip.tcp",
                    "path=remote bytes=64",
                ),
                to: side(
                    "one on this machine",
                    "network.round_trip.tcp",
                    "path=loopback cpu=same bytes=64",
                ),
            },
            "on this machine both ends share a CPU, and nobody is woken by an interrupt of a card",
        )],
    },
    Question {
        id: "network_stream",
        asks: "How much less than within this machine goes over the network?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a stream within this machine",
                    "network.bandwidth.tcp",
                    "path=loopback cpu=other",
                ),
                to: side("one to the other machine", "network.bandwidth.tcp", "path=remote"),
            },
            "what bounds it is the slower of the link and of the slower end",
        )],
    },
    Question {
        id: "protocol",
        asks: "What do TCP and IP add to a round trip on one machine?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "a round trip over TCP",
                    "network.round_trip.tcp",
                    "path=loopback cpu=same bytes=64",
                ),
                to: side(
                    "one over a Unix socket",
                    "network.round_trip.unix",
                    "path=loopback cpu=same bytes=64",
                ),
            },
            "a Unix socket wakes its sender once more than it needs to, which makes up for part of the protocol",
        )],
    },
    Question {
        id: "stream",
        asks: "How far is a stream over loopback from what memory allows?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "copying memory",
                    "memory.bandwidth.copy",
                    "method=widest size=128MiB cpus=1",
                ),
                to: side(
                    "a stream over TCP",
                    "network.bandwidth.tcp",
                    "path=loopback cpu=same",
                ),
            },
            "both by one CPU; a stream copies every byte twice, so that half of a copy's bandwidth is the most",
        )],
    },
    Question {
        id: "stream_end",
        asks: "Which end bounds a stream over loopback?",
        ways: &[(
            Way::Ratio {
                of: side(
                    "receiving a MiB",
                    "network.bandwidth.tcp.cpu",
                    "path=loopback cpu=other end=receiver",
                ),
                to: side(
                    "sending it",
                    "network.bandwidth.tcp.cpu",
                    "path=loopback cpu=other end=sender",
                ),
            },
            "CPU time of each end; where neither comes near a whole CPU, the ends wait for each other to wake",
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
