//! What is compared: records, or what one record holds natively and in its environments, with values at one clock.

use crate::exit::usage;
use crate::records::read;
use crate::{Operations, records, select};
use analysis::{Analysis, Analyst, Compare};
use record::{Environment, Header, Machine, Plan};
use report::ComparedRecord;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One side of a comparison, with what it says.
pub(super) struct Opened {
    pub(super) name: String,
    environment: Option<Environment>,
    header: Header,
    machine: Machine,
    plan: Plan,
    pub(super) analysis: Analysis,
}

impl Opened {
    pub(super) fn compared_record(&self) -> ComparedRecord<'_> {
        ComparedRecord {
            name: &self.name,
            header: &self.header,
            machine: &self.machine,
            plan: &self.plan,
            environment: self.environment.as_ref(),
        }
    }

    pub(super) fn compare(&self) -> Compare<'_> {
        Compare { machine: &self.machine, plan: &self.plan, analysis: &self.analysis }
    }
}

/// A side before its values are given at a clock.
struct Read {
    name: String,
    environment: Option<Environment>,
    header: Header,
    machine: Machine,
    plan: Plan,
    analyst: Analyst,
}

impl Read {
    /// What a record holds natively, and then in each environment in which something was measured.
    fn open(path: &Path, name: String) -> anyhow::Result<Vec<Self>> {
        let record = read(path)?;
        let Some(plan) = record.plan.clone() else {
            return Err(usage(format!(
                "{}: the run ended before its plan was written: there is nothing to compare",
                path.display()
            )));
        };
        let native = Self {
            name,
            environment: None,
            analyst: Analyst::of(&record, &plan),
            machine: plan.machine_within(None, &record.machine),
            header: record.header.clone(),
            plan: plan.clone(),
        };
        let there = plan.environments.iter().filter(|there| there.skip.is_none());
        let there = there.map(|there| Self {
            name: there.name.clone(),
            environment: Some(there.clone()),
            analyst: Analyst::new(&plan, &record.machine).within(there).with(&record),
            machine: plan.machine_within(Some(there), &record.machine),
            header: record.header.clone(),
            plan: plan.clone(),
        });
        let there: Vec<Self> = there.collect();
        Ok(std::iter::once(native).chain(there).collect())
    }

    /// With values at this clock of the core, or at its own, of the points that are wanted.
    fn opened(
        self,
        clock_hz: Option<f64>,
        operations: Operations,
        only: &[String],
    ) -> anyhow::Result<Opened> {
        let mut analysis = self.analyst.at_clock(clock_hz).analysis();
        if !only.is_empty() {
            select::keep(operations, only, &mut analysis)?;
        }
        Ok(Opened {
            name: self.name,
            environment: self.environment,
            header: self.header,
            machine: self.machine,
            plan: self.plan,
            analysis,
        })
    }
}

/// What is compared, the first with every other, with values at one clock where that is possible, and whether it is of one
/// run.
pub(super) fn opened(
    operations: Operations,
    paths: &[PathBuf],
    labels: &[String],
    only: &[String],
) -> anyhow::Result<(Vec<Opened>, bool)> {
    let (read, paired) = sides(paths, labels)?;
    let clocks = read.iter().map(|read| (&read.machine, read.analyst.clock()));
    let clock = match paired {
        // An emulator's clock is none to carry anything to.
        true => read.first().and_then(|native| native.analyst.clock()),
        false => analysis::common_clock(&clocks.collect::<Vec<_>>()),
    };
    let opened = read.into_iter().map(|read| read.opened(clock, operations, only));
    Ok((opened.collect::<anyhow::Result<_>>()?, paired))
}

/// The sides: records that are named; or of one record, what it holds natively and in environments; or a record and the
/// newest. Whether they are of one run.
fn sides(paths: &[PathBuf], labels: &[String]) -> anyhow::Result<(Vec<Read>, bool)> {
    let mut paths = paths.to_vec();
    if let [alone] = paths.as_slice() {
        let name = labels.first().cloned().unwrap_or_else(|| records::name_of(alone));
        let sides = Read::open(alone, name)?;
        if sides.len() > 1 {
            return Ok((sides, true));
        }
        paths.push(records::newest()?);
    }
    let names = names(&paths, labels)?;
    let mut sides = Vec::new();
    for (path, name) in paths.iter().zip(names) {
        // Of several records only what was measured natively.
        sides.extend(Read::open(path, name)?.into_iter().next());
    }
    Ok((sides, false))
}

/// What the records are called: as the user says, or by their files; where two of these are alike, by their paths.
pub(super) fn names(paths: &[PathBuf], labels: &[String]) -> anyhow::Result<Vec<String>> {
    if !labels.is_empty() && labels.len() != paths.len() {
        return Err(usage(format!("{} records need as many labels, not {}", paths.len(), labels.len())));
    }
    if !labels.is_empty() {
        return Ok(labels.to_vec());
    }
    let short: Vec<String> = paths.iter().map(|path| records::name_of(path)).collect();
    let are_distinct = short.iter().collect::<BTreeSet<_>>().len() == short.len();
    let whole = || paths.iter().map(|path| path.display().to_string()).collect();
    Ok(if are_distinct { short } else { whole() })
}
