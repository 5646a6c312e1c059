//! What a rule looks at: the table, its claims and its series of trials, each computed once.

use crate::claims::{self, Claim};
use crate::series::{self, Series};
use crate::table::{Row, Table};

/// A series of fewer trials shows nothing about their spread.
pub(crate) const ENOUGH_TRIALS: usize = 5;

/// A table and what is computed from it for all rules.
#[derive(Debug)]
pub(crate) struct Context<'t> {
    pub table: &'t Table,
    pub claims: Vec<Claim<'t>>,
    /// All series of trials, the short ones, too.
    pub all_series: Vec<Series<'t>>,
}

impl<'t> Context<'t> {
    pub fn new(table: &'t Table) -> Self {
        Self { table, claims: claims::claims(table), all_series: series::all_series(table) }
    }

    /// Series of at least n trials.
    pub fn series_of(&self, fewest: usize) -> impl Iterator<Item = &Series<'t>> {
        self.all_series.iter().filter(move |series| series.rows.len() >= fewest)
    }

    /// Series with enough trials to say something about their spread.
    pub fn series(&self) -> impl Iterator<Item = &Series<'t>> {
        self.series_of(ENOUGH_TRIALS)
    }

    /// All pairs of series.
    pub fn pairs_of_series(&self) -> impl Iterator<Item = (&Series<'t>, &Series<'t>)> {
        let series = self.all_series.iter().enumerate();
        series.flat_map(|(at, one)| self.all_series.iter().skip(at + 1).map(move |other| (one, other)))
    }

    /// Series with enough trials, each with a row that summarises them.
    pub fn summaries(&self) -> impl Iterator<Item = (&Series<'t>, &'t Row)> {
        self.series().flat_map(|series| series.summaries(self.table).map(move |row| (series, row)))
    }

    /// Whether the table has the trials that a row summarises.
    pub fn has_trials_of(&self, row: &Row) -> bool {
        self.summaries().any(|(_, summary)| summary.line == row.line)
    }

    /// The rows of all claims, by claim.
    pub fn claimed(&self) -> impl Iterator<Item = &'t Row> {
        self.claims.iter().flat_map(|claim| claim.rows.iter().copied())
    }

    /// Of each claim the first row for which this holds.
    pub fn first_of_claims(&self, holds: impl Fn(&Row) -> bool) -> Vec<&'t Row> {
        self.claims.iter().filter_map(|claim| claim.rows.iter().copied().find(|row| holds(row))).collect()
    }
}
