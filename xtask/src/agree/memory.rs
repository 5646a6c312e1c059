//! Memory beside `mbw`, `sysbench` and the plain C program, which chases pointers and copies.

use super::peers::{Peer, Same, Table, plain};
use super::reading::Reads;
use programs::Package;

/// All of them.
pub static TABLE: Table = Table {
    area: "memory",
    packages: &[
        Package { name: "mbw", programs: &["mbw"], tests: "comparison with mbw", is_server: false },
        Package {
            name: "sysbench",
            programs: &["sysbench"],
            tests: "comparison with sysbench",
            is_server: false,
        },
    ],
    peers: PEERS,
};

/// Bytes of a MiB, which these tools call MB.
const MIB: f64 = 1_048_576.0;

/// A copy of mbw between two arrays of 64 MiB on one CPU.
const MBW: Peer = Peer {
    what: "copy, one CPU",
    ours: "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=1",
    tool: "mbw",
    same: Same::AtLeast,
    ..Peer::NEW
};

/// sysbench's loop over words in a block of 128 MiB.
macro_rules! sysbench {
    ($operation:literal, $threads:literal) => {
        &[
            "sysbench",
            "memory",
            "--memory-block-size=128M",
            "--memory-total-size=1T",
            concat!("--memory-oper=", $operation),
            concat!("--threads=", $threads),
            "--time=2",
            "run",
        ]
    };
}

const SYSBENCH: Peer =
    Peer { tool: "sysbench", reads: Reads::Before(" MiB/sec)", MIB), same: Same::AtLeast, ..Peer::NEW };

/// The plain C program copies, reads or writes 128 MiB in all and prints bytes in a second.
const fn plain_rate(what: &'static str, ours: &'static str, command: &'static [&'static str]) -> Peer {
    Peer {
        what,
        ours,
        tool: "plain C",
        command,
        reads: Reads::Before(" B/s", 1.0),
        same: Same::AtLeast,
        ..Peer::NEW
    }
}

const PEERS: &[Peer] = &[
    plain(
        "latency of 16 KiB",
        "memory.latency page_size=4KiB bytes=16KiB",
        &["{plain}", "chase-16", "{own}", "{own}"],
        Same::Yes,
    ),
    plain(
        "latency of 256 KiB",
        "memory.latency page_size=4KiB bytes=256KiB",
        &["{plain}", "chase-256", "{own}", "{own}"],
        Same::Yes,
    ),
    plain(
        "latency of 64 MiB, huge pages",
        "memory.latency page_size=2MiB bytes=64MiB",
        &["{plain}", "chase-65536", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        command: &["taskset", "-c", "{own}", "mbw", "-t0", "-n", "9", "64"],
        reads: Reads::LastLine("AVG", " MiB/s", MIB),
        ..MBW
    },
    Peer {
        what: "copy, one CPU, a loop",
        command: &["taskset", "-c", "{own}", "mbw", "-t1", "-n", "9", "64"],
        reads: Reads::LastLine("AVG", " MiB/s", MIB),
        ..MBW
    },
    plain_rate(
        "copy, one CPU, the library",
        "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=1",
        &["{plain}", "copy", "{own}", "{own}"],
    ),
    plain_rate(
        "read, one CPU",
        "memory.bandwidth.read method=widest bytes=128MiB cpus=1",
        &["{plain}", "read", "{own}", "{own}"],
    ),
    plain_rate(
        "write, one CPU, the library's memset",
        "memory.bandwidth.write method=nontemporal bytes=128MiB cpus=1",
        &["{plain}", "write", "{own}", "{own}"],
    ),
    Peer {
        what: "read, all CPUs",
        ours: "memory.bandwidth.read method=widest bytes=128MiB cpus=all",
        command: sysbench!("read", "2"),
        ..SYSBENCH
    },
    Peer {
        what: "write, all CPUs",
        ours: "memory.bandwidth.write method=nontemporal bytes=128MiB cpus=all",
        command: sysbench!("write", "2"),
        ..SYSBENCH
    },
    plain_rate(
        "copy, one CPU, a loop over doubles as in STREAM",
        "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=1",
        &["{plain}", "stream", "{own}", "{own}"],
    ),
];
