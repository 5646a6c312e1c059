//! Today's predictions on the machines of the corpus, from their facts and their points.

use analysis::{Accuracy, KnownValue, Row, Verdict, rows_of_known};
use anyhow::{Context, Result};
use measure::{Operation, Point};
use record::{PointId, Profile};
use reference::{CORPUS, MeasuredMachine, MeasuredPoint};
use std::collections::{HashMap, HashSet};

/// What predictions come to on one machine.
#[derive(Debug)]
pub struct Evaluated {
    /// The machine's name in the corpus.
    pub name: &'static str,
    /// What it is, in a few words.
    pub machine: String,
    /// Its points, in the order of the operations.
    pub rows: Vec<Row>,
    /// How well the predictions did.
    pub accuracy: Accuracy,
    /// Points of the corpus that no operation has.
    pub unknown: Vec<PointId>,
}

/// Evaluates the predictions of all operations on every machine of the corpus.
///
/// # Errors
/// When a machine of the corpus cannot be read.
pub fn evaluate_all() -> Result<Vec<Evaluated>> {
    CORPUS.iter().map(evaluate).collect()
}

fn evaluate(measured: &MeasuredMachine) -> Result<Evaluated> {
    let dump = machine::Dump::from_json(measured.dump).with_context(|| measured.name.to_owned())?;
    let machine = machine::describe(&dump);
    let points = measured.points()?.into_iter();
    let mut by_id: HashMap<PointId, MeasuredPoint> =
        points.map(|point| (PointId::new(&point.operation, &point.point), point)).collect();
    let known = all_points().into_iter().filter_map(|(operation, point)| {
        known(operation, &point, by_id.remove(&operation.point_id(&point))?)
    });
    let rows = rows_of_known(&machine, known.collect());
    let mut unknown: Vec<PointId> = by_id.into_keys().collect();
    unknown.sort();
    let words = ["family.name", "processor.model", "hypervisor.name", "kernel.release"];
    let words: Vec<&str> = words.into_iter().filter_map(|key| machine.text(key)).collect();
    Ok(Evaluated {
        name: measured.name,
        machine: words.join(", "),
        accuracy: Accuracy::from_rows(&rows),
        rows,
        unknown,
    })
}

/// Every point that any profile measures.
fn all_points() -> Vec<(&'static Operation, Point)> {
    let mut ids = HashSet::new();
    let profiles = [Profile::Quick, Profile::Standard, Profile::Thorough];
    let all = flawed::all_operations().iter().copied().flat_map(|operation| {
        let points = profiles.into_iter().flat_map(|profile| operation.points_of(profile));
        points.map(move |point| (operation, point))
    });
    all.filter(|(operation, point)| ids.insert(operation.point_id(point))).collect()
}

fn known(operation: &Operation, point: &Point, measured: MeasuredPoint) -> Option<KnownValue> {
    Some(KnownValue {
        point: operation.planned(point),
        prediction: operation.prediction_at(point),
        verdict: Verdict::from_word(&measured.verdict)?,
        typical: measured.typical,
        interval: measured.low.zip(measured.high),
    })
}
