//! `cargo xtask agree [AREA…]`: oscope beside other tools in the same minutes, as ratios.
//!
//! Debian's tools, and a plain C program that shares no line with oscope, take turns with it, so that what changes on
//! the machine changes for all. Each area is a table in a file of its own. None of this is a test: `docs/AGREEMENT.md`
//! holds a printed run and the reasons for what differs.

mod file;
mod memory;
mod network;
mod os;
mod peers;
mod reading;
mod server;

use crate::bench::process::Oscope;
use crate::packages;
use anyhow::{Context, Result, bail, ensure};
use peers::{Peer, Same, Table};
use quantity::Quantity;
pub use reading::{Reads, figure};
use server::Server;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// All areas that are compared.
static TABLES: &[&Table] = &[&os::TABLE, &memory::TABLE, &network::TABLE, &file::TABLE];

/// Turns of all: an odd number has a median.
const TURNS: usize = 5;

/// Rounds of oscope in one turn.
const ROUNDS: &str = "6";

/// Most seconds that one run of a peer may take.
const BUDGET_S: &str = "30";

/// A ratio that counts as agreement.
const AGREES: f64 = 0.05;

/// The values of one comparison over the turns, in the base unit of the point.
#[derive(Debug, Default)]
struct Values {
    ours: Vec<f64>,
    /// The mean over everything that oscope timed, which is what most tools print.
    means: Vec<f64>,
    theirs: Vec<f64>,
}

/// Runs these areas, or all where none is named, alternating with other tools, and prints their tables; gives whether every like pair
/// agrees.
pub fn run(root: &Path, areas: &[&str]) -> Result<bool> {
    let tables = chosen(areas)?;
    let places = Places::of_this_machine()?;
    let program = build(root)?;
    let plain = Plain::compile(root)?;
    for package in tables.iter().flat_map(|table| table.packages) {
        if let Err(why) = packages::install_missing(&[*package]) {
            eprintln!("left out: {why}");
        }
    }
    let peers: Vec<&Peer> = tables.iter().flat_map(|table| table.peers).collect();
    let oscope = Oscope::new(&program);
    let mut values: Vec<Values> = peers.iter().map(|_| Values::default()).collect();
    for turn in 1..=TURNS {
        eprintln!("turn {turn} of {TURNS}");
        one_turn(&oscope, &plain, &places, &peers, &mut values)?;
    }
    Ok(print(&peers, &values))
}

/// The tables of these areas.
fn chosen(areas: &[&str]) -> Result<Vec<&'static Table>> {
    let all = || TABLES.iter().map(|table| table.area);
    if let Some(unknown) = areas.iter().find(|area| all().all(|one| one != **area)) {
        let known: Vec<&str> = all().collect();
        bail!("nothing is compared in `{unknown}`; name one of {}", known.join(", "));
    }
    let asked = |table: &&&Table| areas.is_empty() || areas.contains(&table.area);
    Ok(TABLES.iter().filter(asked).copied().collect())
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
        Ok(Self { own: (cpus - 1).to_string(), peer: (cpus - 2).to_string() })
    }

    /// The words of a peer's command, with the CPUs, the plain program and the port filled in.
    fn fill(&self, words: &[&str], plain: &Plain, port: u16) -> Vec<String> {
        let path = plain.0.to_string_lossy();
        let file = plain.0.with_extension("file");
        let fill = |word: &&str| match *word {
            "{own}" => self.own.clone(),
            "{peer}" => self.peer.clone(),
            "{both}" => format!("{},{}", self.own, self.peer),
            "{plain}" => path.clone().into_owned(),
            "{port}" => port.to_string(),
            word => word.replace("{file}", &file.to_string_lossy()),
        };
        words.iter().map(fill).collect()
    }
}

/// Builds oscope as it ships; gives its path.
pub fn build(root: &Path) -> Result<PathBuf> {
    let status =
        Command::new("cargo").args(["build", "--release", "-p", "oscope"]).current_dir(root).status()?;
    ensure!(status.success(), "oscope cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/oscope"))
}

/// The C program, removed when it is dropped.
pub struct Plain(PathBuf);

impl Plain {
    /// Compiles it.
    pub fn compile(root: &Path) -> Result<Self> {
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

    /// The words that start it with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Vec<String> {
        let program = self.0.to_string_lossy().into_owned();
        std::iter::once(program).chain(arguments.iter().map(|&word| word.to_owned())).collect()
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // Neither it nor a file that a tool was stopped over may ever have been made.
        let _ = std::fs::remove_file(&self.0);
        let _ = std::fs::remove_file(self.0.with_extension("file"));
    }
}

/// All of oscope's points once, then every peer once.
fn one_turn(
    oscope: &Oscope<'_>,
    plain: &Plain,
    places: &Places,
    peers: &[&Peer],
    values: &mut [Values],
) -> Result<()> {
    let mut points: Vec<&str> = peers.iter().map(|peer| peer.ours).collect();
    points.sort_unstable();
    points.dedup();
    let cpus = ["--rounds", ROUNDS, "--cpu", &places.own, "--peer-cpu", &places.peer];
    let words: Vec<&str> = cpus.into_iter().chain(points.iter().copied()).collect();
    let rows = oscope.measured(&words)?;
    for (peer, values) in peers.iter().zip(values) {
        let row = rows.iter().find(|row| row.name() == peer.ours);
        let ours = row.and_then(|row| row.typical);
        match theirs(peer, plain, places) {
            Ok(theirs) => {
                values.ours.extend(ours);
                values.means.extend(row.and_then(|row| row.mean_of_everything));
                values.theirs.push(theirs / peer.holds);
            }
            Err(error) => eprintln!("  {} {}: {error:#}", peer.tool, peer.what),
        }
    }
    Ok(())
}

fn theirs(peer: &Peer, plain: &Plain, places: &Places) -> Result<f64> {
    let port = server::free_port()?;
    let _server = Server::start(&places.fill(peer.server, plain, port))?;
    let output = Command::new("timeout")
        .arg(BUDGET_S)
        .args(places.fill(peer.command, plain, port))
        .stdin(Stdio::null())
        .output()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    match figure(peer.reads, &text) {
        Some(figure) => Ok(figure),
        None => bail!(
            "no figure in its output ({}): {}",
            output.status,
            text.lines().next_back().unwrap_or_default()
        ),
    }
}

/// Prints the table; gives whether every like pair agrees.
fn print(peers: &[&Peer], values: &[Values]) -> bool {
    println!(
        "| what | oscope | tool | ratio (range) | mean of everything (range) | within 5 % | |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut all_agree = true;
    for (peer, values) in peers.iter().zip(values) {
        let Some(ratio) = Ratio::of(&values.ours, &values.theirs) else {
            println!("| {} | | {} | not compared | | | |", peer.what, peer.tool);
            continue;
        };
        let mean = Ratio::of(&values.means, &values.theirs);
        let (word, reason) = judged(peer.same, &ratio, mean.as_ref());
        all_agree &= word != NO;
        println!(
            "| {} | {} | {}: {} | {ratio} | {} | {word} | {reason} |",
            peer.what,
            shown(&values.ours, quantity_of(peer)),
            peer.tool,
            shown(&values.theirs, quantity_of(peer)),
            mean.map(|mean| mean.to_string()).unwrap_or_default(),
        );
    }
    all_agree
}

const NO: &str = "**no**";

/// The word for a comparison, and what explains it. A tool that prints the mean of all that it timed is compared with
/// oscope's median of what ran undisturbed; where the two differ, oscope's own mean of everything tells whether that
/// is the reason.
fn judged(same: Same, ratio: &Ratio, mean: Option<&Ratio>) -> (&'static str, &'static str) {
    let fits = |ratio: &Ratio| match same {
        Same::Yes => (ratio.median - 1.0).abs() <= AGREES,
        Same::AtLeast => ratio.median >= 1.0 - AGREES,
        Same::No(_) => false,
    };
    match same {
        Same::No(reason) => ("another thing", reason),
        Same::AtLeast if fits(ratio) => ("at least", ""),
        Same::Yes if fits(ratio) => ("yes", ""),
        _ if mean.is_some_and(fits) => {
            ("as a mean", "oscope leaves out what disturbed it and takes the median")
        }
        Same::Yes if ratio.median < 1.0 && mean.is_some_and(|mean| mean.median > 1.0) => (
            "between",
            "it lies between oscope's median, which leaves out what disturbed it, and oscope's mean of everything",
        ),
        _ => (NO, ""),
    }
}

/// oscope divided by a tool over the turns.
#[derive(Debug, Clone, Copy)]
struct Ratio {
    median: f64,
    least: f64,
    most: f64,
}

impl Ratio {
    fn of(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        Some(Self { median: *ratios.get(ratios.len() / 2)?, least: *ratios.first()?, most: *ratios.last()? })
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:.3} ({:.3} to {:.3})", self.median, self.least, self.most)
    }
}

/// What the point of a comparison measures.
fn quantity_of(peer: &Peer) -> Quantity {
    let (operation, _) = peer.ours.split_once(' ').unwrap_or((peer.ours, ""));
    operations::find(operation).map_or(Quantity::Latency, |one| one.quantity)
}

/// The median of some values, in words.
fn shown(values: &[f64], quantity: Quantity) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    quantity::show(middle, None, quantity)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_comparison_names_a_point_that_exists() {
        for peer in TABLES.iter().flat_map(|table| table.peers) {
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
        let places = Places { own: "3".to_owned(), peer: "2".to_owned() };
        let plain = Plain(PathBuf::from("/nowhere/plain"));
        let words = places.fill(&["-c", "{both}", "{plain}", "{own}", "{peer}", "{port}"], &plain, 9);
        assert_eq!(words, ["-c", "3,2", "/nowhere/plain", "3", "2", "9"]);
    }

    #[test]
    fn a_difference_is_explained_by_the_mean_of_everything_or_not_at_all() {
        let at = |median: f64| Ratio { median, least: median, most: median };
        let word = |same, ratio, mean: Option<f64>| judged(same, &at(ratio), mean.map(at).as_ref()).0;
        assert_eq!(word(Same::Yes, 1.04, None), "yes");
        assert_eq!(word(Same::Yes, 0.8, Some(0.97)), "as a mean");
        assert_eq!(word(Same::Yes, 0.8, Some(0.9)), NO);
        assert_eq!(word(Same::Yes, 0.8, Some(1.2)), "between");
        assert_eq!(word(Same::Yes, 1.1, Some(1.3)), NO);
        assert_eq!(word(Same::Yes, 0.8, None), NO);
        assert_eq!(word(Same::AtLeast, 2.0, None), "at least");
        assert_eq!(word(Same::AtLeast, 0.9, Some(0.9)), NO);
        assert_eq!(word(Same::No("reason"), 1.0, Some(1.0)), "another thing");
    }

    #[test]
    fn areas_are_chosen_by_name() {
        let names =
            |areas: &[&str]| -> Vec<&str> { chosen(areas).unwrap().iter().map(|one| one.area).collect() };
        assert_eq!(names(&[]).len(), TABLES.len());
        assert_eq!(names(&["network"]), ["network"]);
        assert!(chosen(&["netwrok"]).unwrap_err().to_string().contains("os, memory, network, file"));
    }
}
