//! Caches and memory: loads, page faults, pages and areas, bandwidth.

use super::Group;

pub const FORMULAS: &[&str] = &[
    "second_translation = 7 cycles (×1.3: a hit in the second level: 7 cycles (Intel's and AMD's optimization manuals))",
    // Page faults: the exception, and what the kernel does between it and the page, the same for every kind.
    "exception = 550 cycles (×1.7: a page-fault exception through the descriptor table and IRET, some 200 and 150 cycles \
     on x86-64 cores since 2015, registers saved and restored, the address read, the context tracked: about 150 \
     instructions)",
    "find_entry = 970 cycles (×1.6: area found under its own lock, five levels walked, the entry locked and set, counters \
     and the memory group: 1 340 instructions counted in an emulator (Linux 6.12 of Debian 13, QEMU with -icount) at 1.5 a \
     cycle, 4 locked of 20)",
    "nothing_there = 1200 cycles (×1.6: area looked for without a lock, table of exceptions searched (12 steps, some of \
     them mispredicted), lock of the mappings taken and let go (2 locked of 20), area looked for once more, table searched \
     once more: 1 730 instructions counted in an emulator (Linux 6.12) at 1.5 a cycle)",
    // As a system call that is given a bad address raises it.
    "t1 measured_exception = [fault.efault] − [clock.read.monotonic.syscall] − nothing_there × cycle_ns",
    // Pages: had from the allocator, given back, cleared and copied where no near cache holds them.
    "new_page = 1500 cycles (×1.5: page from the CPU's list, charged to the memory group, reverse map, list of the least \
     recently used, its share of a refill from the zone and of a page table: 1 590 instructions counted in an emulator \
     (Linux 6.12) at 1.5 a cycle and 6 locked of 20 are 1 200; a first write less a first read less the clear took 1 900 \
     on a Zen 5)",
    "page_given_back = 2650 cycles (×1.8: area found and locked, levels walked, entry cleared, one address flushed (250), \
     page uncharged and freed: 3 290 instructions counted in an emulator (Linux 6.12) at 1.5 a cycle, 10 locked of 20)",
    "clear_page = 350 cycles (×1.8: 4 KiB at 12 bytes a cycle: rep stosb on lines of the last cache, between 64 (first \
     cache) and 6 (memory))",
    "copy_page = 600 cycles (×1.8: 4 KiB at 7 bytes a cycle: rep movsb between lines of the last cache)",
    // The same by a string instruction, as the kernel does it and as fast as a program does.
    "t1 page_cleared = 4096 bytes × 1e9 ns/s / [memory.bandwidth.fill method=string bytes=128MiB cpus=1]",
    "t1 page_copied = 4096 bytes × 1e9 ns/s / [memory.bandwidth.copy method=string bytes=128MiB cpus=1]",
    // The TLB may hold an entry that was there.
    "replace_entry = 770 cycles (×1.6: entry cleared and one address invalidated (INVLPG, some 150 to 250 cycles), the walk \
     for it made anew, notifiers looked for: 380 instructions counted in an emulator (Linux 6.12) make 550; a write after \
     a read took 1 070 more than a first write on a Zen 5)",
    "flush = 300 cycles (×2: addresses invalidated one by one up to 33 (INVLPG, 150 to 250 cycles), or the whole TLB)",
    // Areas: both halves of mapping and unmapping.
    "make_area = 3070 cycles (×1.7: mmap lock taken, gap looked for in the tree, limits and accounts, an area allocated, \
     tree changed, hooks: with the other half 9 200 instructions counted in an emulator for Linux 6.12 (16 100 for 6.1), at 1.5 a \
     cycle)",
    "free_area = 3070 cycles (×1.7: mmap lock, area found, tree changed, page tables looked through and none found, \
     accounts, area freed: see the other half)",
    // Bandwidth: what a core moves in a cycle near the first cache, and lines in flight beyond the second.
    "hertz = 1e9 ns/s / cycle_ns",
    "word_loop = 8 bytes/cycle (×1.2: a turn takes a cycle: one addition waits for the other)",
    "string_instruction = 38 bytes/cycle (×1.5: rep stosb or movsb of 16 KiB in the first cache, its start included (Zen 5: \
     38 bytes a cycle))",
    "loads(width) = {2.5 * width} bytes/cycle (×1.3: two or three loads in a cycle, by processor)",
    "stores(width) = {2 * width} bytes/cycle (×1.2: two stores to one line in a cycle (one before 2019))",
    // Two vectors of 32 bytes or one of 64.
    "widest_stores = min(2 × processor.vector_bytes, 64 bytes) × 0.95 (×1.2: a line in a cycle (Zen 5: 61 bytes)) / 1 cycle",
    "by_latency(latency) = 70 (×1.5: 48 entries in the second cache's queue of Golden Cove; 105 lines by 44 GB/s and 153 ns \
     on a Zen 5) × 64 bytes × 1e9 ns/s / latency",
    "stored(read) = read × 0.68 (×1.4: each line comes and goes: 28 to 32 GB/s written where 42 to 45 are read (Zen 5))",
    "stored_past(read) = read × 1 (×1.5: only one way is used: 44 GB/s where 42 to 45 are read (Zen 5))",
    "one_after_the_other(a, b) = 1 / (1 / a + 1 / b)",
];

pub const TERMS: &[Group] = &[
    (
        "page fault",
        &[
            "hardware t0 exception and return = exception × cycle_ns",
            "software t0 way to the page's entry = find_entry × cycle_ns",
            "software t1 fault on the page of zeros = [fault.anonymous.read]",
        ],
    ),
    (
        "cleared page",
        &[
            "software t0 page had and entered = new_page × cycle_ns",
            "software t0 page cleared = clear_page × cycle_ns",
        ],
    ),
    (
        // One call that makes an area and frees one, as a mapping and its unmapping do in two.
        "area made and freed",
        &[
            "t0 floors(1)",
            "software t0 area made and linked = make_area × cycle_ns",
            "software t0 area found and freed = free_area × cycle_ns",
            "software t1 area made and freed = [mapping.mmap_munmap bytes=4KiB] − [syscall.floor]",
        ],
    ),
    (
        // Beyond the second cache: how fast it is read, written, and written with O_DIRECTs.
        "definitions of far memory",
        &[
            "bytes=4MiB: let t0 read = by_latency(family.l3_cycles × cycle_ns)",
            "bytes=128MiB: let t0 read = by_latency(family.memory_ns)",
            "let t1 read = [memory.bandwidth.read method=widest bytes={bytes} cpus=1]",
            "let t0 written = stored(read)",
            "let t1 written = [memory.bandwidth.write method=widest bytes={bytes} cpus=1]",
            "let past = stored_past(read)",
            "bytes=128MiB: let t1 past = [memory.bandwidth.write method=nontemporal bytes=128MiB cpus=1]",
        ],
    ),
    (
        // By `core`, `second` and `far`: what a method reaches in the first cache, in the second and beyond; `alone` is what
        // one CPU does, of which all together have a multiple as far as memory goes.
        "what the method moves",
        &[
            "bytes=16KiB: let one = core × hertz",
            "bytes=256KiB: let one = min(core, second) × hertz",
            "bytes=4MiB|128MiB: let one = min(far, core × hertz)",
            "data=zeros: let one = min(far, core × hertz) × 1.4 (×1.6: 98 GB/s of zeros where 44 of other words are written \
             (Zen 5); the same elsewhere)",
            "cpus=1: hardware what the method moves = one",
            "let t0 alone = one",
            "cpus=all bytes=16KiB: hardware what the method moves = alone × cpus.allowed",
            "cpus=all bytes!=16KiB: hardware what the method moves = min(alone × cpus.allowed × 0.8 (×1.35: two CPUs read 1.1 \
             to 2 times what one does, by where they lie (Zen 5)), 2.5e11 bytes/s (×2: eight channels of DDR5-4800, less \
             a fifth))",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        // 64 loads and the end of a turn.
        "dependent loads",
        &[
            "answers = 1: every load was done",
            "instructions {66 / 64 - 0.01}..{66 / 64 + 0.01}: one load per iteration, 64 of them in a turn of the loop",
            "linear",
            "undisturbed",
            "no new pages",
        ],
    ),
    (
        "every line visited",
        &["lines.visited = 1: every cycle goes through every line that it is said to have once"],
    ),
    (
        "pages from a device",
        &[
            "answers = 1: every page held its random word",
            "file.on_disk = 1: all of the file has extents of its own on a device",
            "cache.emptied = 1: the pages were not in the cache before they were touched",
        ],
    ),
    (
        // Of a trial of a few large blocks the faults of the worker's own lists are a share: one in a thousand pages is far
        // below one for each page that is huge.
        "blocks(bytes)",
        &[
            "words.right = 1: every word of every block done holds what it must in the end",
            "data!=* method!=zero_line: words.not_zero = 1: no word was zero, which some processors move faster",
            "working_set = 1: the blocks together are as large as the point says",
            "cpus=all: cpus.working = 1 (if consistent): every CPU that may be used did blocks",
            "cpus=1: calls: none",
            "cpus=1: linear",
            "undisturbed",
            "no new pages but({max(0.01, bytes / 4096 / 1000)})",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[
    (
        "register",
        &["> 2 cycles × cycle_ns: no processor gives a loaded value before two cycles have passed"],
    ),
    (
        // A fault enters and leaves the kernel by the slower way and does more there than the cheapest call.
        "exceptions(n)",
        &[
            "> {n} × [syscall.floor]: an exception and its return take no less than a system call that does nothing",
        ],
    ),
    (
        "cleared bytes(bytes)",
        &["> {bytes / 128} cycles × cycle_ns: no core clears more than two lines in a cycle"],
    ),
];
