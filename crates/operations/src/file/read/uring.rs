//! O_DIRECT reads of blocks by io_uring, so many under way at once.

use crate::file::DEVICE;
use crate::file::workloads::uring;
use measure::{Operation, Point};
use quantity::Quantity;
use record::Plot;

/// Several at once.
pub static URING: Operation = Operation {
    id: "file.read.uring",
    title: "read of 4 KiB of a file with O_DIRECT by io_uring, several under way",
    one_iteration: "one read of a block with O_DIRECT, of which so many are under way at once; whose first and last \
                    word must be what was written there",
    method: "io_uring with one submission queue, no polling, no registered buffers; blocks at random places, or one \
             behind the other. As many reads as the depth says are \
             submitted by one call; then each call waits for at least one, and a new read takes the place of each that \
             is complete. A value is the time of ten reads for each one under way (32 at least), from the first call to \
             the last completion, divided by their number.",
    confounds: "It is a time per block, not the time that one block takes: that is so many times longer. In order, what \
                is asked for at once may be one request to the device. Below the device nothing is emptied.",
    sources: &[("fio", "io_uring, direct=1, bs=4k, iodepth=1 to 64")],
    points: |_| Point::all("depth=1|4|16|64; depth=4 block=1MiB; depth=16 access=sequential"),
    plot: Some(|| Plot::logarithmic("depth", "reads under way", Quantity::Count)),
    predict: &[
        "block=*: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: hardware t0 the device, so many at once = {max(10000, 70000 / depth)} ns (×2.5: a read of \
         4 KiB at depth 1 from flash: 50 to 100 µs; a virtual disk has a queue or two, each of which takes \
         some 100 000 requests a second (virtio, a thread of the host), a drive of its own takes more)",
        "access!=*: let alone = [file.read.direct access=random bytes=256MiB]",
        "access=*: let alone = [file.read.direct access={access} bytes=64MiB]",
        "depth!=64 block!=*: hardware t1 a read's share, or the most that the device takes = max({1 / depth} \
         × alone, [file.read.uring depth=64])",
    ],
    evidence: &[
        "blocks from the device(1.001)",
        "reads.deepest = {depth}: so many reads were under way at once",
    ],
    bounds: &["> {1 / 64} × [syscall.floor]: one call takes at most 64 reads"],
    run: uring::read_several_at_once,
    ..DEVICE
};
