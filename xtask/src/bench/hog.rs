//! A program that burns 95 % of the CPU that is measured on: figures must stay right, or say that they
//! are noisy.

use super::process::Oscope;
use super::table::Table;
use anyhow::{Result, bail};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Share of the CPU that the hog takes.
const SHARE: f64 = 0.95;

/// Length of one turn of the hog.
const TURN: Duration = Duration::from_millis(20);

/// Longest life of a hog, should nobody end it.
const LIFE: Duration = Duration::from_secs(300);

/// What is measured beside the hog: short operations, calls, and switches on one CPU.
const SELECTION: [&str; 7] = [
    "clock.read.*",
    "loop.*",
    "call.*",
    "syscall.*",
    "switch.* cpu=same",
    "ipc.* cpu=same",
    "thread.*",
];

/// Burns the CPU it is on for a share of the time, until its parent is gone or its life is over.
pub fn burn() -> bool {
    let born = Instant::now();
    let parent = std::os::unix::process::parent_id();
    while born.elapsed() < LIFE && std::os::unix::process::parent_id() == parent {
        let turn = Instant::now();
        while turn.elapsed() < TURN.mul_f64(SHARE) {
            std::hint::black_box(turn);
        }
        std::thread::sleep(TURN.mul_f64(1.0 - SHARE));
    }
    true
}

/// A hog that ends with its owner.
struct Hog(Child);

impl Hog {
    fn on(cpu: &str) -> Result<Self> {
        let own = std::env::current_exe()?;
        let child = Command::new("taskset")
            .args(["-c", cpu])
            .arg(own)
            .arg("burn")
            .stdin(Stdio::null())
            .spawn()?;
        Ok(Self(child))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // It ends by itself when this fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The last CPU that this process may use: where oscope measures by default.
fn last_cpu() -> Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    match list.and_then(|list| list.trim().rsplit([',', '-']).next().map(str::to_owned)) {
        Some(cpu) => Ok(cpu),
        None => bail!("the allowed CPUs are unknown"),
    }
}

/// Compares figures beside a hog with quiet ones.
pub fn beside_a_hog(oscope: &Oscope<'_>, table: &mut Table) -> Result<()> {
    let cpu = last_cpu()?;
    let arguments: Vec<&str> = SELECTION
        .iter()
        .copied()
        .chain(["--cpu", &cpu, "--budget", "60s"])
        .collect();
    let quiet = oscope.measured(&arguments)?;
    let hog = Hog::on(&cpu)?;
    let loud = oscope.measured(&arguments)?;
    drop(hog);
    let (mut within, mut noisy, mut wrong, mut worst) = (0, 0, Vec::new(), 0.0_f64);
    for row in &loud {
        let before = quiet
            .iter()
            .find(|other| other.operation == row.operation && other.point == row.point);
        let (Some(now), Some(then)) = (row.typical, before.and_then(|row| row.typical)) else {
            noisy += u32::from(row.verdict != "measured");
            continue;
        };
        let off = (now / then - 1.0).abs();
        if row.verdict != "measured" {
            noisy += 1;
        } else if off <= 0.05 {
            within += 1;
            worst = worst.max(off);
        } else {
            wrong.push(format!("{} {} by {:.0} %", row.operation, row.point, 100.0 * off));
        }
    }
    let words = format!(
        "{within} within 5 % (worst {:.1} %), {noisy} say noisy, {} wrong without a mark {}",
        100.0 * worst,
        wrong.len(),
        wrong.join(", ")
    );
    table.row(
        "beside a program that burns 95 % of the CPU",
        "within 5 %, or noisy",
        words.trim().to_owned(),
    );
    Ok(())
}
