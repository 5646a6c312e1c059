//! Files: the kernel's way to a block in the cache and to the device, and what a file server adds.

use super::Group;

/// Counted in the source of Linux 6.1 to 6.18.
pub const FORMULAS: &[&str] = &[
    // From the entry of a read to its block in the cache, and back.
    "find_page = path(520, 2) (×1.6: descriptor, access and security checks, notification, accounting (180), the file \
     system's own entries (50), vector and state of the read (100), the index of the file's pages walked (50), page \
     held, checked, marked as used and let go (55), the copy set up (50), time of access (35)) × cycle_ns",
    // What a page that comes into the cache costs besides.
    "new_file_page = path(1100, 8) (×1.8: page from the CPU's list and charged (280), entered into the index of the file's \
     pages and the list of the least recently used (320), unlocked and woken when its data is there (200), and taken out \
     again later: of these the share that falls into the read (300)) × cycle_ns",
    // The rate at which a file is copied to one place, which the first cache holds: its pages come from the level of the
    // processor's caches that holds them.
    "copy_of_small_file(bytes) = bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=256KiB cpus=1]",
    "copy_of_large_file(bytes) = bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    "device_read = 70000 ns (×2: a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications of NVMe drives of \
     2016 to 2024 and of clouds' local disks))",
    // Of a stream of large reads.
    "device_share = 2700 ns (×3: 4 KiB at 1.5 GB/s: sequential reads of flash between a cloud's local disk (0.5) and a \
     drive on PCIe 4 (7))",
    "device_write = 50000 ns (×2.2: a write of 4 KiB at depth 1 to flash with a cache of its own: 20 to 100 µs)",
    // A flush command: the device writes its cache out.
    "device_flush = 100000 ns (×5: a flush of a drive's or a host's cache: 20 µs (protected against loss of power) to \
     5 ms; the round trip of a command in between)",
    // The time of a read alone, or the time that the device takes for all, whichever is longer.
    "slowest_of_readers = max([file.read.direct access=sequential bytes=64MiB], \
     {1 + competitors} × [file.read.uring depth=64])",
    // Of the way to the peer, or where that was not measured of the way within this machine.
    "t0 server_trip = 80000 ns (×3: a small message over TCP and back within a building: 25 to 250 µs (switched Ethernet \
     of 1 to 100 Gbit/s))",
    "t1 server_trip = ([network.round_trip.tcp path=remote bytes=64B] or else \
     [network.round_trip.tcp path=loopback cpu=other bytes=64B])",
    "t0 transferred(bytes) = 0.8 ns/byte (×8: a byte at 10 Gbit/s: networks of 1 to 100 Gbit/s) × bytes",
    "t1 transferred(bytes) = bytes × 1e9 ns/s / ([network.bandwidth.tcp path=remote] or else \
     [network.bandwidth.tcp path=loopback cpu=other])",
    // The program behind a mount takes the request from the kernel and gives the answer back.
    "mount_program = remote.programs × [ipc.pipe.round_trip cpu=other]",
];

pub const TERMS: &[Group] = &[
    (
        "cached read of a block(n)",
        &[
            "floors({n})",
            "software find the page in the cache = {n} × find_page",
            "hardware t0 4 KiB copied = {n} × 400 cycles (×1.9: 4 KiB at 10 bytes a cycle: rep movsb from lines of the \
             second or last cache, between 32 (first) and 6 (memory)) × cycle_ns",
            "block copied out of a file",
        ],
    ),
    (
        "block copied out of a file",
        &[
            "bytes=..1MiB: hardware t1 4 KiB copied = copy_of_small_file(4096 bytes)",
            "bytes!=..1MiB: hardware t1 4 KiB copied = copy_of_large_file(4096 bytes)",
        ],
    ),
    (
        // A cached read, a page more in the cache, and the device.
        "uncached read of a block",
        &[
            "t0 cached read of a block(1)",
            "let cached = [file.read.cached access=sequential bytes=16MiB]",
            // In order, the device works while blocks are copied: the slower of the two is what is seen.
            "access=sequential: hardware t0 4 KiB of a stream from the device = device_share",
            "access=sequential: hardware t1 the device's rate, or the kernel's = \
             max({1 / 256} × [file.read.uring depth=4 block=1MiB], cached + new_file_page)",
            // The first block is asked for alone; the second, which shows the order, waits for the first that is read ahead.
            "access=sequential: hardware t0 read of the device = {min(2, bytes / 4096) / (bytes / 4096)} × device_read",
            "access=sequential: hardware t1 two waits for the device = {min(2, bytes / 4096) / (bytes / 4096)} × \
             [file.read.direct access=sequential bytes=64MiB]",
            "access!=sequential: hardware t0 read of the device = device_read",
            "access!=sequential: hardware t1 the same with O_DIRECT = [file.read.direct access=random bytes=64MiB]",
            "access!=sequential: t0 request to the device",
            "access!=sequential: software t1 found and copied = cached − [syscall.floor]",
            "access!=sequential: software a page more in the cache = new_file_page",
        ],
    ),
    (
        "request to the device",
        &[
            "software O_DIRECT path to the queue = path(6500, 40) (×2: the request made, its page held, mapped to the \
             disk, queued and handed to the driver (3000), the task put to sleep and another taken (1500), interrupt, \
             completion, wake-up (2000)) × cycle_ns",
        ],
    ),
    (
        "first read of a file(n)",
        &[
            "t0 floors({3 * n})",
            "hardware t0 read of the device = {n} × device_read",
            "software t0 open, read, close = {n} × path(3000, 25) (×2: a name looked up below /proc, a file allocated, \
             opened by its file system; closed, freed) × cycle_ns",
            "software t1 opened and closed = {n} × [syscall.open_close.read]",
            "hardware t1 an uncached read = {n} × [file.read.uncached access=random bytes=64MiB]",
        ],
    ),
    (
        // The sync makes this number of writes to the device.
        "write and sync(writes)",
        &[
            "t0 floors(2)",
            "hardware t0 write to the device = {writes} × device_write",
            "hardware t0 flush of the device = device_flush",
            "software t1 the write = [file.write.buffered access=random fill_write=4KiB]",
        ],
    ),
    (
        "read among others",
        &[
            "hardware t0 a read, or all of them one after another = {max(70000, 10000 * (1 + competitors))} ns (×2.5: a \
             read of 4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk takes some 100 000 requests a second for \
             all together (10 µs each))",
            "hardware t1 a read, or all of them one after another = slowest_of_readers",
        ],
    ),
    (
        // The cost of a request to the server whose reply has this number of bytes.
        "request to the server(bytes)",
        &[
            "hardware a round trip of the network = server_trip",
            "hardware its bytes on their way = transferred(bytes)",
            "software t1 the program behind the mount = mount_program",
            // What it gets from the network, it gives to the kernel by one more copy.
            "hardware t1 copied once more by that program = remote.programs × copy_of_large_file(bytes)",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "blocks from the cache",
        &[
            "cache.full = 1 (if consistent): every page was in the cache before each batch",
            "nothing from a device",
            "linear",
            "undisturbed",
            "no new pages",
        ],
    ),
    (
        "nothing from a device",
        &["device.bytes = 0 (quiet, if consistent): no byte came from a device"],
    ),
    (
        "blocks from the device(most)",
        &[
            "answers = 1: every block held what was written to it",
            "from the device({most})",
        ],
    ),
    (
        // At most this number of bytes for each byte requested: the kernel may read what lies between.
        "from the device(most)",
        &[
            "file.on_disk = 1: all of the file has extents of its own on a device",
            "device.bytes 0.999..{most}: the device gave the bytes that were asked for",
        ],
    ),
    (
        "written",
        &[
            "file.on_disk = 1: all of the file has extents of its own on a device",
            "blocks.right = 1: every block holds in the end what was written last",
        ],
    ),
    (
        // Others may read on the server meanwhile, which can only be too much.
        "blocks from the server",
        &[
            "answers = 1: every block held what was written to it",
            "remote.bytes 0.9..4096: as many bytes came over the network as were asked for: nothing at this end had them",
            "server_cache=cold: server.device_bytes 0.9..4096: the devices of the peer's machine gave what was asked for: it \
             is the file server, and its cache was empty",
            "server_cache!=cold: server.device_bytes 0..0.5 (noise): the peer's machine, which should be the file server, \
             read next to nothing from its devices",
        ],
    ),
    (
        "an answer of the server",
        // Headers of TCP and IP, and a word of a status.
        &["remote.bytes 44..100000: an answer came over the network for each"],
    ),
];

pub const BOUNDS: &[Group] = &[(
    "copy of a block",
    &["> 64 cycles × cycle_ns: no core stores more than 64 bytes a cycle, and the block is copied"],
)];
