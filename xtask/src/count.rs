//! `cargo xtask count`: the instructions of iterations, counted on a kernel that boots in an emulator.
//!
//! The emulator's clock advances one nanosecond per instruction, so what oscope measures in it is a count: of the kernel and
//! the program together, the same every time. Predictions multiply counts by the kernel's pace, which a run measures.

use crate::command::program;
use crate::{packages, report_csv};
use anyhow::{Context, Result, ensure};
use programs::{Package, package};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What unpacks the kernel, makes its file systems and runs it.
const TOOLS: &[Package] = &[
    package("qemu-system-x86", "qemu-system-x86_64", COUNTS),
    package("busybox-static", "busybox", COUNTS),
    package("e2fsprogs", "mkfs.ext4", COUNTS),
    package("xz-utils", "unxz", COUNTS),
];
const COUNTS: &str = "counts of instructions";

/// What predictions use: warm paths of the kernel by one task, and between two on one CPU.
const SELECTION: &str = "
    clock.read.monotonic.syscall syscall signal
    fault.anonymous.* fault.efault fault.copy_on_write fault.reuse fault.dontneed* fault.zero_then_write fault.file.minor
    mapping network.round_trip.*.self network.round_trip.icmp network.connection
    switch.process.yield switch.thread.futex
    process.create.fork_wait process.create.fork.parent process.create.fork.run process.create.vfork_wait
    process.create.vfork_exec process.create.posix_spawn process.end thread.create.raw
    file.read.cached file.write.buffered file.stat file.rename file.create file.delete directory.lookup";

/// The table, as the crate `model` reads it.
const TABLE: &str = "crates/instrument/model/src/counts.csv";

/// Boots the kernel of a Debian package and writes what it counted.
///
/// # Errors
/// When a program is missing, the kernel does not boot, or nothing could be counted.
pub fn run(workspace: &Path, kernel: &str) -> Result<bool> {
    packages::install_missing(TOOLS)?;
    let kernel = std::fs::canonicalize(kernel).with_context(|| kernel.to_owned())?;
    let oscope = program(workspace, &["--release"])?;
    let directory = tempfile::Builder::new().prefix("oscope-count-").tempdir_in("/var/tmp")?;
    let mut script = Command::new("sh");
    script.args(["-c", include_str!("count.sh"), "sh"]).arg(directory.path()).arg(kernel).arg(oscope);
    let output = script.args(SELECTION.split_whitespace()).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let table = table(&text).with_context(|| format!("the kernel counted nothing; it said:\n{text}"))?;
    std::fs::write(workspace.join(TABLE), table)?;
    Ok(true)
}

/// A row of the table that the console of the emulator shows.
#[derive(serde::Deserialize)]
struct Row {
    operation: String,
    point: String,
    quantity: String,
    typical: Option<f64>,
}

/// The table of counts in what the console of the emulator said.
fn table(console: &str) -> Result<String> {
    let (_, console) = console.split_once("kernel ").context("no release of a kernel")?;
    let (release, rows) = console.split_once('\n').context("no table")?;
    let mut table = format!(
        "# Instructions of an iteration, the kernel's and the program's: Linux {}, no mitigations,\n\
         # init_on_alloc=0 lsm=capability, one CPU of QEMU with -icount. A string instruction counts once per turn.\n\
         # Written by: cargo xtask count KERNEL.deb\n\
         operation,point,instructions\n",
        release.trim_end()
    );
    let mut counts = 0;
    // Behind the table the kernel may say that it ends.
    let rows: Vec<&str> = rows.lines().take_while(|line| line.contains(',')).collect();
    for row in report_csv::read::<Row>(&rows.join("\n"))? {
        let Row { operation, point, quantity, typical } = row;
        if let Some(instructions) = typical
            && quantity == "latency"
            && !operation.starts_with("noise.")
        {
            counts += 1;
            writeln!(table, "{operation},{point},{}", instructions.round())?;
        }
    }
    ensure!(counts > 0, "no counts in the table");
    Ok(table)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CONSOLE: &str = "Booting from ROM..\r\nkernel 6.12.1\r\noperation,point,quantity,typical\r\n\
        syscall.floor,,latency,210.2\r\nipc.bandwidth,,bandwidth,7\r\nnoise.shared_core,,latency,8\r\nsyscall.stat,,latency,\r\n";

    #[test]
    fn latencies_of_the_console_become_counts() {
        let table = table(CONSOLE).unwrap();
        assert!(table.starts_with("# ") && table.contains("Linux 6.12.1"), "{table}");
        let rows: Vec<_> = model::counted_rows(&table).collect();
        assert_eq!(rows, [(record::PointId::new("syscall.floor", ""), 210.0)]);
    }

    #[test]
    fn console_without_counts_is_refused() {
        for (what, console) in [
            ("release", CONSOLE.replace("kernel ", "")),
            ("counts", CONSOLE.replace("typical", "typ")),
            ("counts", CONSOLE.replace("210.2", "")),
        ] {
            assert!(format!("{:#}", table(&console).unwrap_err()).contains(what));
        }
    }
}
