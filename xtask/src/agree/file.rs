//! Reads of files beside `fio` with the same parameters, on a file of the same size in the same directory.

use super::comparison::{Comparison, PLAIN, Tool, compare};
use super::reading::Reads;
use programs::package;

/// The median of single reads, from asked to answered. fio reads for two seconds from a file of its own, which it writes first
/// and removes.
static MEDIAN: Tool = Tool {
    name: "fio",
    package: Some(package("fio", "fio", "comparison with fio")),
    command: "taskset -c {own} fio --name=oscope --filename={file} --bs=4k --time_based --runtime=2 --ramp_time=1 \
              --invalidate=0 --randrepeat=0 --norandommap --unlink=1 --lat_percentiles=1 --clat_percentiles=0 \
              --percentile_list=50 --output-format=json",
    reads: Reads::Behind("\"50.000000\" :", 1.0),
    ..PLAIN
};

/// What is left between reads when many are in flight, or when nobody looks at the clock.
static RATE: Tool = Tool { reads: Reads::PerSecond("\"iops\" :"), ..MEDIAN };

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(
        &MEDIAN,
        "4 KiB O_DIRECT, random",
        "file.read.direct access=random file_size=64MiB",
        "--size=64M --rw=randread --direct=1 --ioengine=psync",
    ),
    compare(
        &PLAIN,
        "4 KiB O_DIRECT, random, one process",
        "file.read.direct access=random file_size=64MiB",
        "direct {file} {own}",
    ),
    compare(
        &PLAIN,
        "4 KiB O_DIRECT, random, a process for each 64",
        "file.read.direct access=random file_size=64MiB",
        "direct-young {file} {own}",
    ),
    compare(
        &MEDIAN,
        "4 KiB O_DIRECT, in order",
        "file.read.direct access=sequential file_size=64MiB",
        "--size=64M --rw=read --direct=1 --ioengine=psync",
    ),
    compare(
        &RATE,
        "4 KiB O_DIRECT, random, 1 at once",
        "file.read.uring depth=1",
        "--size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=1",
    ),
    compare(
        &RATE,
        "4 KiB O_DIRECT, random, 4 at once",
        "file.read.uring depth=4",
        "--size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=4",
    ),
    compare(
        &RATE,
        "4 KiB O_DIRECT, random, 16 at once",
        "file.read.uring depth=16",
        "--size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=16",
    ),
    compare(
        &RATE,
        "4 KiB O_DIRECT, random, 16 at once, registered",
        "file.read.uring depth=16 method=registered",
        "--size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=16 --fixedbufs=1 --registerfiles=1",
    ),
    compare(
        &RATE,
        "4 KiB O_DIRECT, random, 64 at once",
        "file.read.uring depth=64",
        "--size=256M --rw=randread --direct=1 --ioengine=io_uring --iodepth=64",
    ),
    // Neighbours that are handed over together become one request, as they do in oscope.
    compare(
        &RATE,
        "4 KiB O_DIRECT, in order, 16 at once",
        "file.read.uring depth=16 access=sequential",
        "--size=64M --rw=read --direct=1 --ioengine=io_uring --iodepth=16 --iodepth_batch=16 \
         --iodepth_batch_complete_min=16",
    ),
    compare(
        &RATE,
        "4 KiB from the cache, random",
        "file.read.cached access=random file_size=16MiB",
        "--size=16M --rw=randread --ioengine=psync --gtod_reduce=1",
    ),
    compare(
        &PLAIN,
        "4 KiB from the cache, random, by the instruction",
        "file.read.cached access=random file_size=16MiB",
        "cached {file} {own}",
    ),
    compare(
        &RATE,
        "4 KiB from the cache, in order",
        "file.read.cached access=sequential file_size=16MiB",
        "--size=16M --rw=read --ioengine=psync --gtod_reduce=1",
    ),
];
