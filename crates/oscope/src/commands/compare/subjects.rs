//! What is compared: records, or what one record holds natively and in its environments, with values at one clock.

use super::halves::halves;
use crate::arguments::{At, HistoryFolder};
use crate::exit::{of_revision, unusable, usage};
use crate::history::{Conditions, History};
use crate::{Operations, environments, records, select};
use analysis::{Analysis, Analyst, Compare};
use jiff::Timestamp;
use record::{End, EndReason, Environment, Header, Machine, PeerEnd, Plan, Record};
use report::ComparedRecord;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A record, or one environment of it.
pub(super) struct Subject {
    pub(super) name: String,
    environment: Option<Environment>,
    header: Header,
    machine: Machine,
    peer: Option<PeerEnd>,
    plan: Plan,
    /// When its run began and ended, in seconds since 1970; `None` where the record does not say it.
    period: Option<[f64; 2]>,
    /// Why the run has not ended by itself.
    pub(super) unfinished: Option<&'static str>,
}

fn period(record: &Record) -> Option<[f64; 2]> {
    let began: Timestamp = record.header.started.parse().ok()?;
    let trials = record.trials.iter().map(|trial| trial.started_ns);
    let ended_ns = trials.chain(record.end.as_ref().map(|end| end.at_ns)).max()?;
    let began_s = began.as_millisecond() as f64 / 1e3;
    Some([began_s, began_s + ended_ns as f64 / 1e9])
}

/// Why a run with this end has not ended by itself.
fn unfinished(end: Option<&End>) -> Option<&'static str> {
    match end.map(|end| end.reason) {
        None => Some("the record has no end: its run was killed, is still going on, or the disk was full"),
        Some(EndReason::Interrupted) => Some("the run was interrupted"),
        Some(_) => None,
    }
}

impl Subject {
    /// What a record holds natively, and then in each environment in which something was measured.
    fn read(path: &Path, name: String) -> anyhow::Result<Vec<(Self, Analyst)>> {
        let record = records::read(path)?;
        Self::of_record(&record, name).ok_or_else(|| {
            let why = "the run ended before its plan was written: there is nothing to compare";
            unusable(path, why)
        })
    }

    /// The same of a record that was read; nothing where it has no plan.
    fn of_record(record: &Record, name: String) -> Option<Vec<(Self, Analyst)>> {
        let plan = record.plan.as_ref()?;
        let native = (name, None, Analyst::from_record(record, plan));
        let others = environments::measured(plan).map(|there| {
            let analyst = Analyst::new(plan, &record.machine).within(there).with(record);
            (there.name.clone(), Some(there), analyst)
        });
        let subjects = std::iter::once(native).chain(others).map(|(name, environment, analyst)| {
            let subject = Self {
                name,
                environment: environment.cloned(),
                header: record.header.clone(),
                machine: plan.machine_within(environment, &record.machine),
                peer: record.peer.clone(),
                plan: plan.clone(),
                period: period(record),
                unfinished: unfinished(record.end.as_ref()),
            };
            (subject, analyst)
        });
        Some(subjects.collect())
    }

    pub(super) fn compared_record(&self) -> ComparedRecord<'_> {
        ComparedRecord {
            name: &self.name,
            header: &self.header,
            machine: &self.machine,
            plan: &self.plan,
            environment: self.environment.as_ref(),
        }
    }

    /// When its run began.
    pub(super) fn started(&self) -> &str {
        &self.header.started
    }

    fn conditions(&self) -> Conditions<'_> {
        Conditions::from_parts(&self.header, &self.machine, self.peer.as_ref(), Some(&self.plan))
    }

    pub(super) fn compare<'a>(&'a self, analysis: &'a Analysis) -> Compare<'a> {
        Compare { machine: &self.machine, plan: &self.plan, analysis, period: self.period }
    }
}

/// What a watch kept before a moment and after it.
pub(super) fn around(folder: &Path, at: At, window: Duration) -> anyhow::Result<Vec<(Subject, Analysis)>> {
    let mut subjects = Vec::new();
    for (name, record) in halves(folder, at, window)? {
        subjects.extend(Subject::of_record(&record, name).into_iter().flatten().next());
    }
    let clocks = subjects.iter().map(|(subject, analyst)| (&subject.machine, analyst.clock()));
    let clock = analysis::common_clock(&clocks.collect::<Vec<_>>());
    let analysed =
        subjects.into_iter().map(|(subject, analyst)| (subject, analyst.at_clock(clock).analysis()));
    Ok(analysed.collect())
}

/// What is compared, the first with every other, with values at one clock where that is possible, and whether all are of one
/// run.
pub(super) fn analysed(
    operations: Operations,
    paths: &[PathBuf],
    labels: &[String],
    only: &[String],
    history: &HistoryFolder,
) -> anyhow::Result<(Vec<(Subject, Analysis)>, bool)> {
    let (subjects, paired) = subjects(paths, labels)?;
    // Trials that were interleaved share what lasts for minutes.
    let history = if paired { History::default() } else { History::read(history.folder())? };
    history.warn();
    let clocks = subjects.iter().map(|(subject, analyst)| (&subject.machine, analyst.clock()));
    let clock = match paired {
        // An emulator's clock is none to carry anything to.
        true => subjects.first().and_then(|(_, native)| native.clock()),
        false => analysis::common_clock(&clocks.collect::<Vec<_>>()),
    };
    // Runs between the two that are compared would count the change itself as a spread between runs.
    let before = subjects.iter().map(|(subject, _)| subject.header.started.clone()).min().unwrap_or_default();
    let analysed = subjects.into_iter().map(|(subject, analyst)| {
        let earlier = history.earlier_runs(subject.conditions(), &before);
        let analyst = if subject.environment.is_none() { analyst.after(&earlier) } else { analyst };
        (subject, analyst.at_clock(clock).analysis())
    });
    let mut analysed: Vec<(Subject, Analysis)> = analysed.collect();
    if let Some(((_, natively), others)) = analysed.split_first_mut().filter(|_| paired) {
        others.iter_mut().for_each(|(_, there)| analysis::skip_unproven(&natively.rows, &mut there.rows));
    }
    if !only.is_empty() {
        let named = analysed.iter_mut().map(|(subject, analysis)| (subject.name.as_str(), analysis));
        select::keep(operations, only, &mut named.collect::<Vec<_>>())?;
    }
    Ok((analysed, paired))
}

/// The records that are named; of one record, what it holds natively and in environments; or a record and the newest. Whether
/// they are of one run.
fn subjects(paths: &[PathBuf], labels: &[String]) -> anyhow::Result<(Vec<(Subject, Analyst)>, bool)> {
    let mut paths = paths.to_vec();
    if let [alone] = paths.as_slice() {
        let name = labels.first().cloned().unwrap_or_else(|| records::name_of(alone));
        let subjects = Subject::read(alone, name).map_err(of_revision)?;
        if subjects.len() > 1 {
            return Ok((subjects, true));
        }
        let newest = records::newest()?;
        if records::is_same_file(alone, &newest) {
            let why = "it is the newest record itself, and has no environments; name the record to compare it with: \
                'oscope compare A B', or 'oscope compare --baseline NAME'";
            return Err(unusable(alone, why));
        }
        paths.push(newest);
    }
    let mut subjects = Vec::new();
    for (at, (path, name)) in (1..).zip(paths.iter().zip(names(&paths, labels)?)) {
        let read = Subject::read(path, name);
        // A bisection names the record of the revision last.
        let read = if at == paths.len() { read.map_err(of_revision)? } else { read? };
        // Of several records only what was measured natively.
        subjects.extend(read.into_iter().next());
    }
    Ok((subjects, false))
}

/// What the records are called: as the user says, or by their files; where two of these are equal, by their paths.
pub(super) fn names(paths: &[PathBuf], labels: &[String]) -> anyhow::Result<Vec<String>> {
    if !labels.is_empty() {
        return match labels.len() == paths.len() {
            true => Ok(labels.to_vec()),
            false => {
                let (needed, given) = (paths.len(), labels.len());
                Err(usage(format!(
                    "--label names each record, or each side: {needed} are needed, not {given}"
                )))
            }
        };
    }
    let short: Vec<String> = paths.iter().map(|path| records::name_of(path)).collect();
    let are_distinct = short.iter().collect::<BTreeSet<_>>().len() == short.len();
    Ok(if are_distinct { short } else { paths.iter().map(|path| path.display().to_string()).collect() })
}
