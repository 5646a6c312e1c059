//! The curves that trials keep: single loads in their order, latency by working set, the second read of a file by its size.

use super::csv::{POINT, point};
use crate::View;
use crate::csv::{number, write as write_csv};
use crate::document::{Block, Form, write};
use crate::json::{SCHEMA, all, object, write_document};
use crate::run_summary::run_line;
use crate::style::Paint;
use crate::table::{Column, Columns};
use analysis::Row;
use quantity::{Quantity, show};
use record::{Series, Trial};
use std::io::{self, Write};

/// The curve of a trial.
struct Curve<'a> {
    row: &'a Row,
    trial: &'a Trial,
    series: &'a Series,
}

/// What the axis of a point of which every pair of CPUs was measured shows.
const PAIRS: &str = "pair of CPUs: 65536 × the lower + the higher";

impl<'a> Curve<'a> {
    /// The curves of these trials whose points have a row, in the order of the rows.
    fn all(view: &View<'a>, trials: &'a [Trial]) -> Vec<Self> {
        let of_row = |row: &'a Row| {
            let trials = trials.iter().filter(|trial| {
                (&trial.id.operation, &trial.id.point) == (&row.point.id.operation, &row.point.id.point)
            });
            trials.flat_map(move |trial| {
                let series = trial.series.iter().filter(|series| !series.places.is_empty());
                series.map(move |series| Curve { row, trial, series })
            })
        };
        view.analysis.rows.iter().flat_map(of_row).collect()
    }

    /// What its axis shows; empty where its operation does not declare it.
    fn axis(&self) -> &'a str {
        let point = &self.row.point;
        point.curve.as_ref().map_or(if point.pairs { PAIRS } else { "" }, |plot| &plot.axis)
    }

    /// The kinds of its places and of its values.
    fn quantities(&self) -> [Quantity; 2] {
        let declared = self.row.point.curve.as_ref().map(|plot| [plot.quantity, Quantity::Latency]);
        declared.unwrap_or([Quantity::Count, self.row.quantity()])
    }

    /// In which environment its trial was; empty for the machine itself.
    fn environment(&self) -> &'a str {
        self.trial.id.environment.as_deref().unwrap_or_default()
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + use<'a> {
        self.series.places.iter().copied().zip(self.series.values.iter().copied())
    }
}

/// Writes the curves that these trials of the view keep, with all their values.
///
/// # Errors
/// When `out` cannot be written.
pub fn curves(view: &View<'_>, trials: &[Trial], form: Form, out: &mut dyn Write) -> io::Result<()> {
    let curves = Curve::all(view, trials);
    match form {
        Form::Csv => csv(&curves, out),
        Form::Json => json(view, &curves, out),
        _ => write(&blocks(view, &curves), form, out),
    }
}

/// A line for each place. The first columns are those of every table of points, the unit that of the value.
fn csv(curves: &[Curve<'_>], out: &mut dyn Write) -> io::Result<()> {
    let titles = POINT.into_iter().chain(["environment", "round", "axis", "place_unit", "place", "value"]);
    let rows = curves.iter().flat_map(|curve| {
        let [along, value_quantity] = curve.quantities();
        let [operation, parameters, ..] = point(curve.row);
        let own = vec![
            operation,
            parameters,
            value_quantity.contract_name().to_owned(),
            value_quantity.contract_unit().to_owned(),
            curve.environment().to_owned(),
            curve.trial.round.to_string(),
            curve.axis().to_owned(),
            along.contract_unit().to_owned(),
        ];
        curve
            .pairs()
            .map(move |(place, value)| [own.clone(), vec![number(Some(place)), number(Some(value))]].concat())
    });
    write_csv(titles.map(str::to_owned).collect(), rows, out)
}

fn json(view: &View<'_>, curves: &[Curve<'_>], out: &mut dyn Write) -> io::Result<()> {
    let document = object! {
        schema: SCHEMA,
        header: view.header,
        curves: all(curves, |curve| {
            let [along, value_quantity] = curve.quantities();
            object! {
                operation: &curve.row.point.id.operation,
                point: &curve.row.point.id.point,
                environment: curve.trial.id.environment.as_deref(),
                round: curve.trial.round,
                axis: curve.axis(),
                place_unit: along.contract_unit(),
                unit: value_quantity.contract_unit(),
                places: &curve.series.places,
                values: &curve.series.values,
            }
        }),
    };
    write_document(&document, out)
}

fn blocks(view: &View<'_>, curves: &[Curve<'_>]) -> Vec<Block> {
    let name = Column::name("", 0, 30, usize::MAX).titled("point");
    let columns = Columns::new(name, |(curve, ..): &(&Curve<'_>, f64, f64)| curve.row.point.id.to_string())
        .with(Column::word("environment", 3), |(curve, ..)| curve.environment())
        .with(Column::number("round", 2), |(curve, ..)| curve.trial.round.to_string())
        .with(Column::word("axis", 1), |(curve, ..)| curve.axis())
        .with(Column::number("place", 0), |(curve, place, _)| show(*place, None, curve.quantities()[0]))
        .with(Column::number("value", 0), |(curve, _, value)| show(*value, None, curve.quantities()[1]));
    let places =
        curves.iter().flat_map(|curve| curve.pairs().map(move |(place, value)| (curve, place, value)));
    let table = columns.table_of(places);
    let run = Block::Text(run_line(view), Paint::Faint);
    let found = if curves.is_empty() { Block::text(NONE) } else { Block::Table(table.captioned(CAPTION)) };
    vec![Block::Title("curves".to_owned()), run, found]
}

/// What the columns mean.
const CAPTION: &str = "a curve is kept by a trial, a fresh process; results are computed from it, or its values are single ones";

/// Stands in place of the table.
const NONE: &str = "no trial of these points keeps a curve";
