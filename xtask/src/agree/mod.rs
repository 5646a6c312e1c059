//! `cargo xtask agree`: oscope beside other tools in the same minutes, as ratios.
//!
//! Debian's `linux-perf`, `stress-ng` and `rt-tests`, and a plain C program that shares no line with
//! oscope, take turns with it, so that what changes on the machine changes for all. None of this is a
//! test: `docs/AGREEMENT.md` holds a printed run and the reasons for what differs.

mod peers;
mod reading;

use crate::bench::process::Oscope;
use crate::packages;
use anyhow::{Context, Result, bail, ensure};
use peers::{PEERS, Peer, Same};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Turns of all: an odd number has a median.
const TURNS: usize = 5;

/// Rounds of oscope in one turn.
const ROUNDS: &str = "6";

/// Most seconds that one run of a peer may take.
const PATIENCE_S: &str = "30";

/// A ratio that counts as agreement.
const AGREES: f64 = 0.05;

/// What was seen of one comparison over the turns, in nanoseconds.
#[derive(Debug, Default)]
struct Seen {
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

/// Runs all in turns and prints the table; gives whether every like pair agrees.
pub fn run(root: &Path) -> Result<bool> {
    let places = Places::of_this_machine()?;
    let program = build(root)?;
    let plain = Plain::compile(root)?;
    let absent = packages::install_missing(peers::PACKAGES);
    if let Err(why) = &absent {
        eprintln!("left out: {why}");
    }
    let oscope = Oscope::new(&program);
    let mut seen: Vec<Seen> = PEERS.iter().map(|_| Seen::default()).collect();
    for turn in 1..=TURNS {
        eprintln!("turn {turn} of {TURNS}");
        one_turn(&oscope, &plain, &places, &mut seen)?;
    }
    Ok(print(&seen))
}

/// The CPUs of the two actors: those that oscope chooses.
struct Places {
    own: String,
    peer: String,
}

impl Places {
    fn of_this_machine() -> Result<Self> {
        let cpus = std::thread::available_parallelism()?.get();
        ensure!(cpus >= 2, "a comparison on two CPUs needs two");
        Ok(Self {
            own: (cpus - 1).to_string(),
            peer: (cpus - 2).to_string(),
        })
    }

    /// The words of a peer's command, with the CPUs and the plain program filled in.
    fn fill(&self, words: &[&str], plain: &Plain) -> Vec<String> {
        let path = plain.0.to_string_lossy();
        let fill = |word: &&str| match *word {
            "{own}" => self.own.clone(),
            "{peer}" => self.peer.clone(),
            "{both}" => format!("{},{}", self.own, self.peer),
            "{plain}" => path.clone().into_owned(),
            word => word.to_owned(),
        };
        words.iter().map(fill).collect()
    }
}

fn build(root: &Path) -> Result<PathBuf> {
    let status = Command::new("cargo")
        .args(["build", "--release", "-p", "oscope"])
        .current_dir(root)
        .status()?;
    ensure!(status.success(), "oscope cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/oscope"))
}

/// The C program, removed when it is dropped.
struct Plain(PathBuf);

impl Plain {
    fn compile(root: &Path) -> Result<Self> {
        let program = std::env::temp_dir().join(format!("oscope-plain-{}", std::process::id()));
        let status = Command::new("cc")
            .args(["-O2", "-pthread", "-o"])
            .arg(&program)
            .arg(root.join("xtask/src/agree/plain.c"))
            .status()
            .context("no C compiler")?;
        ensure!(status.success(), "the plain C program cannot be compiled");
        Ok(Self(program))
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// All of oscope's points once, then every peer once.
fn one_turn(oscope: &Oscope<'_>, plain: &Plain, places: &Places, seen: &mut [Seen]) -> Result<()> {
    let mut points: Vec<&str> = PEERS.iter().map(|peer| peer.ours).collect();
    points.sort_unstable();
    points.dedup();
    let cpus = [
        "--rounds",
        ROUNDS,
        "--cpu",
        &places.own,
        "--peer-cpu",
        &places.peer,
    ];
    let words: Vec<&str> = cpus.into_iter().chain(points.iter().copied()).collect();
    let rows = oscope.measured(&words)?;
    for (peer, seen) in PEERS.iter().zip(seen) {
        let row = rows.iter().find(|row| row.name() == peer.ours);
        let ours = row.and_then(|row| row.typical);
        match theirs(peer, plain, places) {
            Ok(theirs) => {
                seen.ours.extend(ours);
                seen.theirs.push(theirs / peer.holds);
            }
            Err(error) => eprintln!("  {} {}: {error:#}", peer.tool, peer.what),
        }
    }
    Ok(())
}

fn theirs(peer: &Peer, plain: &Plain, places: &Places) -> Result<f64> {
    let output = Command::new("timeout")
        .arg(PATIENCE_S)
        .args(places.fill(peer.command, plain))
        .stdin(Stdio::null())
        .output()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    match reading::nanos(peer.reads, &text) {
        Some(nanos) => Ok(nanos),
        None => bail!(
            "no figure in its output ({}): {}",
            output.status,
            text.lines().next_back().unwrap_or_default()
        ),
    }
}

/// Prints the table; gives whether every like pair agrees.
fn print(seen: &[Seen]) -> bool {
    println!(
        "| what | oscope | tool | ratio (range) | within 5 % | |\n| --- | --- | --- | --- | --- | --- |"
    );
    let mut all_agree = true;
    for (peer, seen) in PEERS.iter().zip(seen) {
        let mut ratios: Vec<f64> = seen.ours.iter().zip(&seen.theirs).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        let (Some(ratio), Some(least), Some(most)) =
            (ratios.get(ratios.len() / 2), ratios.first(), ratios.last())
        else {
            println!("| {} | | {} | not compared | | |", peer.what, peer.tool);
            continue;
        };
        let agrees = (ratio - 1.0).abs() <= AGREES;
        let (word, reason) = match peer.same {
            Same::Yes if agrees => ("yes", ""),
            Same::Yes => {
                all_agree = false;
                ("**no**", "")
            }
            Same::No(reason) => ("another thing", reason),
        };
        println!(
            "| {} | {} | {}: {} | {ratio:.3} ({least:.3} to {most:.3}) | {word} | {reason} |",
            peer.what,
            shown(&seen.ours),
            peer.tool,
            shown(&seen.theirs),
        );
    }
    all_agree
}

/// The median of some times, in words.
fn shown(nanos: &[f64]) -> String {
    let mut sorted = nanos.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    quantity::duration_words(Duration::from_nanos(middle.max(0.0) as u64))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_comparison_names_a_point_that_exists() {
        for peer in PEERS {
            let (operation, point) = peer.ours.split_once(' ').unwrap_or((peer.ours, ""));
            let found = operations::ALL.iter().find(|one| one.id == operation);
            let points = found.map(|one| (one.points)(record::Profile::Standard));
            let exists = points.is_some_and(|points| points.iter().any(|one| one.text() == point));
            assert!(exists, "{}", peer.ours);
            assert!(peer.holds > 0.0 && !peer.command.is_empty());
            if let Same::No(reason) = peer.same {
                assert!(reason.len() > 30, "{}: a reason is a sentence", peer.what);
            }
        }
    }

    #[test]
    fn commands_are_filled_in() {
        let places = Places {
            own: "3".to_owned(),
            peer: "2".to_owned(),
        };
        let plain = Plain(PathBuf::from("/nowhere/plain"));
        let words = places.fill(&["taskset", "-c", "{both}", "{plain}", "{own}", "{peer}"], &plain);
        assert_eq!(words, ["taskset", "-c", "3,2", "/nowhere/plain", "3", "2"]);
    }
}
