//! Memory beside `mbw`, `sysbench` and the plain C program, which chases pointers and copies.

use super::comparison::{Comparison, PLAIN, Same, Tool, compare};
use super::reading::Reads;
use programs::package;

/// Bytes of a MiB, which these tools call MB.
const MIB: f64 = 1_048_576.0;

/// The plain C program copies, reads or writes 128 MiB in all and prints bytes in a second.
static PLAIN_RATE: Tool = Tool { reads: Reads::Before(" B/s", 1.0), same: Same::AtLeast, ..PLAIN };

/// A copy of mbw between two arrays of 64 MiB on one CPU.
static MBW: Tool = Tool {
    name: "mbw",
    package: Some(package("mbw", "mbw", "comparison with mbw")),
    command: "taskset -c {own} mbw -n 9",
    reads: Reads::LastLine("AVG", " MiB/s", MIB),
    ..PLAIN_RATE
};

/// sysbench's loop over words in a block of 128 MiB.
static SYSBENCH: Tool = Tool {
    name: "sysbench",
    package: Some(package("sysbench", "sysbench", "comparison with sysbench")),
    command: "sysbench memory --memory-block-size=128M --memory-total-size=1T --threads=2 --time=2",
    reads: Reads::Before(" MiB/sec)", MIB),
    ..PLAIN_RATE
};

/// STREAM's loops over three arrays of 64 MiB for each CPU, by plain stores or by stores that do not read their line.
static STREAM: Tool = Tool { command: "{parallel}", same: Same::Yes, ..PLAIN_RATE };

/// `xtask/src/agree/parallel.c`, which gives the time of a page.
static AREA_OF_FAULTS: Tool = Tool { command: "{parallel}", ..PLAIN };

const COPY: &str = "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=1";

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(&PLAIN, "latency of 16 KiB", "memory.latency page_size=4KiB bytes=16KiB", "chase-16 {own} {own}"),
    compare(
        &PLAIN,
        "latency of 256 KiB",
        "memory.latency page_size=4KiB bytes=256KiB",
        "chase-256 {own} {own}",
    ),
    compare(&PLAIN, "latency of 4 MiB", "memory.latency page_size=4KiB bytes=4MiB", "chase-4096 {own} {own}"),
    compare(
        &PLAIN,
        "latency of 64 MiB",
        "memory.latency page_size=4KiB bytes=64MiB",
        "chase-65536-small {own} {own}",
    ),
    compare(&PLAIN, "base pages made a huge page", "mapping.collapse", "collapse {own} {own}"),
    compare(&PLAIN, "a huge page split", "mapping.split", "split {own} {own}"),
    compare(&PLAIN, "first write to a page of 16 MiB", "fault.anonymous.write", "faults {own} {own}"),
    compare(
        &AREA_OF_FAULTS,
        "the same of an area of 4 MiB, mapped and unmapped, as in will-it-scale",
        "fault.anonymous.write",
        "fault_area {own} processes",
    )
    .differs("mmap and munmap are within its time: taking a page out of the area and freeing it"),
    compare(
        &PLAIN,
        "latency of 64 MiB, huge pages",
        "memory.latency page_size=2MiB bytes=64MiB",
        "chase-65536 {own} {own}",
    ),
    compare(&MBW, "copy, one CPU", COPY, "-t0 64"),
    compare(&MBW, "copy, one CPU, a loop", COPY, "-t1 64"),
    compare(&PLAIN_RATE, "copy, one CPU, the library", COPY, "copy {own} {own}"),
    compare(
        &PLAIN_RATE,
        "read, one CPU",
        "memory.bandwidth.read method=widest bytes=128MiB cpus=1",
        "read {own} {own}",
    ),
    compare(
        &PLAIN_RATE,
        "write, one CPU, the library's memset",
        "memory.bandwidth.write method=nontemporal bytes=128MiB cpus=1",
        "write {own} {own}",
    ),
    compare(
        &SYSBENCH,
        "read, all CPUs",
        "memory.bandwidth.read method=widest bytes=128MiB cpus=all",
        "--memory-oper=read run",
    ),
    compare(
        &SYSBENCH,
        "write, all CPUs",
        "memory.bandwidth.write method=nontemporal bytes=128MiB cpus=all",
        "--memory-oper=write run",
    ),
    compare(&PLAIN_RATE, "copy, one CPU, a loop over doubles as in STREAM", COPY, "stream {own} {own}"),
    compare(
        &STREAM,
        "STREAM copy, one CPU, plain stores",
        "memory.bandwidth.copy method=widest bytes=128MiB cpus=1",
        "copy {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM copy, one CPU, non-temporal stores",
        "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=1",
        "copy_nt {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM copy, all CPUs, non-temporal stores",
        "memory.bandwidth.copy method=nontemporal bytes=128MiB cpus=all",
        "copy_nt {both} threads",
    ),
    compare(
        &STREAM,
        "STREAM scale, one CPU, plain stores",
        "memory.bandwidth.scale method=widest bytes=128MiB cpus=1",
        "scale {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM scale, one CPU, non-temporal stores",
        "memory.bandwidth.scale method=nontemporal bytes=128MiB cpus=1",
        "scale_nt {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM scale, all CPUs, non-temporal stores",
        "memory.bandwidth.scale method=nontemporal bytes=128MiB cpus=all",
        "scale_nt {both} threads",
    ),
    compare(
        &STREAM,
        "STREAM add, one CPU, plain stores",
        "memory.bandwidth.add method=widest bytes=192MiB cpus=1",
        "add {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM add, one CPU, non-temporal stores",
        "memory.bandwidth.add method=nontemporal bytes=192MiB cpus=1",
        "add_nt {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM add, all CPUs, non-temporal stores",
        "memory.bandwidth.add method=nontemporal bytes=192MiB cpus=all",
        "add_nt {both} threads",
    ),
    compare(
        &STREAM,
        "STREAM triad, one CPU, plain stores",
        "memory.bandwidth.triad method=widest bytes=192MiB cpus=1",
        "triad {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM triad, one CPU, non-temporal stores",
        "memory.bandwidth.triad method=nontemporal bytes=192MiB cpus=1",
        "triad_nt {own} threads",
    ),
    compare(
        &STREAM,
        "STREAM triad, all CPUs, non-temporal stores",
        "memory.bandwidth.triad method=nontemporal bytes=192MiB cpus=all",
        "triad_nt {both} threads",
    ),
];
