//! `cargo xtask kernels --counts`: the instructions of iterations, by which predictions are made.

use super::kernel_count::count;
use crate::command::program;
use ::count::{KernelCount, PointCount};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;

/// Debian 13's kernel for clouds, as it was when the table was first made.
pub const PACKAGE: &str = "linux-image-6.12.107+deb13-cloud-amd64";

/// The table, as the crate `model` reads it.
const TABLE: &str = "crates/instrument/model/src/counts.csv";

/// How the part of the table begins that stays as it is: the emulated machine has no disk.
const KEPT: &str = "# On ext4";

/// Counts the points of the table again and writes it.
///
/// # Errors
/// When the kernel cannot be counted, or a point of the table was not.
pub fn write(root: &Path, image: &Path) -> Result<bool> {
    let path = root.join(TABLE);
    let old = std::fs::read_to_string(&path).with_context(|| TABLE)?;
    let (again, kept) = old.split_at(old.find(KEPT).unwrap_or(old.len()));
    let points: Vec<String> = model::counted_rows(again).map(|(id, _)| id.to_string()).collect();
    let words: Vec<&str> = points.iter().map(String::as_str).chain(["--profile", "thorough"]).collect();
    let kernel = count(&program(root, &["--release"])?, image, &words)?;
    std::fs::write(&path, table(&kernel, again)? + kept)?;
    Ok(true)
}

/// The counts of a kernel, with the rows of an older table in their order.
fn table(kernel: &KernelCount, old: &str) -> Result<String> {
    let mut table = format!(
        "# Instructions of an iteration, the kernel's and the program's: Linux {}, no mitigations,\n\
         # init_on_alloc=0 lsm=capability, one CPU of QEMU {}. A string instruction counts once.\n\
         # Written by: cargo xtask kernels --counts\n\
         operation,point,instructions\n",
        kernel.release,
        kernel.emulator.trim_start_matches("QEMU ")
    );
    let mut by_clock = String::new();
    for (id, _) in model::counted_rows(old) {
        let point = kernel.points.iter().find(|point| point.id == id);
        let point = point.with_context(|| format!("{id} was not counted"))?;
        let instructions = instructions(point).with_context(|| format!("{id} has no count"))?;
        let part = if point.by_clock { &mut by_clock } else { &mut table };
        writeln!(part, "{},{},{}", id.operation, id.point, instructions.round())?;
    }
    if !by_clock.is_empty() {
        write!(
            table,
            "# Parts of an iteration, where a string instruction counts once per turn:\n{by_clock}"
        )?;
    }
    Ok(table)
}

/// What a run shows: of a switch, what it adds to the same calls without one.
fn instructions(point: &PointCount) -> Option<f64> {
    let instructions = point.figures.get("instructions")?.value;
    Some(point.control.map_or(instructions, |control| (instructions - control) / point.switches))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const KERNEL: &str = r#"{"format":"oscope-count","schema":1,"name":"k","release":"6.12.1","version":"","architecture":"x86_64",
        "emulator":"QEMU 7.2","features":"","options":"","cpus":1,"seeds":[1],"skipped":[],"points":[
        {"id":{"operation":"syscall.stat","point":""},"n":512,"figures":{"instructions":{"value":2906.4,"floor":0.0}}},
        {"id":{"operation":"process.end.wait","point":""},"n":1,"by_clock":true,"figures":{"instructions":{"value":5.0,"floor":0.0}}},
        {"id":{"operation":"switch.thread.futex","point":"cpu=same"},"n":8,"control":900.0,"switches":2.0,
        "figures":{"instructions":{"value":6900.0,"floor":0.0}}}]}"#;

    #[test]
    fn rows_are_counted_again_in_their_order_and_none_is_lost() {
        let kernel: KernelCount = serde_json::from_str(KERNEL).unwrap();
        let old = "operation,point,instructions\nprocess.end.wait,,4\nswitch.thread.futex,cpu=same,1\nsyscall.stat,,2965\n";
        let text = table(&kernel, old).unwrap();
        let rows = "instructions\nswitch.thread.futex,cpu=same,3000\nsyscall.stat,,2906\n\
            # Parts of an iteration, where a string instruction counts once per turn:\nprocess.end.wait,,5\n";
        assert!(text.contains("Linux 6.12.1") && text.ends_with(rows), "{text}");
        assert!(table(&kernel, "syscall.fstat,,949\n").unwrap_err().to_string().contains("syscall.fstat"));
    }
}
