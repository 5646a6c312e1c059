//! `cargo xtask lab`: small emulated machines, on which oscope describes, runs, and is judged.

pub mod debian;
mod emulator;
mod judge;
mod machines;
mod page;
mod remote;

use crate::packages;
use crate::static_program;
use anyhow::{Context, Result, bail};
use emulator::Parts;
use judge::Outcome;
use machines::{MACHINES, Machine, STOPPED};
use programs::{Package, package};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What fetches, packs and boots.
const TOOLS: &[Package] = &[
    package("qemu-system-x86", "qemu-system-x86_64", MACHINES_TESTED),
    package("qemu-system-arm", "qemu-system-aarch64", MACHINES_TESTED),
    package("busybox-static", "busybox", MACHINES_TESTED),
    package("util-linux", "setpriv", MACHINES_TESTED),
    package("gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc", MACHINES_TESTED),
    // It has no program of its own, and comes with the compiler.
    package("libc6-dev-arm64-cross", "aarch64-linux-gnu-gcc", MACHINES_TESTED),
];
const MACHINES_TESTED: &str = "emulated machines";

/// Which machines.
#[derive(Debug, Default, clap::Args)]
pub struct Choice {
    /// The choice for CI: at most three minutes
    #[arg(long, conflicts_with = "machines")]
    ci: bool,
    machines: Vec<String>,
}

/// Boots the machines of these names, or all, one after the other; gives whether all is well.
///
/// # Errors
/// When a name is unknown, a tool is missing, or oscope cannot be built.
pub fn run(root: &Path, choice: &Choice) -> Result<bool> {
    let chosen = choose(choice)?;
    packages::install_missing(TOOLS)?;
    let folder = crate::command::target(root).join("lab");
    let mut judged = BTreeMap::new();
    let mut is_well = true;
    for machine in chosen {
        let begun = Instant::now();
        let outcome = try_one(root, machine, &folder).unwrap_or_else(|error| Outcome {
            findings: vec![format!("{error:#}").replace('\n', " ")],
            ..Outcome::default()
        });
        is_well &= outcome.findings.is_empty();
        println!("{}: {} ({:.0} s)", machine.name, machine.about, begun.elapsed().as_secs_f64());
        println!("  {:?}", outcome.verdicts);
        for finding in &outcome.findings {
            println!("  {finding}");
        }
        judged.insert(machine.name, outcome);
    }
    page::write(root, &judged)?;
    Ok(is_well)
}

fn choose(Choice { ci, machines }: &Choice) -> Result<Vec<&'static Machine>> {
    for name in machines {
        if !MACHINES.iter().any(|machine| machine.name == name) {
            let names: Vec<&str> = MACHINES.iter().map(|machine| machine.name).collect();
            bail!("no machine `{name}`; there are {}", names.join(", "));
        }
    }
    Ok(MACHINES
        .iter()
        .filter(|machine| match machines.as_slice() {
            [] => machine.ci || !ci,
            names => names.iter().any(|name| name == machine.name),
        })
        .collect())
}

fn try_one(root: &Path, machine: &Machine, folder: &Path) -> Result<Outcome> {
    let results = boot(root, machine, folder, |_| {})?;
    judge::judge(machine, &results)
}

/// Boots a machine, and gives the folder with what it sent; see [`emulator::boot`] for what is done meanwhile.
fn boot(root: &Path, machine: &Machine, folder: &Path, disturb: impl Fn(u32)) -> Result<PathBuf> {
    let rust = match machine.kernel.architecture {
        "arm64" => "aarch64",
        _ => "x86_64",
    };
    let parts = Parts {
        oscope: static_program::build(root, rust)?,
        kernel: machine.kernel.image(folder).context("the kernel")?,
        busybox: debian::busybox(folder, machine.kernel.architecture).context("busybox")?,
    };
    let results = folder.join("results").join(machine.name);
    std::fs::create_dir_all(&results)?;
    emulator::boot(machine, &parts, folder, &results, disturb)?;
    Ok(results)
}

/// A record of tails on an emulated machine; something is done meanwhile to the process whose child the emulator is.
///
/// # Errors
/// When a tool is missing, oscope cannot be built, or the machine sends nothing.
pub fn tails(root: &Path, disturb: impl Fn(u32)) -> Result<PathBuf> {
    packages::install_missing(TOOLS)?;
    let results = boot(root, &STOPPED, &crate::command::target(root).join("lab"), disturb)?;
    Ok(results.join("record.oscope"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn machines_are_chosen_by_name() {
        let choose = |names: &[&str]| {
            choose(&Choice { ci: false, machines: names.iter().map(|&name| name.to_owned()).collect() })
        };
        assert_eq!(choose(&[]).unwrap().len(), MACHINES.len());
        assert_eq!(choose(&["nodes", "one"]).unwrap().len(), 2);
        assert!(choose(&["node"]).unwrap_err().to_string().contains("nodes"));
        let of_ci = super::choose(&Choice { ci: true, machines: Vec::new() }).unwrap().len();
        assert!((1..MACHINES.len()).contains(&of_ci));
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<&str> = MACHINES.iter().map(|machine| machine.name).collect();
        assert_eq!(names.len(), MACHINES.len());
    }
}
