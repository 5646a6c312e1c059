//! Questions on memory and its caches.

use super::question::{Derivation, Fastest, Operand, Question, ReportedSize, ratio, side};

const MEMORY: &[&str] = &["bytes=128MiB cpus=1", "bytes=128MiB cpus=all"];
const AMONG: &[&str] = &["on one CPU", "on all CPUs"];
const ONLY_MAIN: &str = "payload of one pass over 128 MiB, on huge pages where available; the thorough profile tries \
                         every method, also on all CPUs";

/// A store reads its line from memory before the line is written back; a non-temporal store only writes.
const STORED: &[(&str, f64, &str)] = &[
    ("nontemporal", 1.0, ""),
    ("zero_line", 1.0, ""),
    ("", 2.0, "each line is read before it is written, unless the processor recognises a full-line store"),
];
const COPIED: &[(&str, f64, &str)] = &[
    ("nontemporal", 2.0, "read and written"),
    ("nontemporal_prefetch", 2.0, "read and written"),
    ("", 3.0, "read, read before it is written, and written"),
];

const THREE_READ: &[(&str, f64, &str)] = &[
    ("nontemporal", 1.0, ""),
    ("", 4.0 / 3.0, "two arrays read, and the third read before it is written, which STREAM does not count"),
];

const fn fastest(
    operation: &'static str,
    traffic: &'static [(&'static str, f64, &'static str)],
) -> (Derivation, &'static str) {
    let way = Fastest { operation, by: "method", holds: MEMORY, among: AMONG, traffic };
    (Derivation::Fastest(way), ONLY_MAIN)
}

/// Lines in flight: the time of a load with one chain and with more chains than a core has room for.
const fn in_flight(bytes: [&'static str; 2]) -> (Derivation, &'static str) {
    let [one, many] = bytes;
    ratio(
        side("a load of one chain", "memory.parallel_loads", one),
        side("a load of 64 chains", "memory.parallel_loads", many),
        "the ratio is the number of lines that one core has in flight; a prefetcher that reads ahead has more",
    )
}

const fn reported_size(found: Operand, cache: &'static str, close: f64) -> (Derivation, &'static str) {
    let leaves_open =
        "measured as the working set at which latency rises; nothing that the machine reports is used";
    (Derivation::ReportedSize(ReportedSize { found, cache, close }), leaves_open)
}

/// The comparison with a page fault of R1, 3, and R3, 4.3.2.
const FROM_MEMORY: Operand =
    side("4 KiB from memory", "memory.bandwidth.read", "method=widest bytes=128MiB cpus=1");
const PER_BYTE: &str = "both are 4096 bytes, so the ratio is per byte; reads from memory are a stream with the next \
                        lines in flight, page faults come one after the other";

/// A function with sizes that no branch predictor knows, and with one size that is about their mean.
const fn unpredicted(words: [&'static str; 2], points: [&'static str; 2]) -> (Derivation, &'static str) {
    ratio(
        side(words[0], "memory.library", points[0]),
        side(words[1], "memory.library", points[1]),
        "the sizes are 1 to 256 B in half octaves, equally frequent; those of a program lie between the two",
    )
}

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "first_cache",
        asks: "Is the L1 data cache as large as reported?",
        derivations: &[reported_size(
            side("the L1 data cache:", "memory.levels", "level=1 property=capacity"),
            "l1d",
            0.05,
        )],
    },
    Question {
        id: "second_cache",
        asks: "Is the L2 cache as large as reported?",
        derivations: &[reported_size(
            side("the L2 cache:", "memory.levels", "level=2 property=capacity"),
            "l2",
            0.15,
        )],
    },
    Question {
        id: "third_cache",
        asks: "Is the L3 cache as large as reported?",
        derivations: &[reported_size(
            side("the L3 cache:", "memory.levels", "level=3 property=capacity"),
            "l3",
            0.15,
        )],
    },
    Question {
        id: "huge_pages",
        asks: "Do huge pages have huge TLB entries?",
        derivations: &[(
            Derivation::HugePageBacking {
                huge: side("huge pages", "memory.tlb.huge", "level=1 property=entries"),
                base: side("base pages", "memory.tlb", "level=1 property=entries"),
            },
            "where the host backs a guest's huge pages with small ones, each small page in use needs its own TLB entry",
        )],
    },
    Question {
        id: "fault_per_byte",
        asks: "How much more does a byte cost by a page fault than by a read from memory?",
        derivations: &[
            ratio(
                side("a page that a fault reads from the device", "fault.file.major", "access=random"),
                FROM_MEMORY,
                PER_BYTE,
            ),
            ratio(
                side("a page that a fault allocates and clears", "fault.anonymous.write", ""),
                FROM_MEMORY,
                PER_BYTE,
            ),
        ],
    },
    Question {
        id: "fastest_read",
        asks: "Which method reads memory fastest?",
        derivations: &[fastest("memory.bandwidth.read", &[])],
    },
    Question {
        id: "fastest_write",
        asks: "Which method writes memory fastest?",
        derivations: &[fastest("memory.bandwidth.write", STORED)],
    },
    Question {
        id: "fastest_copy",
        asks: "Which method copies memory fastest?",
        derivations: &[fastest("memory.bandwidth.copy", COPIED)],
    },
    Question {
        id: "fastest_triad",
        asks: "Which method does STREAM's triad fastest, and what does the bus carry?",
        derivations: &[(
            Derivation::Fastest(Fastest {
                operation: "memory.bandwidth.triad",
                by: "method",
                holds: &["bytes=192MiB cpus=1", "bytes=192MiB cpus=all"],
                among: AMONG,
                traffic: THREE_READ,
            }),
            "bytes of all three arrays, as STREAM counts them; a compiled STREAM has either kind of stores",
        )],
    },
    Question {
        id: "unpredicted_sizes",
        asks: "What do sizes that are not predicted cost a function of the C library?",
        derivations: &[
            unpredicted(
                ["a memcpy of mixed sizes (56 B on average)", "a memcpy of 64 B"],
                [
                    "function=memcpy bytes=256B alignment=0 sizes=mixed",
                    "function=memcpy bytes=64B alignment=0",
                ],
            ),
            unpredicted(
                ["a strlen of mixed sizes (56 B on average)", "a strlen of 64 B"],
                [
                    "function=strlen bytes=256B alignment=0 sizes=mixed",
                    "function=strlen bytes=64B alignment=0",
                ],
            ),
        ],
    },
    Question {
        id: "lines_in_flight",
        asks: "How many lines from memory does one core have in flight?",
        derivations: &[in_flight(["chains=1 bytes=64MiB", "chains=64 bytes=64MiB"])],
    },
    Question {
        id: "lines_in_flight_cache",
        asks: "How many lines from the last-level cache does one core have in flight?",
        derivations: &[in_flight(["chains=1 bytes=4MiB", "chains=64 bytes=4MiB"])],
    },
    Question {
        id: "fastest_fill",
        asks: "Which method fills memory fastest?",
        derivations: &[fastest("memory.bandwidth.fill", STORED)],
    },
];
