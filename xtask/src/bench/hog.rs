//! A program that burns a share of the CPU that is measured on, or of another one: figures must stay right, or say that
//! they are noisy.

use super::beside::Beside;
use super::table::Table;
use crate::oscope_run::OscopeRun;
use crate::report_csv::Row;
use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// Shares of a CPU that the hog takes, in percent.
const SHARES: [u32; 3] = [30, 60, 95];

/// Length of one turn of the hog, in milliseconds.
pub const TURN_MS: u64 = 20;

/// Longest life of a hog, should nobody end it.
const LIFE: Duration = Duration::from_secs(300);

/// What is measured beside the hog: short operations, calls, and switches on one CPU.
const SELECTION: [&str; 7] =
    ["clock.read.*", "loop.*", "call.*", "syscall.*", "switch.* cpu=same", "ipc.* cpu=same", "thread.*"];

/// Burns the CPU it is on for a percentage of each turn, until its parent has ended or its lifetime is over.
pub fn burn(percent: f64, turn_ms: u64) {
    let (share, length) = (percent / 100.0, Duration::from_millis(turn_ms));
    let born = Instant::now();
    let parent = std::os::unix::process::parent_id();
    while born.elapsed() < LIFE && std::os::unix::process::parent_id() == parent {
        let turn = Instant::now();
        while turn.elapsed() < length.mul_f64(share) {
            std::hint::black_box(turn);
        }
        std::thread::sleep(length.mul_f64(1.0 - share));
    }
}

/// Compares figures beside hogs with quiet ones.
pub fn beside_hogs(oscope: &OscopeRun<'_>, table: &mut Table) -> Result<()> {
    // oscope measures on the last CPU that it may use.
    let cpus = sys::cpu::allowed()?;
    let (Some(own), Some(other)) = (cpus.last(), cpus.first()) else {
        bail!("the allowed CPUs are unknown");
    };
    let (own, other) = (own.to_string(), other.to_string());
    let arguments = [&SELECTION[..], &["--cpu", &own, "--budget", "45s"]].concat();
    let quiet = oscope.measured(&arguments)?;
    for (cpu, place) in [(&own, "the same CPU"), (&other, "another CPU")] {
        for percent in SHARES {
            let hog = Beside::hog(cpu, percent)?;
            let beside = oscope.measured(&arguments)?;
            drop(hog);
            table.add(
                &format!("beside a program that burns {percent} % of {place}"),
                "within 5 %, or noisy",
                compared(&quiet, &beside),
            );
        }
    }
    Ok(())
}

/// How many figures are the same, say that they are noisy, or are wrong without a mark.
fn compared(quiet: &[Row], beside: &[Row]) -> String {
    let (mut within, mut noisy, mut wrong, mut worst) = (0, 0, Vec::new(), 0.0_f64);
    for row in beside {
        if row.verdict != "measured" {
            noisy += 1;
            continue;
        }
        let before = quiet.iter().find(|other| other.name() == row.name());
        let (Some(now), Some(then)) = (row.typical, before.and_then(|row| row.typical)) else {
            continue;
        };
        let off = (now / then - 1.0).abs();
        if off <= 0.05 {
            within += 1;
            worst = worst.max(off);
        } else {
            wrong.push(format!("{} by {:.0} %", row.name(), 100.0 * off));
        }
    }
    let words = format!(
        "{within} within 5 % (worst {:.1} %), {noisy} noisy, {} wrong without a mark {}",
        100.0 * worst,
        wrong.len(),
        wrong.join(", ")
    );
    words.trim().to_owned()
}
