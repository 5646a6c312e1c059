//! Values on the page: in their own unit and, where they are times and the clock of the core is known, in
//! core cycles too. The page shows one of the two.

use super::writer::Html;
use crate::cells;
use analysis::Row;
use quantity::{Quantity, show, show_cycles, show_interval};
use record::Range;

/// How the values of a row, or of a plot, become text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    quantity: Quantity,
    core_hz: Option<f64>,
}

/// A value as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Number {
    own: String,
    cycles: Option<String>,
}

impl Unit {
    /// Values of this kind beside a core with this clock, where it is known.
    pub(crate) fn new(quantity: Quantity, core_hz: Option<f64>) -> Self {
        let core_hz = core_hz.filter(|_| quantity == Quantity::Latency);
        Self { quantity, core_hz }
    }

    /// The row's unit; `run_hz` stands in for a clock that the row did not probe.
    pub(crate) fn of_row(row: &Row, run_hz: Option<f64>) -> Self {
        let own = row.estimate.as_ref().and_then(|estimate| estimate.core_hz);
        Self::new(row.quantity(), own.or(run_hz))
    }

    /// A value whose digits follow half the width of its interval.
    pub(crate) fn show(&self, value: f64, half: Option<f64>) -> Number {
        Number { own: show(value, half, self.quantity), cycles: self.cycles(value, half) }
    }

    /// The typical value of a row.
    pub(crate) fn typical(&self, row: &Row) -> Option<Number> {
        let typical = row.estimate.as_ref()?.typical;
        let states = row.undecided_states();
        if states.is_empty() {
            return Some(self.show(typical, cells::half_of(row)));
        }
        let cycles: Option<Vec<String>> = states.iter().map(|state| self.cycles(*state, None)).collect();
        Some(Number {
            own: cells::typical(row),
            cycles: cycles.map(|cycles| cells::alternatives(cycles.into_iter())),
        })
    }

    /// The prediction of a row.
    pub(crate) fn predicted(&self, row: &Row) -> Option<Number> {
        Some(self.range(row.predicted()?.total))
    }

    /// Both ends of an interval.
    pub(crate) fn interval(&self, low: f64, high: f64) -> Number {
        let half = Some((high - low) / 2.0);
        let ends = self.cycles(low, half).zip(self.cycles(high, half));
        Number {
            own: show_interval(low, high, self.quantity),
            cycles: ends.map(|(low, high)| between(&low, &high)),
        }
    }

    /// A predicted value; nothing is said of an exact zero.
    pub(crate) fn range(&self, range: Range) -> Number {
        Number {
            own: cells::range(range, self.quantity),
            cycles: self
                .cycles(range.value, Some(cells::half_of_range(range)))
                .filter(|_| !cells::is_nothing(range)),
        }
    }

    fn cycles(&self, nanos: f64, half: Option<f64>) -> Option<String> {
        let core_hz = self.core_hz?;
        Some(show_cycles(nanos * core_hz * 1e-9, half.map(|half| half * core_hz * 1e-9)))
    }
}

/// Both ends of an interval, their unit once where it is the same.
fn between(low: &str, high: &str) -> String {
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same && !low.starts_with('−') => {
            format!("{number}–{high}")
        }
        _ => format!("{low} to {high}"),
    }
}

impl Number {
    /// A text that has one form only.
    pub(crate) fn plain(text: String) -> Self {
        Self { own: text, cycles: None }
    }

    /// Both forms in one text, for a place where no switch reaches.
    pub(crate) fn both(&self) -> String {
        match &self.cycles {
            None => self.own.clone(),
            Some(cycles) => format!("{} = {cycles}", self.own),
        }
    }

    /// The form in cycles, of a time where the clock is known.
    pub(crate) fn in_cycles(self) -> Option<String> {
        self.cycles
    }

    /// The form in its own unit, for a place where no switch reaches and room is short.
    pub(crate) fn own(self) -> String {
        self.own
    }

    /// Writes it, in both forms where there are two: the page's style hides one.
    pub(crate) fn write(&self, html: &mut Html) {
        match &self.cycles {
            None => html.say(&self.own),
            Some(cycles) => {
                // Hundreds of points have a dozen numbers each: the shortest elements there are.
                html.leaf("i", &[], &self.own);
                html.leaf("u", &[], cycles);
            }
        }
    }
}
