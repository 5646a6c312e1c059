//! An operation: a declaration of what is measured, how, what is predicted and what must be true.

use crate::area::Area;
use crate::settle_time::SETTLE_TIME;
use crate::value::Cpus;
use crate::{Bench, Failure, Path, Placement, Point, points};
use model::Mistake;
use quantity::Quantity;
use record::{
    Bound, Breach, Estimator, Fit, Gate, Need, Origin, PlannedPoint, Plot, PointId, Prediction, Profile,
    Witness,
};
use std::time::Duration;

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actors {
    /// The worker's only thread.
    One,
    /// Two threads of one process.
    TwoThreads,
    /// Two processes.
    TwoProcesses,
    /// The worker and children that it makes and waits for.
    Children,
}

/// How samples are made; see [`Estimator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Slope over batches of n, 2n, 4n.
    Slope,
    /// The same less the slope of a control, per counted event.
    SlopeLessControl {
        /// The counter to divide by.
        per: &'static str,
    },
    /// Every iteration timed by itself.
    Each,
    /// Values that are not durations.
    Values,
}

impl How {
    fn estimator(self) -> Estimator {
        match self {
            Self::Slope => Estimator::Slope,
            Self::SlopeLessControl { per } => Estimator::SlopeLessControl { per: per.to_owned() },
            Self::Each => Estimator::Each,
            Self::Values => Estimator::Values,
        }
    }
}

/// What a rehearsal under ptrace can tell of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rehearse {
    /// Which system calls an iteration makes.
    Calls,
    /// That, and how many instructions the main actor executes.
    CallsAndInstructions,
    /// Nothing: the operation watches time itself.
    Nothing,
}

/// A declaration. Start from [`Operation::NEW`] and say what differs.
pub struct Operation {
    /// Dotted name, stable for ever: `switch.process.pipe`.
    pub id: &'static str,
    /// Raised when a change moves its numbers.
    pub revision: u32,
    /// Where it belongs.
    pub area: Area,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What one iteration is.
    pub one_iteration: &'static str,
    /// What is measured.
    pub quantity: Quantity,
    /// The quantity of a point, where points of one operation differ in it.
    pub quantity_of: Option<fn(&Point) -> Quantity>,
    /// How, in a few sentences.
    pub method: &'static str,
    /// What can make the number mean something else, and what guards against it.
    pub confounds: &'static str,
    /// Who measured it before, and how.
    pub sources: &'static [(&'static str, &'static str)],
    /// Who takes part.
    pub actors: Actors,
    /// How samples are made.
    pub how: How,
    /// What sets batches aside.
    pub gate: Gate,
    /// The same of a point, where points of one operation differ in it.
    pub gate_of: Option<fn(&Point) -> Gate>,
    /// What the rehearsal looks at.
    pub rehearse: Rehearse,
    /// Time for the batches of one trial, in nanoseconds.
    pub spend_ns: u64,
    /// The same of a point, where points of one operation differ in it.
    pub spend_of: Option<fn(&Point) -> u64>,
    /// Bytes that one iteration of a point moves: makes a bandwidth of its time. `None` for other quantities and for values.
    pub payload_bytes: fn(&Point) -> Option<u64>,
    /// The parameters of its points: [`takes`](crate::takes) of the struct into which the workload reads them.
    pub parameters: fn(&Point) -> Result<(), Failure>,
    /// The points, as lines: `profile!=quick: cpu=same bytes=4KiB|64KiB; cpu=other`. Without a line no worker measures it:
    /// it is computed from what all trials of a run saw.
    pub points: &'static [&'static str],
    /// Its points of which a single iteration is worth timing, as lines: those of the profile `tail`.
    pub tail: &'static [&'static str],
    /// Its points that belong to the headline, each with its label on the first screen: at most 30 columns.
    pub headline: &'static [(&'static str, &'static str)],
    /// The fewest CPUs of a machine whose headline has these points.
    pub headline_from_cpus: usize,
    /// Its points that `oscope watch` reads where none is named, each with what its screen calls it: at most 22 columns.
    pub channels: &'static [(&'static str, &'static str)],
    /// What a point needs beyond what its placement does.
    pub needs: fn(&Point) -> Vec<Need>,
    /// The point as its lines see it: with what only the code knows, such as `instructions` of its loop in assembly.
    pub in_lines: fn(&Point) -> Point,
    /// What a point should cost: lines of terms in the language of `model`.
    pub predict: &'static [&'static str],
    /// What must be true of a point: lines of evidence in the language of `model`.
    pub evidence: &'static [&'static str],
    /// What no result of a point can pass: lines of bounds in the language of `model`.
    pub bounds: &'static [&'static str],
    /// The line through a sweep's points.
    pub fit: Option<fn() -> Fit>,
    /// The point of one CPU with which a point of several is compared: its speed-up is the work of all in the time of one.
    pub alone: Option<fn(&Point) -> Point>,
    /// How a sweep's points are drawn.
    pub plot: Option<fn() -> Plot>,
    /// How the curve is drawn that the run keeps by [`Bench::curve`]: times along what is no parameter of the point.
    pub curve: Option<fn() -> Plot>,
    /// Whether the curve that the run keeps has pairs of CPUs as its places: it is a map, and no curve is drawn.
    pub pairs: bool,
    /// Does it.
    pub run: fn(&mut Bench<'_>) -> Result<(), Failure>,
}

/// What operations need whose instructions only x86-64 has.
pub fn on_x86_64(_: &Point) -> Vec<Need> {
    vec![Need::Architecture { name: "x86_64".to_owned() }]
}

/// The counter of how cost grows with the length of batches.
const LINEARITY: &str = "linearity";

/// Evidence of the parameters that the bench reads.
const OF_THE_BENCH: &[&str] = &["idle states"];

/// A batch counts when its actors had a CPU for 97 % of its time: with a competitor on the same CPU this
/// keeps the median within 5 % (see METHODOLOGY).
const MIN_CPU_SHARE: f64 = 0.97;

impl std::fmt::Debug for Operation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Operation").field(&self.id).finish()
    }
}

impl Operation {
    /// The gate of most operations.
    pub const GATE: Gate =
        Gate { cpu_share: Some(MIN_CPU_SHARE), involuntary: true, shared_core: Some(oscope_trigger::QUIET) };

    /// What most operations have in common: one actor on one CPU, slope, one point, nothing predicted.
    pub const NEW: Self = Self {
        id: "",
        revision: 1,
        area: Area::Cpu,
        title: "",
        one_iteration: "",
        quantity: Quantity::Latency,
        quantity_of: None,
        method: "",
        confounds: "",
        sources: &[],
        actors: Actors::One,
        how: How::Slope,
        gate: Self::GATE,
        gate_of: None,
        rehearse: Rehearse::Calls,
        spend_ns: 12_000_000,
        spend_of: None,
        payload_bytes: |_| None,
        parameters: crate::takes::<crate::parameters::None>,
        points: &[""],
        tail: &[],
        headline: &[],
        headline_from_cpus: 1,
        channels: &[],
        needs: |_| Vec::new(),
        in_lines: Point::clone,
        predict: &[],
        evidence: &[],
        bounds: &[],
        fit: None,
        alone: None,
        plot: None,
        curve: None,
        pairs: false,
        run: |_| Err(Failure::failed("the operation declares nothing to run")),
    };

    /// What operations have in common that watch time themselves and give values.
    pub const VALUES: Self = Self { how: How::Values, rehearse: Rehearse::Nothing, ..Self::NEW };

    /// Whether it is computed from what all trials of a run saw: it has no points, and no worker measures it.
    pub fn is_of_the_run(&self) -> bool {
        self.points.is_empty()
    }

    /// The points of a profile. A test reads the lines of every card, so that none is lost here.
    pub fn points_of(&self, profile: Profile) -> Vec<Point> {
        self.read_points(profile).unwrap_or_default()
    }

    /// The points of a profile, or the line that is wrong.
    ///
    /// # Errors
    /// When a line cannot be read, or a parameter or its value is unknown to the workload.
    pub fn read_points(&self, profile: Profile) -> Result<Vec<Point>, Mistake> {
        let lines = if profile == Profile::Tail { self.tail } else { self.points };
        let points = points::read(lines, profile)?;
        for point in &points {
            (self.parameters)(point).map_err(|what| Mistake {
                line: point.text(),
                column: 1,
                what: what.to_string(),
            })?;
        }
        Ok(points)
    }

    /// The id of one of its points.
    pub fn point_id(&self, point: &Point) -> PointId {
        PointId::new(self.id, &point.text())
    }

    fn id_in_lines(&self, point: &Point) -> PointId {
        self.point_id(&(self.in_lines)(point))
    }

    /// Time for the batches of one trial of a point, in nanoseconds.
    pub fn spend_at(&self, point: &Point) -> u64 {
        self.spend_of.map_or(self.spend_ns, |of| of(point))
    }

    /// What is measured at a point.
    pub fn quantity_at(&self, point: &Point) -> Quantity {
        self.quantity_of.map_or(self.quantity, |of| of(point))
    }

    /// What a point should cost. A line that cannot be read contradicts the point, as in [`Self::witnesses_at`].
    pub fn prediction_at(&self, point: &Point) -> Prediction {
        self.read_lines(point, None).map(|(prediction, _, _)| prediction).unwrap_or_default()
    }

    /// What must be true of a point. Where a line of the card cannot be read, it is a witness that nothing agrees with: a point
    /// without its bounds or its prediction would pass too easily.
    pub fn witnesses_at(&self, point: &Point) -> Vec<Witness> {
        self.read_lines(point, None).map(|(_, witnesses, _)| witnesses).unwrap_or_else(|mistake| {
            vec![Witness {
                counter: "answers".to_owned(),
                origin: Origin::Trial,
                low: f64::MAX,
                high: f64::MAX,
                positive: true,
                proves: format!("a line of the card is wrong: {mistake}"),
                breach: Breach::OtherWork,
            }]
        })
    }

    /// What no result of a point can pass. A line that cannot be read contradicts the point, as in [`Self::witnesses_at`].
    pub fn bounds_at(&self, point: &Point) -> Vec<Bound> {
        self.read_lines(point, None).map(|(_, _, bounds)| bounds).unwrap_or_default()
    }

    /// The prediction, the evidence and the bounds of a point, from their lines.
    fn read_lines(
        &self,
        point: &Point,
        parts: Option<model::Parts<'_>>,
    ) -> Result<(Prediction, Vec<Witness>, Vec<Bound>), Mistake> {
        let (id, quantity) = (self.id_in_lines(point), self.quantity_at(point));
        Ok((
            model::prediction(self.predict, &id, quantity, parts)?,
            model::witnesses(&[self.evidence, OF_THE_BENCH].concat(), &id)?,
            model::bounds(self.bounds, &id, quantity, parts)?,
        ))
    }

    /// Reads the lines of a point; `parts` knows which points exist, and what they measure.
    ///
    /// # Errors
    /// When a line cannot be read, or two terms of a tier have one name.
    pub fn check(&self, point: &Point, parts: model::Parts<'_>) -> Result<(), Mistake> {
        self.read_lines(point, Some(parts)).map(|_| ())
    }

    /// How long a trial of a point rests before its first batch: where its actors wake each other on different CPUs, or
    /// over a network, they are to be as old as programs are that do so.
    pub fn settle_time_at(&self, point: &Point) -> Duration {
        let is_of_two = matches!(self.actors, Actors::TwoThreads | Actors::TwoProcesses);
        // Values are made by operations that watch time themselves, and have a warm-up of their own.
        let is_timed = self.how != How::Values;
        if is_of_two && is_timed && (point.has_two_cpus() || point.path() == Some(Path::Remote)) {
            SETTLE_TIME
        } else {
            Duration::ZERO
        }
    }

    /// All that a point needs, its placement included.
    pub fn all_needs(&self, point: &Point) -> Vec<Need> {
        let placement = match point.placement() {
            None => Vec::new(),
            Some(Placement::Same) => vec![Need::Pinning],
            Some(Placement::Other) => vec![Need::SecondCpu, Need::Pinning],
            Some(Placement::Sibling) => vec![Need::SiblingCpu, Need::Pinning],
            Some(Placement::Node) => vec![Need::RemoteCpu, Need::Pinning],
        };
        let peer = (point.path() == Some(Path::Remote)).then_some(Need::Peer);
        placement.into_iter().chain(peer).chain((self.needs)(point)).collect()
    }

    /// Whether any of its points needs this.
    pub fn ever_needs(&self, need: &Need) -> bool {
        let points = self.points_of(Profile::Standard);
        points.iter().any(|point| self.all_needs(point).contains(need))
    }

    /// What the first screen calls a point; `None` where it does not belong to the headline.
    fn label_of(&self, point: &Point) -> Option<String> {
        let text = point.text();
        let (_, label) = self.headline.iter().find(|(headline, _)| *headline == text)?;
        Some((*label).to_owned())
    }

    /// What the plan says of a point of which every iteration is timed: nothing is set aside, because what disturbs
    /// an iteration belongs to the tail, and witnesses of an undisturbed trial or of batches of several lengths prove nothing.
    pub fn planned_for_tail(&self, point: &Point) -> PlannedPoint {
        let mut planned = self.planned(point);
        planned.estimator = Estimator::Values;
        planned.gate = Gate { cpu_share: None, involuntary: false, shared_core: None };
        planned.witnesses.retain(|witness| witness.positive && witness.counter != LINEARITY);
        planned
    }

    /// What the plan says of a point.
    pub fn planned(&self, point: &Point) -> PlannedPoint {
        PlannedPoint {
            id: self.point_id(point),
            revision: self.revision,
            area: self.area.name().to_owned(),
            title: self.title.to_owned(),
            label: self.label_of(point),
            one_iteration: self.one_iteration.to_owned(),
            quantity: self.quantity_at(point),
            payload_bytes: (self.payload_bytes)(point),
            estimator: self.how.estimator(),
            gate: self.gate_at(point),
            witnesses: self.witnesses_at(point),
            bounds: self.bounds_at(point),
            fit: self.fit.map(|fit| fit()),
            plot: self.plot.map(|plot| plot()),
            curve: self.curve.map(|curve| curve()),
            pairs: self.pairs,
            alone: self.alone.map(|alone| self.point_id(&alone(point))),
            cpus: None,
            flaw: None,
            beside: None,
            user: None,
            on_cached_loop: false,
            is_single: self.how == How::Values && self.points_of(Profile::Tail).contains(point),
            skip: None,
        }
    }

    /// Where the actors wait for each other on two CPUs, neither has one all the time: no share is asked. Both cores are
    /// probed during the settle time. Where several CPUs have an actor, other hardware threads are busy by design. An actor that waits for another machine has no CPU
    /// meanwhile.
    fn gate_at(&self, point: &Point) -> Gate {
        let gate = self.gate_of.map_or(self.gate, |of| of(point));
        match point.placement() {
            None if point.path() == Some(Path::Remote) => {
                Gate { cpu_share: None, involuntary: false, shared_core: None }
            }
            None if point.cpus().is_some_and(|cpus| cpus != Cpus::Count(1)) => {
                Gate { shared_core: None, ..gate }
            }
            None => gate,
            Some(Placement::Same) => Gate { involuntary: false, ..gate },
            Some(_) => Gate { cpu_share: None, involuntary: false, ..gate },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_on_different_cpus_have_a_settle_time() {
        let two = Operation { actors: Actors::TwoProcesses, ..Operation::NEW };
        for (text, expected) in [
            ("cpu=other", SETTLE_TIME),
            ("cpu=node", SETTLE_TIME),
            ("path=remote bytes=64B", SETTLE_TIME),
            ("cpu=same", Duration::ZERO),
            ("", Duration::ZERO),
        ] {
            let point = Point::parse(text).unwrap_or_else(Point::only);
            assert_eq!(two.settle_time_at(&point), expected, "{text}");
        }
        let other = Point::only().with("cpu", Placement::Other.name());
        assert_eq!(Operation::NEW.settle_time_at(&other), Duration::ZERO);
        let watching = Operation { how: How::Values, ..two };
        assert_eq!(watching.settle_time_at(&other), Duration::ZERO);
    }

    #[test]
    fn a_wrong_line_of_any_kind_is_a_witness_that_nothing_agrees_with() {
        let right = Operation { predict: &["floors(1)"], ..Operation::NEW };
        assert!(right.witnesses_at(&Point::only()).is_empty());
        for wrong in [
            Operation { predict: &["hardware ="], ..Operation::NEW },
            Operation { evidence: &["no such line"], ..Operation::NEW },
            Operation { bounds: &["no such line"], ..Operation::NEW },
        ] {
            let witnesses = wrong.witnesses_at(&Point::only());
            let [Witness { low: f64::MAX, positive: true, proves, .. }] = witnesses.as_slice() else {
                panic!("{witnesses:?}")
            };
            assert!(proves.contains("a line of the card is wrong"), "{proves}");
        }
    }
}
