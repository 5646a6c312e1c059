//! Rows that depend on each other's results: resolved on demand, each once, its dependencies first.

use crate::estimates::estimate::estimate;
use crate::estimates::selection::{Conditions, Selection};
use crate::evidence::history::History;
use crate::rows::row::{Row, SetAside, Verdict};
use crate::verdicts::{bounds, predictions, remarks, verdict};
use record::{Lookup, Machine, PointId, Range, Settings};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Results that lie deeper below a point are taken for not measured, so that no record can exhaust the
/// stack. Predictions of real operations are four levels deep.
const DEEPEST: usize = 32;

/// How far a row has come.
#[derive(Debug, Clone)]
enum Slot {
    Unresolved,
    /// Being resolved: a row that needs it now would be explained by itself.
    InProgress,
    Resolved(Rc<Row>),
}

/// Resolves the rows of one analysis.
pub(crate) struct Resolver<'a> {
    machine: &'a Machine,
    settings: &'a Settings,
    histories: &'a [History],
    places: &'a HashMap<PointId, usize>,
    conditions: Conditions<'a>,
    slots: RefCell<Vec<Slot>>,
    depth: Cell<usize>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        settings: &'a Settings,
        histories: &'a [History],
        places: &'a HashMap<PointId, usize>,
        conditions: Conditions<'a>,
    ) -> Self {
        let slots = RefCell::new(vec![Slot::Unresolved; histories.len()]);
        Self { machine, settings, histories, places, conditions, slots, depth: Cell::new(0) }
    }

    /// The complete row of a point.
    pub(crate) fn row(&self, place: usize) -> Option<Row> {
        let mut row = Rc::unwrap_or_clone(self.resolved(place)?);
        let history = self.histories.get(place)?.judged();
        predictions::fill(&mut row, &history.prediction, self);
        remarks::fill(&mut row, &Selection::of(&history, self.conditions), self.settings);
        if let Some(judgement) = verdict::between_states(&row, self.settings) {
            set_verdict(&mut row, judgement);
        }
        Some(row)
    }

    /// The row of a point without its remarks, which take time: for a table that is drawn again and again.
    pub(crate) fn snapshot(&self, place: usize) -> Option<Row> {
        let mut row = Rc::unwrap_or_clone(self.resolved(place)?);
        predictions::fill(&mut row, &self.histories.get(place)?.prediction, self);
        Some(row)
    }

    /// Estimate and verdict of a point, without predictions and remarks; `None` when there is no such
    /// point, or when it is needed to settle itself.
    pub(crate) fn resolved(&self, place: usize) -> Option<Rc<Row>> {
        match self.slots.borrow().get(place)? {
            Slot::InProgress => return None,
            Slot::Resolved(row) => return Some(Rc::clone(row)),
            Slot::Unresolved => {}
        }
        let history = self.histories.get(place)?.judged();
        let selection = Selection::of(&history, self.conditions);
        self.keep(place, Slot::InProgress);
        self.depth.set(self.depth.get() + 1);
        let row = Rc::new(self.resolve(&selection));
        self.depth.set(self.depth.get() - 1);
        self.keep(place, Slot::Resolved(Rc::clone(&row)));
        Some(row)
    }

    fn keep(&self, place: usize, new: Slot) {
        if let Some(slot) = self.slots.borrow_mut().get_mut(place) {
            *slot = new;
        }
    }

    fn resolve(&self, selection: &Selection<'_>) -> Row {
        let mut row = unbounded(selection, self.settings, self.conditions.reference_hz);
        if let Some(reason) = bounds::broken(&row, self) {
            set_verdict(&mut row, (Verdict::Contradicted, vec![reason]));
        }
        if row.estimate.is_none() {
            row.trials.clear();
            row.core = None;
        }
        row
    }
}

/// The row of a point before its bounds are looked at.
fn unbounded(selection: &Selection<'_>, settings: &Settings, reference_hz: Option<f64>) -> Row {
    let history = selection.history;
    let estimate = estimate(selection, reference_hz);
    let judgement = verdict::judge(selection, estimate.as_ref(), settings);
    let set_aside = history.set_aside.iter();
    let mut row = Row {
        core: selection.core,
        estimate,
        witnesses: history.watches.iter().map(|watch| watch.judged()).collect(),
        set_aside: set_aside.map(|(cause, batches)| SetAside { cause: cause.clone(), batches }).collect(),
        trials: selection.summaries.iter().map(|summary| summary.value).collect(),
        ..Row::new(history.point.clone())
    };
    set_verdict(&mut row, judgement);
    row
}

/// Gives a row its verdict; a verdict without a number takes the number away.
fn set_verdict(row: &mut Row, judgement: verdict::Judgement) {
    (row.verdict, row.reasons) = judgement;
    if !row.verdict.has_number() {
        row.estimate = None;
    }
}

impl Lookup for Resolver<'_> {
    fn fact(&self, key: &str) -> Option<Range> {
        self.machine.range(key)
    }

    fn is_assumed(&self, key: &str) -> bool {
        self.machine.is_assumed(key)
    }

    fn part(&self, point: &PointId) -> Option<Range> {
        let place = *self.places.get(point)?;
        if self.depth.get() >= DEEPEST {
            return None;
        }
        let row = self.resolved(place)?;
        // Too few trials for an interval are still uncertain: by all that they saw.
        row.range()
    }
}
