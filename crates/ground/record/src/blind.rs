//! Blind runs: what was measured of a point is hidden until the user has predicted it.

use crate::{Plan, PointId, Record, Skip};

/// Why a point has no number that is hidden until the user has predicted it.
pub const HIDDEN: &str = "hidden: the run is blind, and the user has not predicted this point";

impl Plan {
    /// Whether a blind run hides what it measured of a point.
    pub fn hides(&self, id: &PointId) -> bool {
        let is_same = |known: &PointId| known.operation == id.operation && known.point == id.point;
        let mut points = self.points.iter();
        self.settings.blind && points.any(|point| is_same(&point.id) && point.user.is_none())
    }
}

impl Record {
    /// Leaves out what a blind run measured of points that the user has not predicted, and what the program predicts of
    /// them; the plan says why. How many points are hidden; 0 in a run that is not blind.
    ///
    /// Trials, rehearsals and failures go, so that no view, no prediction from parts and no answer can show them.
    pub fn hide_unpredicted(&mut self) -> usize {
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.settings.blind) else {
            return 0;
        };
        self.trials.retain(|trial| !plan.hides(&trial.id));
        self.rehearsals.retain(|rehearsal| !plan.hides(&rehearsal.id));
        self.failures.retain(|failure| !plan.hides(&failure.id));
        self.predictions.retain(|(id, _)| !plan.hides(id));
        let hidden = plan.points.iter_mut().filter(|point| point.user.is_none());
        let mut count = 0;
        // What could not be measured says so instead.
        for point in hidden.filter(|point| point.skip.is_none()) {
            count += 1;
            point.skip = Some(Skip {
                reason: HIDDEN.to_owned(),
                remedy: "oscope report RECORD --predictions FILE".to_owned(),
            });
        }
        count
    }
}
