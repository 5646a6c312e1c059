//! Files: the kernel's path to a cached block and to the device, and to a file server.

use super::group::Group;

/// Counted in the source of Linux 6.1 to 6.18.
pub const FORMULAS: &[&str] = &[
    // A read call to its cached block, and back; 4 096 of the counted instructions are turns of the copy.
    "find_page = kernel({counted[file.read.cached access=random file_size=64KiB] - counted[syscall.floor] - 4096})",
    // Names of a directory block checked and compared one after the other, until it ends.
    "names(instructions) = {round(instructions × 0.4)} cycles (×1.8: instructions counted in an emulator (Linux 6.12 of Debian 13, \
     oscope count): a short loop over data in L1 and L2, 2.5 a cycle)",
    // Additional cost of a page added to the cache.
    "new_file_page = path(1100, 8) (×1.8: page from the CPU's list and charged (280), added to the page index \
     and the LRU list (320), unlocked with wake-up on completion (200), and the share of its later removal within the \
     read (300)) × cycle_ns",
    // The rate of copying a file to one buffer in L1: its pages come from the cache level that holds them.
    "copy_of_small_file(bytes) = bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=256KiB cpus=1]",
    "copy_of_large_file(bytes) = bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    "device_read = 70000 ns (×2: a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications of NVMe drives of \
     2016 to 2024 and of clouds' local disks))",
    // Of a stream of large reads.
    "device_share = 2700 ns (×3: 4 KiB at 1.5 GB/s: sequential reads of flash between a cloud's local disk (0.5) and a \
     drive on PCIe 4 (7))",
    "device_write = 50000 ns (×2.2: a write of 4 KiB at depth 1 to flash with a cache of its own: 20 to 100 µs)",
    // A device cache flush.
    "device_flush = 100000 ns (×5: a flush of a drive's or a host's cache: 20 µs (protected against loss of power) to \
     5 ms; the round trip of a command in between)",
    // A read and, before it, one of each competitor at the device's request rate: the lower bound of the throughput of a closed
    // queue (Zahorjan et al., Balanced job bound analysis of queueing networks, CACM 1982).
    "read_behind_others = [file.read.direct access=sequential file_size=64MiB] + {competitors} × [file.read.uring depth=64]",
    // To the peer, or over loopback if that was not measured.
    "t0 server_trip = 80000 ns (×3: a small TCP round trip within a building: 25 to 250 µs (switched Ethernet \
     of 1 to 100 Gbit/s))",
    "t1 server_trip = ([network.round_trip.tcp path=remote bytes=64B] or else \
     [network.round_trip.tcp path=loopback cpu=other bytes=64B])",
    "t0 transferred(bytes) = 0.8 ns/byte (×8: a byte at 10 Gbit/s: networks of 1 to 100 Gbit/s) × bytes",
    "t1 transferred(bytes) = bytes × 1e9 ns/s / ([network.bandwidth.tcp path=remote] or else \
     [network.bandwidth.tcp path=loopback cpu=other])",
    // A FUSE daemon receives the request from the kernel and returns the reply.
    "mount_program = remote.programs × [ipc.pipe.round_trip cpu=other]",
];

pub const TERMS: &[Group] = &[
    (
        "cached read of a block(n)",
        &[
            "floors({n})",
            "software page-cache lookup = {n} × find_page",
            "hardware t0 4 KiB copied = {n} × 400 cycles (×1.9: 4 KiB at 10 bytes a cycle: rep movsb from L2 or the \
             last-level cache, between 32 (L1) and 6 (memory)) × cycle_ns",
            "block copied out of a file",
        ],
    ),
    (
        "block copied out of a file",
        &[
            "file_size=..1MiB: hardware t1 4 KiB copied = copy_of_small_file(4096 bytes)",
            "file_size!=..1MiB: hardware t1 4 KiB copied = copy_of_large_file(4096 bytes)",
            // Prefetchers stop at the end of a page.
            "file_size!=..1MiB access=random: hardware t1 first line of a page = [memory.latency page_size=4KiB bytes=16MiB]",
        ],
    ),
    (
        // A cached read, a page allocated in the cache, and the device.
        "uncached read of a block",
        &[
            "t0 cached read of a block(1)",
            "let cached = [file.read.cached access=sequential file_size=16MiB]",
            // Sequential: device and copying overlap; the slower one counts.
            "access=sequential: hardware t0 4 KiB of a stream from the device = device_share",
            "access=sequential: hardware t1 device throughput, or the kernel's = \
             max({1 / 256} × [file.read.uring depth=4 block=1MiB], cached + new_file_page)",
            // The first block is read alone; the second starts readahead and waits for it.
            "access=sequential: hardware t0 read of the device = {min(2, file_size / 4096) / (file_size / 4096)} × device_read",
            "access=sequential: hardware t1 two waits for the device = {min(2, file_size / 4096) / (file_size / 4096)} × \
             [file.read.direct access=sequential file_size=64MiB]",
            "access!=sequential: hardware t0 read of the device = device_read",
            "access!=sequential: hardware t1 O_DIRECT read of a block = [file.read.direct access=random file_size=64MiB]",
            "access!=sequential: t0 request to the device",
            "access!=sequential: software t1 lookup and copy = cached − [syscall.floor]",
            "access!=sequential: software page allocated in the cache = new_file_page",
        ],
    ),
    (
        "request to the device",
        &[
            "software O_DIRECT path to the queue = path(6500, 40) (×2: request built, page pinned, mapped to the \
             disk, queued and passed to the driver (3000), context switch (1500), interrupt, completion, wake-up \
             (2000)) × cycle_ns",
        ],
    ),
    (
        "first read of a file(n)",
        &[
            "t0 floors({3 * n})",
            "hardware t0 read of the device = {n} × device_read",
            "software t0 open, read, close = {n} × path(3000, 25) (×2: a name looked up below /proc, a file allocated, \
             opened by its file system; closed, freed) × cycle_ns",
            "software t1 open and close = {n} × [syscall.open_close.read]",
            "hardware t1 uncached read = {n} × [file.read.uncached access=random file_size=64MiB]",
        ],
    ),
    (
        // The sync causes `writes` writes to the device.
        "write and sync(writes)",
        &[
            "t0 floors(2)",
            "hardware t0 write to the device = {writes} × device_write",
            "hardware t0 device cache flush = device_flush",
            "software t1 buffered write = [file.write.buffered access=random fill_write=4KiB]",
        ],
    ),
    (
        "read under contention",
        &[
            "hardware t0 one read, or all reads sequentially = {max(70000, 10000 * (1 + competitors))} ns (×2.5: a \
             read of 4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk takes some 100 000 requests a second in \
             total (10 µs each))",
            "hardware t1 one read, and one of each competitor before it = read_behind_others",
        ],
    ),
    (
        // A request with a reply of `bytes` bytes.
        "request to the server(bytes)",
        &[
            "hardware network round trip = server_trip",
            "hardware bytes over the network = transferred(bytes)",
            "software t1 FUSE daemon = mount_program",
            // The daemon copies the data to the kernel once more.
            "hardware t1 additional copy by the FUSE daemon = remote.programs × copy_of_large_file(bytes)",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "blocks from the cache",
        &[
            "cache.full = 1 (if consistent): every page was cached before each batch",
            "nothing from a device",
            "linear",
            "undisturbed",
            "no new pages",
        ],
    ),
    ("nothing from a device", &["device.bytes = 0 (quiet, if consistent): no byte came from a device"]),
    (
        "blocks from the device(most)",
        &["answers = 1: every block had the expected content", "from the device({most})"],
    ),
    (
        // At most `most` bytes per requested byte: the kernel may also read gaps.
        "from the device(most)",
        &[
            "file.on_disk = 1: the whole file has extents on a device",
            "device.bytes 0.999..{most}: the device read the requested bytes",
        ],
    ),
    (
        // Random blocks seldom have a neighbour in flight with which they are merged. The counts include other programs.
        "one request each",
        &["device.requests 0.9..1e9: the device got at least one request for each block"],
    ),
    (
        "requests for written blocks",
        &[
            "one request each",
            "device.written 0.99..1e9: at least the bytes of the writes were written to the device",
        ],
    ),
    (
        // Not available where the device has no volatile cache, or lies on others (dm, md).
        "a flush each",
        &["device.flushes 0.95..1e9: the cache of the device was flushed for each"],
    ),
    (
        "competitors beside the reader",
        &[
            "actors.overlap = {competitors} (if consistent): every competitor was active before the window \
             began and after it ended",
            "actors.processes = {competitors + 1}: main reader and competitors were concurrent processes",
        ],
    ),
    (
        "written",
        &[
            "file.on_disk = 1: the whole file has extents on a device",
            "blocks.right = 1: at the end every block had the last data written",
        ],
    ),
    (
        // Other programs may also read on the server, which only adds bytes.
        "blocks from the server",
        &[
            "answers = 1: every block had the expected content",
            "remote.bytes 0.9..4096: the requested bytes were received over the network: nothing was cached at the client",
            "server_cache=cold: server.device_bytes 0.9..4096: the devices of the peer's machine read the requested bytes: it \
             is the file server, and its cache was cold",
            "server_cache!=cold: server.device_bytes 0..0.5 (noise): the peer's machine, the file server, \
             read almost nothing from its devices",
        ],
    ),
    (
        "reply of the server",
        // TCP and IP headers and a status word.
        &["remote.bytes 44..100000: a reply arrived over the network for each"],
    ),
];

pub const BOUNDS: &[Group] = &[(
    "copy of a block",
    &["> 64 cycles × cycle_ns: no core stores more than 64 bytes per cycle, and the block is copied"],
)];
