//! Rows that depend on each other's results: resolved on demand, each once, its dependencies first.

use crate::deviations::likely_reason;
use crate::estimates::selection::{Conditions, Selection};
use crate::evidence::history::History;
use crate::evidence::witness_counts::WitnessCounts;
use crate::rows::reason::{QuotaUse, Reason};
use crate::rows::row::{Judged, Row, SetAside, Verdict};
use crate::verdicts::division::divided;
use crate::verdicts::point_result::PointResult;
use crate::verdicts::predictions::{self, Predictions};
use crate::verdicts::{remarks, verdict};
use record::{Lookup, Machine, PointId, Range, Settings};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Results that lie deeper below a point are taken for not measured, so that no record can exhaust the
/// stack. Predictions of real operations are four levels deep.
const DEEPEST: usize = 32;

/// All that the results of a run follow from.
#[derive(Clone, Copy)]
pub(crate) struct RunEvidence<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) settings: &'a Settings,
    /// One for each planned point, in the plan's order.
    pub(crate) histories: &'a [History],
    /// Where each point stands in the plan.
    pub(crate) places: &'a HashMap<PointId, usize>,
    pub(crate) conditions: Conditions<'a>,
    pub(crate) quota: QuotaUse,
}

/// How far the result of a point has come.
#[derive(Debug, Clone)]
enum Slot {
    Unresolved,
    /// Being resolved: a result that needs it now would be explained by itself.
    InProgress,
    Resolved(Rc<PointResult>),
}

/// Resolves the results of one run.
pub(crate) struct Resolver<'a> {
    run: RunEvidence<'a>,
    slots: RefCell<Vec<Slot>>,
    depth: Cell<usize>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(run: RunEvidence<'a>) -> Self {
        let slots = RefCell::new(vec![Slot::Unresolved; run.histories.len()]);
        Self { run, slots, depth: Cell::new(0) }
    }

    /// The finished rows of all points.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let rows = (0..self.run.histories.len()).filter_map(|place| self.row(place)).collect();
        likely_reason::explained(divided(rows, self.run.machine), self.run.machine)
    }

    /// The row of a point, but for the likely reason of a deviation, which takes the rows of others.
    pub(crate) fn row(&self, place: usize) -> Option<Row> {
        let result = Rc::unwrap_or_clone(self.result(place)?);
        let history = self.run.histories.get(place)?.judged();
        let witnesses: Vec<Judged> = history.watches.iter().map(WitnessCounts::judged).collect();
        let precision = self.run.settings.precision;
        let (mut distribution, mut modes, mut notes) = Default::default();
        if let Some(estimate) = &result.estimate {
            let selection = Selection::new(&history, self.run.conditions);
            (distribution, modes) = remarks::shape(&selection);
            notes = remarks::remarks(&selection, estimate.typical, &witnesses, precision);
        }
        let is_between = verdict::is_between_states(&modes, precision);
        let (verdict, reasons) = match result.verdict {
            Verdict::Measured if is_between => (Verdict::Noisy, vec![Reason::States]),
            verdict => (verdict, result.reasons),
        };
        let Predictions { from_facts, from_parts, unpredicted } =
            predictions::predict(&history.point.id, &history.prediction, self);
        let set_aside = history.set_aside.iter();
        Some(Row {
            verdict,
            reasons,
            core: result.core,
            estimate: result.estimate,
            from_facts,
            from_parts,
            unpredicted,
            witnesses,
            set_aside: set_aside.map(|(cause, batches)| SetAside { cause: cause.clone(), batches }).collect(),
            modes,
            trials: result.trials,
            distribution,
            notes,
            is_beyond_more_time: false,
            by_earlier_runs: None,
            point: history.point.clone(),
        })
    }

    /// The result of a point; `None` when there is no such point, or when it is needed for itself.
    pub(crate) fn result(&self, place: usize) -> Option<Rc<PointResult>> {
        match self.slots.borrow().get(place)? {
            Slot::InProgress => return None,
            Slot::Resolved(result) => return Some(Rc::clone(result)),
            Slot::Unresolved => {}
        }
        let RunEvidence { settings, conditions, quota, .. } = self.run;
        let history = self.run.histories.get(place)?.judged();
        let selection = Selection::new(&history, conditions);
        self.keep(place, Slot::InProgress);
        self.depth.set(self.depth.get() + 1);
        let result = PointResult::judge(&selection, conditions.reference_hz, settings, quota, self);
        self.depth.set(self.depth.get() - 1);
        let result = Rc::new(result);
        self.keep(place, Slot::Resolved(Rc::clone(&result)));
        Some(result)
    }

    fn keep(&self, place: usize, new: Slot) {
        if let Some(slot) = self.slots.borrow_mut().get_mut(place) {
            *slot = new;
        }
    }
}

impl Lookup for Resolver<'_> {
    fn fact(&self, key: &str) -> Option<Range> {
        self.run.machine.range(key)
    }

    fn is_assumed(&self, key: &str) -> bool {
        self.run.machine.is_assumed(key)
    }

    fn part(&self, point: &PointId) -> Option<Range> {
        let place = *self.run.places.get(point)?;
        if self.depth.get() >= DEEPEST {
            return None;
        }
        self.result(place)?.range()
    }
}
