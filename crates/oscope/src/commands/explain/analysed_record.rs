//! The record that an explanation is read from.

use crate::arguments::HistoryFolder;
use crate::history::{Conditions, Differs, History, earlier_runs};
use crate::operation_list::labels;
use crate::select::keep;
use crate::{Operations, records};
use analysis::{Analysis, Row};
use record::{Header, Machine, PointId, Record};
use std::path::{Path, PathBuf};

/// A record, where it is, and its analysis.
pub(super) struct AnalysedRecord {
    path: PathBuf,
    header: Header,
    pub(super) machine: Machine,
    pub(super) analysis: Analysis,
}

impl AnalysedRecord {
    /// The named record, or the newest; `None` when there is none.
    pub(super) fn find(named: Option<&Path>, history: &HistoryFolder) -> anyhow::Result<Option<Self>> {
        let found = match named {
            Some(path) => Some((path.to_owned(), records::read(path)?)),
            // That the newest record is of another kind is no reason to explain nothing.
            None => records::newest().ok().and_then(|path| Some((path.clone(), records::read(&path).ok()?))),
        };
        found.map(|found| Self::of(found, history)).transpose()
    }

    /// The named record, or the newest; where that has no number of these points, the newest record of this machine that has.
    pub(super) fn with(
        named: Option<&Path>,
        history: &HistoryFolder,
        is_wanted: impl Fn(&PointId) -> bool,
    ) -> anyhow::Result<Option<Self>> {
        let found = Self::find(named, history)?;
        match found.as_ref().filter(|_| named.is_none()) {
            Some(newest) => Ok(newest.older(history, is_wanted)?.or(found)),
            None => Ok(found),
        }
    }

    /// The newest record of this machine that has a number of these points, where this one has none.
    pub(super) fn older(
        &self,
        history: &HistoryFolder,
        is_wanted: impl Fn(&PointId) -> bool,
    ) -> anyhow::Result<Option<Self>> {
        if self.has(&is_wanted) {
            return Ok(None);
        }
        let here = Conditions::from_parts(&self.header, &self.machine, None, None);
        let older = History::read(history.folder())?.runs.into_iter().find(|run| {
            let differences = run.conditions().differences(here);
            run.rows.iter().any(|row| row.typical.is_some() && is_wanted(&row.id))
                && !differences.iter().any(|differs| matches!(differs, Differs::Machine(_)))
                && !records::is_of_the_museum(&run.header)
        });
        let older = older.and_then(|run| Some((run.path.clone(), records::read(&run.path).ok()?)));
        older.map(|older| Self::of(older, history)).transpose()
    }

    fn of((path, record): (PathBuf, Record), history: &HistoryFolder) -> anyhow::Result<Self> {
        let earlier = earlier_runs(history.folder(), Conditions::of_record(&record))?;
        let analysis = analysis::analyse_after(&record, None, &earlier);
        Ok(Self { path, header: record.header, machine: record.machine, analysis })
    }

    /// Whether it has a number of one of these points.
    pub(super) fn has(&self, is_wanted: impl Fn(&PointId) -> bool) -> bool {
        self.analysis.rows.iter().any(|row| row.estimate.is_some() && is_wanted(&row.point.id))
    }

    /// The row of an operation that says most of it: that of the headline, or else the first with a number.
    pub(super) fn main_row(&self, operations: Operations, operation: &str) -> Option<&Row> {
        let rows = self.analysis.rows.iter();
        let of_it =
            || rows.clone().filter(|row| row.point.id.operation == operation && row.estimate.is_some());
        let labels = labels(operations);
        let is_labelled = |row: &&Row| {
            labels.iter().any(|label| label.operation == operation && label.point == row.point.id.point)
        };
        of_it().find(is_labelled).or_else(|| of_it().next())
    }

    /// The rows of the points that a text means.
    pub(super) fn rows(&mut self, operations: Operations, text: &str) -> Vec<Row> {
        let name = records::name_of(&self.path);
        match keep(operations, &[text.to_owned()], &mut [(&name, &mut self.analysis)]) {
            Ok(()) => self.analysis.rows.clone(),
            Err(_) => Vec::new(),
        }
    }

    pub(super) fn heading(&self) -> String {
        format!("In the record of {} ({})", self.header.started, self.path.display())
    }
}
