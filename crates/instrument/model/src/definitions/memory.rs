//! Caches and memory: loads, page faults, pages, memory areas, bandwidth.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    "second_translation = 7 cycles (×1.3: a hit in the second level: 7 cycles (Intel's and AMD's optimization manuals))",
    "second_tlb = 2048 (×2: L2 TLB entries: 1536 (Skylake), 2048 (Ice Lake on, Zen 2 and 3), 3072 (Zen 4), 4096 (Zen 5))",
    "page_walk = 40 cycles (×1.7: a walk with its entries in L1 and L2: 20 to 35 cycles; twice that in a guest)",
    // A load from a working set in random order: every reported level holds its share of the lines.
    "t0 held_by(capacity, set) = min(capacity / set, 1)",
    "t0 from_l1(set) = held_by(cache.l1d.size, set) × family.l1_cycles × cycle_ns",
    "t0 from_l2(set) = (held_by(cache.l2.size, set) − held_by(cache.l1d.size, set)) × family.l2_cycles × cycle_ns",
    "t0 from_l3(set) = (held_by(cache.owned.size, set) − held_by(cache.l2.size, set)) × family.l3_cycles × cycle_ns",
    "t0 from_memory(set) = (1 − held_by(cache.owned.size, set)) × family.memory_ns",
    // Page faults: the exception and the path to the page, common to every kind.
    "exception = 550 cycles (×1.7: a page-fault exception through the descriptor table and IRET, some 200 and 150 cycles \
     on x86-64 cores since 2015, registers saved and restored, the address read, the context tracked: about 150 \
     instructions)",
    "find_entry = kernel_cycles(1340)",
    "nothing_there = kernel_cycles(1730)",
    // As measured by a system call with a bad address.
    "t1 measured_exception = [fault.efault] − [clock.read.monotonic.syscall] − nothing_there × cycle_ns",
    // Pages: allocated, freed, and cleared or copied outside L1 and L2.
    "new_page = kernel_cycles(1590)",
    "page_given_back = kernel_cycles({counted[fault.dontneed.call] - counted[syscall.floor]})",
    "clear_page = 350 cycles (×1.8: 4 KiB at 12 bytes a cycle: rep stosb on lines of the last-level cache, between 64 (L1) \
     and 6 (memory))",
    "copy_page = 600 cycles (×1.8: 4 KiB at 7 bytes a cycle: rep movsb between lines of the last-level cache)",
    // The same from the bandwidth of string instructions, as the kernel uses them.
    "t1 page_cleared = 4096 bytes × 1e9 ns/s / [memory.bandwidth.fill method=string bytes=128MiB cpus=1]",
    "t1 page_copied = 4096 bytes × 1e9 ns/s / [memory.bandwidth.copy method=string bytes=128MiB cpus=1]",
    // The TLB may cache the old entry.
    "replace_entry = 770 cycles (×1.6: entry cleared and one address invalidated (INVLPG, some 150 to 250 cycles), its walk \
     repeated, notifiers checked: 380 instructions counted in an emulator (Linux 6.12) make 550; a write after \
     a read took 1 070 more than a first write on a Zen 5)",
    "flush = 300 cycles (×2: addresses invalidated one by one up to 33 (INVLPG, 150 to 250 cycles), or the whole TLB)",
    // VMAs: the two halves of mapping and unmapping.
    "mapped_and_unmapped = kernel_cycles({counted[mapping.mmap_munmap bytes=4KiB] - 2 * counted[syscall.floor]})",
    "make_area = 0.5 × mapped_and_unmapped",
    "free_area = 0.5 × mapped_and_unmapped",
    // Bandwidth: per cycle in L1, and by lines in flight beyond L2.
    "hertz = 1e9 ns/s / cycle_ns",
    "word_loop = 8 bytes/cycle (×1.2: one turn per cycle: each addition depends on the previous one)",
    "string_instruction = processor.vector_bytes × 0.8 (×1.5: rep stosb or movsb moves the widest vector in a cycle behind its \
     startup (optimization manuals)) / 1 cycle",
    "vector_loads(width) = {2 * width} bytes/cycle (×1.25: two vector loads in a cycle on Zen 2 to 5 and on Intel's cores until \
     Ice Lake, three of 256 bits since Golden Cove (optimization manuals))",
    "loads(width) = {2.5 * width} bytes/cycle (×1.3: two or three loads in a cycle, by processor)",
    "stores(width) = {2 * width} bytes/cycle (×1.2: two stores to one line in a cycle (one before 2019))",
    "vector_stores(width) = {width} bytes/cycle (×1.5: one vector store a cycle on most cores, two on some (Agner Fog))",
    "widest_stores = processor.vector_bytes × 1 (×1.3: one store of the widest vector in a cycle (Agner Fog)) / 1 cycle",
    "second_level(share) = processor.vector_bytes × {share} (×1.6: the path between L1 and L2 is as wide as the widest vector: \
     32 bytes a cycle on Zen 2 to 4, 64 on Zen 5 and Intel's servers since 2017 (optimization manuals)) / 1 cycle",
    "by_latency(latency) = 48 (×1.6: entries in the queue of misses of L2: 48 on Golden Cove) × 64 bytes × 1e9 ns/s / latency",
    // A sequential read makes no walks, as random loads on huge pages do not.
    "lines_in_flight(latency) = 62 (×1.6: bandwidth × latency on huge pages of five guests: 40 to 50 lines on Zen 3 and Granite \
     Rapids, 100 on Zen 5) × 64 bytes × 1e9 ns/s / latency",
    "stored(read) = read × 0.68 (×1.4: each line is read and written: 28 to 32 GB/s written where 42 to 45 are read (Zen 5))",
    "stored_nontemporally(read) = read × 1 (×1.5: only one direction is used: 44 GB/s where 42 to 45 are read (Zen 5))",
    "on_all_cpus(alone) = min(alone × cpus.allowed × 0.8 (×1.35: two CPUs read 1.1 to 2 times what one does, by placement \
     (Zen 5)), 2.5e11 bytes/s (×2: eight channels of DDR5-4800, less a fifth))",
    "in_sequence(a, b) = 1 / (1 / a + 1 / b)",
];

pub const TERMS: &[Group] = &[
    (
        "page fault",
        &[
            "hardware t0 exception and return = exception × cycle_ns",
            "software t0 page-table walk and VMA lookup = find_entry × cycle_ns",
            "software t1 fault on the zero page = [fault.anonymous.read]",
        ],
    ),
    (
        // Without a page: as measured by a system call with a bad address.
        "fault and lookup",
        &[
            "hardware t0 exception and return = exception × cycle_ns",
            "hardware t1 exception and return, as with EFAULT = measured_exception",
            "software page-table walk and VMA lookup = find_entry × cycle_ns",
        ],
    ),
    (
        "cleared page",
        &[
            "software t0 page allocated and mapped = new_page × cycle_ns",
            "software t0 page cleared = clear_page × cycle_ns",
        ],
    ),
    (
        // One call that allocates a VMA and frees one, as mmap and munmap do in two.
        "VMA allocated and freed",
        &[
            "t0 floors(1)",
            "software t0 VMA allocated and linked = make_area × cycle_ns",
            "software t0 VMA found and freed = free_area × cycle_ns",
            "software t1 VMA allocated and freed = [mapping.mmap_munmap bytes=4KiB] − [syscall.floor]",
        ],
    ),
    (
        // Beyond L2: bandwidth of reads, of stores, and of non-temporal stores.
        "definitions of far memory",
        &[
            "bytes=4MiB: let t0 read = min(by_latency(family.l3_cycles × cycle_ns), 32 bytes/cycle (×1.3: the path between L2 and \
             the last-level cache is 32 bytes wide, recalled of AMD's optimization guide for family 19h) × hertz)",
            "bytes=128MiB: let t0 read = by_latency(family.memory_ns)",
            "let t1 read = [memory.bandwidth.read method=widest bytes={bytes} cpus=1]",
            "let t0 written = stored(read)",
            "let t1 written = [memory.bandwidth.write method=widest bytes={bytes} cpus=1]",
            "let nontemporal = stored_nontemporally(read)",
            "bytes=128MiB: let t1 nontemporal = [memory.bandwidth.write method=nontemporal bytes=128MiB cpus=1]",
        ],
    ),
    (
        // As STREAM counts: `one` is the rate of one CPU, `alone` the same from facts or as measured.
        "definitions of streams",
        &[
            "let t0 read = by_latency(family.memory_ns)",
            "let t1 read = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
            "method=widest: let t0 written = stored(read)",
            "method=nontemporal: let t0 written = stored_nontemporally(read)",
        ],
    ),
    (
        "bandwidth of a stream",
        &[
            "let t0 alone = one",
            "cpus=1: hardware bandwidth of the kernel = one",
            "cpus=all: hardware bandwidth of the kernel = on_all_cpus(alone)",
        ],
    ),
    (
        // `core`, `second` and `far` are the rates in L1, in L2 and beyond; `alone` is the rate of one CPU, which scales with the
        // CPUs up to the limit of memory.
        "bandwidth of the method",
        &[
            "bytes=16KiB: let one = core × hertz",
            "bytes=256KiB: let one = min(core, second) × hertz",
            "bytes=4MiB|128MiB: let one = min(far, min(core, second) × hertz)",
            "data=zeros: let t0 one = min(far, core × hertz) × 1.4 (×1.6: 98 GB/s of zeros against 44 of other words \
             (Zen 5); the same elsewhere)",
            "data=zeros: let t1 one = min(far, core × hertz)",
            "cpus=1: hardware bandwidth of the method = one",
            "let t0 alone = one",
            "cpus=all bytes=16KiB: hardware bandwidth of the method = alone × cpus.allowed",
            "cpus=all bytes!=16KiB: hardware bandwidth of the method = on_all_cpus(alone)",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "random cycle",
        &["dependent loads", "lines.visited = 1: the cycle visits every line of the working set once"],
    ),
    (
        "one fault per touch",
        &[
            "answers = 1: every page had the expected content",
            "faults.minor 0.99..1.01: one minor fault per touch",
            "linear",
            "undisturbed",
        ],
    ),
    (
        // 64 loads and the loop overhead of a turn.
        "dependent loads",
        &[
            "answers = 1: every load was executed",
            "instructions {66 / 64 - 0.01}..{66 / 64 + 0.01}: one load per iteration, 64 per turn of the loop",
            "linear",
            "undisturbed",
            "no new pages",
        ],
    ),
    ("every line visited", &["lines.visited = 1: every cycle visits each of its lines once"]),
    (
        "pages from a device",
        &[
            "answers = 1: every page held its random word",
            "file.on_disk = 1: the whole file has extents on a device",
            "cache.emptied = 1: the pages were not cached before they were touched",
        ],
    ),
    (
        // In a trial of few large blocks the worker's own lists fault, too: one fault in a thousand pages is still far below one per
        // huge page.
        "blocks(bytes)",
        &[
            "words.right = 1: at the end every word of every processed block was correct",
            "data!=* method!=zero_line: words.not_zero = 1: no word was zero, which some processors move faster",
            "working_set = 1: the blocks together have the size of the point",
            "cpus=all: cpus.working = 1 (if consistent): every allowed CPU processed blocks",
            "cpus=1: calls: none",
            "cpus=1: linear",
            "undisturbed",
            "few new pages({max(0.01, bytes / 4096 / 1000)})",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    ("register", &["> 2 cycles × cycle_ns: no processor returns a loaded value in less than two cycles"]),
    (
        // An exception enters and leaves the kernel more slowly and does more there than the cheapest system call.
        "exceptions(n)",
        &["> {n} × [syscall.floor]: an exception and its return cost at least an empty system call"],
    ),
    (
        "cleared bytes(bytes)",
        &["> {bytes / 128} cycles × cycle_ns: no core clears more than two lines per cycle"],
    ),
];
