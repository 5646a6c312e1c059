//! What a plot shows, in whatever form it is drawn.

use super::axis::Axis;
use quantity::Quantity;

/// An axis with the names of its values, and of itself.
#[derive(Debug, Clone)]
pub(crate) struct SceneAxis {
    /// Where values stand.
    pub(crate) axis: Axis,
    /// The kind of the values.
    pub(crate) quantity: Quantity,
    /// Values with their names.
    pub(crate) labels: Vec<(f64, String)>,
    /// What the axis shows.
    pub(crate) name: String,
}

impl SceneAxis {
    pub(crate) fn new(axis: Axis, quantity: Quantity, name: impl Into<String>) -> Self {
        Self { labels: axis.labels(quantity), axis, quantity, name: name.into() }
    }

    pub(super) fn labelled(self, labels: Vec<(f64, String)>) -> Self {
        Self { labels, ..self }
    }
}

/// A line that helps to read the values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guide {
    /// From one place to another, from left to right.
    Between([(f64, f64); 2]),
    /// All along, at this value.
    Level(f64),
}

/// How the places of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// As signs.
    Signs,
    /// As signs with a line through them.
    Line,
    /// As bars over their intervals.
    Bars,
}

/// A place between the axes.
#[derive(Debug, Clone)]
pub(crate) struct ScenePoint {
    pub(crate) along: f64,
    pub(crate) up: f64,
    /// On the axis of the values.
    pub(crate) interval: Option<(f64, f64)>,
    /// Whether its sign is open.
    pub(crate) is_open: bool,
    /// What it says on hover, or empty.
    pub(crate) says: String,
}

/// Places of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Which sign it has.
    pub(crate) sign: usize,
    /// What it is; empty where it is the only one.
    pub(crate) name: String,
    /// How it is drawn.
    pub(crate) drawn: Drawn,
    /// Its places.
    pub(crate) places: Vec<ScenePoint>,
    /// What was predicted of them, on both axes.
    pub(crate) predicted: Vec<(f64, f64)>,
    /// A line joins places that differ by up to this factor: what lies between others was not measured.
    pub(crate) widest_step: f64,
}

impl Series {
    /// Places without predictions.
    pub(super) fn new(
        (sign, name): (usize, &str),
        drawn: Drawn,
        places: impl Iterator<Item = ScenePoint>,
    ) -> Self {
        Self {
            sign,
            name: name.to_owned(),
            drawn,
            places: places.collect(),
            predicted: Vec::new(),
            widest_step: f64::INFINITY,
        }
    }

    /// The places that a line joins, stretch by stretch.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = &[ScenePoint]> {
        self.places.chunk_by(|one, next| next.along <= one.along * self.widest_step)
    }
}

/// The drawing.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// What it shows, for those who cannot see it.
    pub(crate) says: String,
    /// From left to right.
    pub(crate) along: SceneAxis,
    /// From below to above.
    pub(crate) up: SceneAxis,
    /// Lines behind the values, each with whether it is that of what is exact.
    pub(crate) guides: Vec<(Guide, bool)>,
    /// Places on the first axis, with their names and what these mean.
    pub(crate) marks: Vec<(f64, String, String)>,
    /// The values.
    pub(crate) series: Vec<Series>,
}

impl Scene {
    /// Series between these axes.
    pub(super) fn new(says: impl Into<String>, [along, up]: [SceneAxis; 2], series: Vec<Series>) -> Self {
        Self { says: says.into(), along, up, guides: Vec::new(), marks: Vec::new(), series }
    }

    /// Whether it shows predictions beside its values.
    pub(crate) fn has_predictions(&self) -> bool {
        self.series.iter().any(|series| !series.predicted.is_empty())
    }
}
