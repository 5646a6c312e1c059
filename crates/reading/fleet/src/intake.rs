//! From what single records say to a fleet; whatever is wrong with them is named.

use crate::boots::{self, BOOT, Boots};
use crate::problems::Problem;
use crate::table::{Column, Fleet, Machine, Quality, Run, Text, Value};
use crate::taken::{IDENTITY, Taken, difference};
use record::{PointId, SummaryRow};
use stats::normal::beyond;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What one record says.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The file.
    pub file: String,
    /// What its machine is called.
    pub machine: String,
    /// When the run began, RFC 3339.
    pub started: String,
    /// Whether that can be: not in the future, and not before there was such a program.
    pub is_clock_right: bool,
    /// When the run began and ended, in seconds since 1970; `None` where the clock was wrong.
    pub span: Option<(f64, f64)>,
    /// A digest of the identity of the boot; `None` where it is not known, or the run is of more than one machine.
    pub boot: Option<Text>,
    /// Whether the run ended by itself.
    pub has_ended: bool,
    /// The program's version.
    pub program: String,
    /// The known facts of the machine, by key.
    pub facts: BTreeMap<Text, Text>,
    /// Bytes of memory.
    pub memory_bytes: Option<f64>,
    /// The points; those without a number do not count.
    pub rows: Vec<SummaryRow>,
    /// Share of the time in which the busiest probed core was quiet.
    pub quiet_share: Option<f64>,
}

/// Half of this many standard errors make an interval of 95 %.
const TAIL: f64 = 0.025;
/// The relative error of an estimate without an interval.
const UNKNOWN_ERROR: f64 = 0.1;

/// Facts that say that it is the same machine after a change.
const STATE: [&str; 5] = [
    "kernel.release",
    "processor.microcode",
    "mitigation.all",
    "environment.firmware_version",
    "cpus.online",
];

/// A fleet that is being put together.
#[derive(Debug, Default)]
pub struct Intake {
    texts: BTreeSet<Text>,
    columns: Vec<(Column, u32)>,
    places: HashMap<(PointId, u32), usize>,
    runs: Vec<Taken>,
    problems: Vec<Problem>,
    versions: BTreeMap<String, usize>,
    /// By the start and the numbers of a run: the file that has it.
    seen: HashMap<(String, u64), String>,
}

impl Intake {
    /// Names a file that could not be read.
    pub fn unreadable(&mut self, file: &str, why: String) {
        let file = file.to_owned();
        self.problems.push(Problem::Unreadable { file, why });
    }

    /// Takes in a record.
    pub fn add(&mut self, mut import: Import) {
        import.rows.retain(|row| row.typical.is_some());
        let file = import.file.clone();
        if import.rows.is_empty() {
            return self.problems.push(Problem::Empty { file });
        }
        if let Some(of) = self.seen.get(&fingerprint(&import)).cloned() {
            return self.problems.push(Problem::Duplicate { file, of });
        }
        self.seen.insert(fingerprint(&import), file.clone());
        if !import.has_ended {
            self.problems.push(Problem::Unfinished { file: file.clone() });
        }
        if !import.is_clock_right {
            let started = import.started.clone();
            self.problems.push(Problem::Clock { file: file.clone(), started });
        }
        *self.versions.entry(import.program.clone()).or_default() += 1;
        let noisy = import.rows.iter().filter(|row| row.verdict == "noisy").count();
        let quality =
            Quality { noisy_share: noisy as f64 / import.rows.len() as f64, quiet_share: import.quiet_share };
        let values = self.values(import.rows);
        let facts = import.facts.into_iter();
        let facts = facts.map(|(key, value)| (self.shared(key), self.shared(value))).collect();
        self.runs.push(Taken {
            machine: import.machine,
            facts,
            memory_bytes: import.memory_bytes,
            run: Run { file, started: import.started, boot: import.boot, span: import.span, values, quality },
        });
    }

    /// The same words, kept once.
    fn shared(&mut self, text: Text) -> Text {
        if let Some(known) = self.texts.get(&text) {
            return known.clone();
        }
        self.texts.insert(text.clone());
        text
    }

    fn values(&mut self, rows: Vec<SummaryRow>) -> Vec<Option<Value>> {
        let mut values = vec![None; self.columns.len()];
        for row in rows {
            let next = self.columns.len();
            let place = *self.places.entry((row.id.clone(), row.revision)).or_insert(next);
            if place == next {
                let column = Column { id: row.id.clone(), quantity: row.quantity };
                self.columns.push((column, row.revision));
            }
            if values.len() <= place {
                values.resize(place + 1, None);
            }
            let value = self.columns.get(place).and_then(|(column, _)| value(column, &row));
            if let Some(here) = values.get_mut(place) {
                *here = value;
            }
        }
        values
    }

    /// The fleet, and what was wrong with its records.
    pub fn finish(mut self) -> (Fleet, Vec<Problem>) {
        if self.versions.len() > 1 {
            let mut versions: Vec<(String, usize)> = self.versions.clone().into_iter().collect();
            versions.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
            self.problems.push(Problem::Programs { versions });
        }
        let (columns, kept) = self.majority_revisions();
        let mut by_name: BTreeMap<String, Vec<Taken>> = BTreeMap::new();
        for mut taken in std::mem::take(&mut self.runs) {
            let values = kept.iter().map(|place| taken.run.values.get(*place).copied().flatten());
            taken.run.values = values.collect();
            by_name.entry(taken.machine.clone()).or_default().push(taken);
        }
        let mut named = Vec::new();
        for (name, runs) in by_name {
            named.extend(one_machine_each(&name, runs, &mut self.problems));
        }
        let named = boots::joined(named, &mut self.problems);
        boots::times(&named, &mut self.problems);
        let machines =
            named.into_iter().map(|(name, runs)| machine(name, runs, &mut self.problems)).collect();
        (Fleet { columns, machines }, self.problems)
    }

    /// The columns, each in the revision that most runs have, and their places.
    fn majority_revisions(&mut self) -> (Vec<Column>, Vec<usize>) {
        let mut counts = vec![0usize; self.columns.len()];
        for taken in &self.runs {
            let known = counts.iter_mut().zip(&taken.run.values);
            known.for_each(|(count, value)| *count += usize::from(value.is_some()));
        }
        let mut best: BTreeMap<&PointId, usize> = BTreeMap::new();
        for (place, (column, _)) in self.columns.iter().enumerate() {
            let known = best.entry(&column.id).or_insert(place);
            if counts.get(place) > counts.get(*known) {
                *known = place;
            }
        }
        let mut kept: Vec<usize> = best.values().copied().collect();
        kept.sort_unstable();
        for (place, ((column, _), runs)) in self.columns.iter().zip(counts).enumerate() {
            if kept.binary_search(&place).is_err() && runs > 0 {
                self.problems.push(Problem::Revision { point: column.id.to_string(), runs });
            }
        }
        let columns = kept.iter().filter_map(|place| Some(self.columns.get(*place)?.0.clone()));
        (columns.collect(), kept)
    }
}

/// What tells one run from another: its start and its numbers.
fn fingerprint(import: &Import) -> (String, u64) {
    let mut hasher = DefaultHasher::new();
    for row in &import.rows {
        row.id.hash(&mut hasher);
        row.typical.map(f64::to_bits).hash(&mut hasher);
    }
    (import.started.clone(), hasher.finish())
}

fn value(column: &Column, row: &SummaryRow) -> Option<Value> {
    let log_cost = column.log_cost(row.typical.filter(|typical| *typical > 0.0)?);
    let error = match row.interval {
        Some((low, high)) if low > 0.0 => (high / low).ln() / (2.0 * beyond(TAIL)),
        _ => UNKNOWN_ERROR,
    };
    log_cost.is_finite().then_some(Value {
        log_cost: log_cost as f32,
        variance: (error * error) as f32,
        log_clock: row.core_hz.filter(|hz| *hz > 0.0).map(|hz| hz.ln() as f32),
    })
}

/// The runs of one name by machine: where facts that no machine changes differ they are of several, and where two boots were
/// up at the same time.
fn one_machine_each(name: &str, runs: Vec<Taken>, problems: &mut Vec<Problem>) -> Vec<(String, Vec<Taken>)> {
    let boots = Boots::from_runs(&runs);
    let mut machines: Vec<(String, Vec<Taken>)> = Vec::new();
    for taken in runs {
        let obstacles: Vec<Option<String>> =
            machines.iter().map(|(_, runs)| obstacle(&boots, runs, &taken)).collect();
        let same = obstacles.iter().position(Option::is_none).and_then(|place| machines.get_mut(place));
        if let Some((_, runs)) = same {
            runs.push(taken);
            continue;
        }
        let renamed = match machines.len() {
            0 => name.to_owned(),
            others => format!("{name} ({})", others + 1),
        };
        if let Some(fact) = obstacles.into_iter().flatten().next() {
            problems.push(Problem::OneName { name: name.to_owned(), renamed: renamed.clone(), fact });
        }
        machines.push((renamed, vec![taken]));
    }
    machines
}

/// Why a run is not of the machine of these runs, in a fact; `None` where it may be.
fn obstacle(boots: &Boots, runs: &[Taken], taken: &Taken) -> Option<String> {
    let fact = runs.first().and_then(|first| difference(&IDENTITY, first, taken)).map(|(fact, ..)| fact);
    fact.or_else(|| boots.exclude(runs, taken).then(|| BOOT.to_owned()))
}

/// A machine from its runs; those before its last change are left out.
fn machine(name: String, mut runs: Vec<Taken>, problems: &mut Vec<Problem>) -> Machine {
    runs.sort_by(|a, b| a.run.started.cmp(&b.run.started));
    let last = runs.last();
    let changed = runs.iter().rev().find_map(|run| difference(&STATE, run, last?));
    let (facts, memory_bytes) = last.map(|last| (last.facts.clone(), last.memory_bytes)).unwrap_or_default();
    let mut kept = runs;
    if let Some((fact, from, to)) = changed {
        let before = kept.len();
        kept.retain(|taken| STATE.iter().all(|key| taken.facts.get(*key) == facts.get(*key)));
        problems.push(Problem::Changed { name: name.clone(), fact, from, to, runs: before - kept.len() });
    }
    Machine { name, facts, memory_bytes, runs: kept.into_iter().map(|taken| taken.run).collect() }
}
