//! Reads of files beside `fio` with the same parameters, on a file of the same size in the same directory.

use super::peers::{Peer, Table};
use super::reading::Reads;
use programs::Package;

/// All of them.
pub static TABLE: Table = Table {
    area: "file",
    packages: &[Package { name: "fio", programs: &["fio"], tests: "comparison with fio", is_server: false }],
    peers: PEERS,
};

/// fio reads for two seconds from a file of its own, which it writes first and removes.
macro_rules! fio {
    ($size:literal, $($more:literal),+) => {
        &[
            "taskset",
            "-c",
            "{own}",
            "fio",
            "--name=oscope",
            "--filename={file}",
            concat!("--size=", $size),
            "--bs=4k",
            "--time_based",
            "--runtime=2",
            "--ramp_time=1",
            "--invalidate=0",
            "--randrepeat=0",
            "--norandommap",
            "--unlink=1",
            "--lat_percentiles=1",
            "--clat_percentiles=0",
            "--percentile_list=50",
            "--output-format=json",
            $($more),+
        ]
    };
}

/// The median of single reads, from asked to answered.
const MEDIAN: Peer = Peer { tool: "fio", reads: Reads::Behind("\"50.000000\" :", 1.0), ..Peer::NEW };

/// What is left between reads when many are on their way, or when nobody looks at the clock.
const RATE: Peer = Peer { tool: "fio", reads: Reads::PerSecond("\"iops\" :"), ..Peer::NEW };

const PEERS: &[Peer] = &[
    Peer {
        what: "4 KiB O_DIRECT, random",
        ours: "file.read.direct access=random bytes=64MiB",
        command: fio!("64M", "--rw=randread", "--direct=1", "--ioengine=psync"),
        ..MEDIAN
    },
    Peer {
        what: "4 KiB O_DIRECT, in order",
        ours: "file.read.direct access=sequential bytes=64MiB",
        command: fio!("64M", "--rw=read", "--direct=1", "--ioengine=psync"),
        ..MEDIAN
    },
    Peer {
        what: "4 KiB O_DIRECT, random, 16 at once",
        ours: "file.read.uring depth=16",
        command: fio!("64M", "--rw=randread", "--direct=1", "--ioengine=io_uring", "--iodepth=16"),
        ..RATE
    },
    Peer {
        what: "4 KiB O_DIRECT, in order, 16 at once",
        ours: "file.read.uring depth=16 access=sequential",
        command: fio!(
            "64M",
            "--rw=read",
            "--direct=1",
            "--ioengine=io_uring",
            "--iodepth=16",
            // Neighbours that are handed over together become one request, as they do in oscope.
            "--iodepth_batch=16",
            "--iodepth_batch_complete_min=16"
        ),
        ..RATE
    },
    Peer {
        what: "4 KiB from the cache, random",
        ours: "file.read.cached access=random bytes=16MiB",
        command: fio!("16M", "--rw=randread", "--ioengine=psync", "--gtod_reduce=1"),
        ..RATE
    },
    Peer {
        what: "4 KiB from the cache, in order",
        ours: "file.read.cached access=sequential bytes=16MiB",
        command: fio!("16M", "--rw=read", "--ioengine=psync", "--gtod_reduce=1"),
        ..RATE
    },
];
