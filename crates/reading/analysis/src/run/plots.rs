//! The plots of sweeps: which values stand where, in which series, on which axes.

use crate::rows::row::Row;
use crate::run::distinct::distinct;
use crate::run::sweep::number;
use quantity::Quantity;
use record::{Plot, PointId, Scale};
use stats::interval::Interval;
use std::collections::BTreeMap;

/// Fewest places along the axis: fewer are read more easily from a table.
const LEAST_PLACES: usize = 3;
/// Most series of a plot that are distinguishable without colour; more become panels.
const MOST_SERIES: usize = 4;
/// Values that span more than this factor stand on a logarithmic axis: on a linear one the small ones would
/// lie on the ground.
const WIDE: f64 = 8.0;

/// What one operation, or one family of them, gave along a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What all its points share: the operation or the family, and the parameters that all have.
    pub of: PointId,
    /// What the axis of the parameter shows.
    pub axis: String,
    /// The kind of the parameter's values.
    pub along: Quantity,
    /// How far apart they stand.
    pub along_scale: Scale,
    /// The kind of the measured values.
    pub quantity: Quantity,
    /// How far apart these stand.
    pub scale: Scale,
    /// The series, in the order of the plan.
    pub series: Vec<DrawnSeries>,
    /// Series that are not drawn because none of their panel has places enough.
    pub left_out: usize,
    /// The ends of both axes, along and of the values, that all panels of a family share; `None` for a plot by itself.
    pub shared: Option<[(f64, f64); 2]>,
    /// Whether its values are single ones that no line joins.
    pub is_scatter: bool,
    /// The operation that found the places that are marked.
    pub marked_by: Option<String>,
    /// Those places with their names, on the axis of the parameter.
    pub marks: Vec<(f64, String)>,
}

/// Points that differ in the parameter of the axis alone.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnSeries {
    /// What they share and others do not; empty where there is one series.
    pub name: String,
    /// They, along the axis.
    pub points: Vec<DrawnPoint>,
}

/// One point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnPoint {
    /// The parameter, in the base unit of its kind.
    pub at: f64,
    /// The typical value, in the base unit of its kind.
    pub value: f64,
    /// Ends of its interval; `None` with too few trials for one.
    pub interval: Option<(f64, f64)>,
    /// What was predicted of it.
    pub predicted: Option<f64>,
}

impl DrawnPoint {
    /// The least and the largest value that the point may have.
    pub fn ends(&self) -> (f64, f64) {
        self.interval.unwrap_or((self.value, self.value))
    }
}

/// A row that is drawn, as far as it goes into a plot.
struct Placed<'a> {
    row: &'a Row,
    /// What names the plot.
    key: (&'a str, Quantity),
    /// Its parameters without that of the axis.
    others: Vec<&'a str>,
    point: DrawnPoint,
}

/// The plots of all rows that declare one and have numbers enough.
pub(crate) fn drawings(rows: &[Row]) -> Vec<Drawing> {
    let placed: Vec<Placed<'_>> = rows.iter().filter_map(place).collect();
    distinct(placed.iter().map(|one| one.key))
        .into_iter()
        .filter_map(|key| {
            let here: Vec<&Placed<'_>> = placed.iter().filter(|one| one.key == key).collect();
            panels(key.0, &here, rows)
        })
        .flatten()
        .collect()
}

/// The curves that trials kept, by the places of their points among the rows.
pub(crate) fn curves(rows: &[Row], curves: &BTreeMap<usize, Vec<(f64, f64)>>) -> Vec<Drawing> {
    let mut drawn: Vec<Drawing> = Vec::new();
    for (row, pairs) in curves.iter().filter_map(|(place, pairs)| Some((rows.get(*place)?, pairs))) {
        let Some(plot) = &row.point.curve else { continue };
        // A curve that all points of an operation share is drawn once, and so is one of which points are properties.
        let of = match &plot.family {
            Some(family) => PointId::new(family, ""),
            None => row.point.id.without("property"),
        };
        if drawn.iter().any(|drawing| drawing.of == of) || pairs.len() < LEAST_PLACES {
            continue;
        }
        let has_place = |at: &f64| plot.scale == Scale::Linear || *at > 0.0;
        let points = pairs.iter().filter(|(at, value)| has_place(at) && value.is_finite());
        let points = points.map(|&(at, value)| DrawnPoint { at, value, interval: None, predicted: None });
        let mut points: Vec<DrawnPoint> = points.collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        let name = if plot.is_scatter { "single values of one trial" } else { "one trial" };
        let series = vec![DrawnSeries { name: name.to_owned(), points }];
        drawn.push(of_series(of, plot, Quantity::Latency, series, rows));
    }
    drawn
}

fn place(row: &Row) -> Option<Placed<'_>> {
    let plot = row.point.plot.as_ref()?;
    let estimate = row.estimate.as_ref().filter(|estimate| estimate.typical.is_finite())?;
    let at = number(row.point.id.parameter(&plot.along)?, plot.unit)?;
    if plot.scale == Scale::Logarithmic && at <= 0.0 {
        return None;
    }
    let others = row.point.id.pairs().filter(|pair| {
        let name = pair.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| name != plot.along)
    });
    Some(Placed {
        row,
        key: (plot.family.as_deref().unwrap_or(&row.point.id.operation), row.quantity()),
        others: others.collect(),
        point: DrawnPoint {
            at,
            value: estimate.typical,
            interval: estimate.interval.map(Interval::ends),
            predicted: row
                .predicted()
                .map(|predicted| predicted.total.value)
                .filter(|value| value.is_finite() && *value > 0.0),
        },
    })
}

/// The plot of these values, or one panel for each group of series where there are many, all with the same axes.
fn panels(name: &str, placed: &[&Placed<'_>], rows: &[Row]) -> Option<Vec<Drawing>> {
    let whole = drawing(name, placed, rows)?;
    if whole.series.len() <= MOST_SERIES {
        return (places(&whole) >= LEAST_PLACES).then(|| vec![whole]);
    }
    let points = whole.series.iter().flat_map(|series| &series.points);
    let shared = points.fold(None, |ends: Option<[(f64, f64); 2]>, point| {
        let (low, high) = point.ends();
        let [along, values] = ends.unwrap_or([(point.at, point.at), (low, high)]);
        Some([(along.0.min(point.at), along.1.max(point.at)), (values.0.min(low), values.1.max(high))])
    });
    let panels = groups(placed, &whole).into_iter().filter_map(|group| drawing(name, &group, rows));
    let (mut drawn, too_short): (Vec<Drawing>, Vec<Drawing>) =
        panels.partition(|panel| places(panel) >= LEAST_PLACES);
    for panel in &mut drawn {
        (panel.scale, panel.shared) = (whole.scale, shared);
    }
    if let Some(last) = drawn.last_mut() {
        last.left_out = too_short.iter().map(|panel| panel.series.len()).sum();
    }
    Some(drawn)
}

/// Places of the longest series.
fn places(drawing: &Drawing) -> usize {
    drawing.series.iter().map(|series| series.points.len()).max().unwrap_or(0)
}

/// Groups of at most four series: of one method each, local and remote ones together, then of one value of the parameter that has
/// the fewest, and else in their order.
fn groups<'a>(placed: &[&'a Placed<'a>], whole: &Drawing) -> Vec<Vec<&'a Placed<'a>>> {
    let by = |placed: &[&'a Placed<'a>], key: &dyn Fn(&Placed<'_>) -> String| {
        let mut groups: Vec<(String, Vec<&'a Placed<'a>>)> = Vec::new();
        for &one in placed {
            let key = key(one);
            match groups.iter_mut().find(|(of, _)| *of == key) {
                Some((_, group)) => group.push(one),
                None => groups.push((key, vec![one])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect::<Vec<_>>()
    };
    let name = whole.of.operation.as_str();
    let series = |one: &Placed<'_>| series_name(name, one, &[]);
    let count = |group: &[&'a Placed<'a>]| distinct(group.iter().map(|one| series(one))).len();
    let method = |one: &Placed<'_>| {
        let id = one.row.point.id.operation.as_str();
        id.rsplit('.').next().unwrap_or(id).to_owned()
    };
    let mut found = Vec::new();
    let mut waiting: Vec<Vec<&'a Placed<'a>>> = by(placed, &method);
    if waiting.iter().all(|group| count(group) == 1) {
        waiting = vec![placed.to_vec()];
    }
    waiting.reverse();
    while let Some(group) = waiting.pop() {
        if count(&group) <= MOST_SERIES {
            found.push(group);
            continue;
        }
        // The parameter with the fewest values that divides the group into some series each.
        let names = distinct(
            group
                .iter()
                .flat_map(|one| one.others.iter().filter_map(|pair| pair.split_once('=')))
                .map(|(name, _)| name),
        );
        let value = |one: &Placed<'_>, name: &str| {
            let pair =
                one.others.iter().find_map(|pair| pair.split_once('=').filter(|(own, _)| *own == name));
            pair.map_or_else(String::new, |(_, value)| value.to_owned())
        };
        let dividing = names.into_iter().filter_map(|name| {
            let values = distinct(group.iter().map(|one| value(one, name))).len();
            (values > 1 && 2 * values <= count(&group)).then_some((values, name))
        });
        match dividing.min_by_key(|(values, _)| *values) {
            Some((_, name)) => {
                let parts = by(&group, &|one| value(one, name));
                waiting.extend(parts.into_iter().rev());
            }
            None => {
                let all = by(&group, &series);
                found.extend(all.chunks(MOST_SERIES).map(<[_]>::concat));
            }
        }
    }
    found
}

fn drawing(name: &str, placed: &[&Placed<'_>], rows: &[Row]) -> Option<Drawing> {
    let first = placed.first()?;
    let plot = first.row.point.plot.as_ref()?;
    let mut common = first.others.clone();
    common.retain(|pair| placed.iter().all(|one| one.others.contains(pair)));
    let mut series: Vec<DrawnSeries> = Vec::new();
    for one in placed {
        let name = series_name(name, one, &common);
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(one.point),
            None => series.push(DrawnSeries { name, points: vec![one.point] }),
        }
    }
    for one in &mut series {
        one.points.sort_by(|a, b| a.at.total_cmp(&b.at));
    }
    let of = PointId::new(name, &common.join(" "));
    Some(of_series(of, plot, first.key.1, series, rows))
}

/// A drawing by itself of these series, with the marks that the plot declares.
fn of_series(
    of: PointId,
    plot: &Plot,
    quantity: Quantity,
    series: Vec<DrawnSeries>,
    rows: &[Row],
) -> Drawing {
    let marks = plot.marks.as_ref().map_or_else(Vec::new, |by| marks(by, plot.quantity, rows));
    Drawing {
        of,
        axis: plot.axis.clone(),
        along: plot.quantity,
        along_scale: plot.scale,
        quantity,
        scale: scale(plot.scale, &series),
        marked_by: plot.marks.clone().filter(|_| !marks.is_empty()),
        marks,
        series,
        left_out: 0,
        shared: None,
        is_scatter: plot.is_scatter,
    }
}

/// What tells a point's series from the others: the rest of its operation's id, and its own parameters.
fn series_name(plot: &str, one: &Placed<'_>, common: &[&str]) -> String {
    let id = one.row.point.id.operation.as_str();
    let method = id.strip_prefix(plot).unwrap_or(id).trim_start_matches('.');
    let own = one.others.iter().copied().filter(|pair| !common.contains(pair));
    let words: Vec<&str> = std::iter::once(method).chain(own).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// By ratio where the parameter is, and all values are above zero and far apart: where neither is, what
/// grows in proportion is a straight line, and where both are, too.
fn scale(along: Scale, series: &[DrawnSeries]) -> Scale {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for point in series.iter().flat_map(|series| &series.points) {
        for value in std::iter::once(point.value).chain(point.predicted) {
            (least, most) = (least.min(value), most.max(value));
        }
    }
    if along == Scale::Logarithmic && least > 0.0 && most > least * WIDE {
        Scale::Logarithmic
    } else {
        Scale::Linear
    }
}

/// The values of this kind that the operation gave, named by the parameters that tell them apart.
fn marks(by: &str, quantity: Quantity, rows: &[Row]) -> Vec<(f64, String)> {
    let mut found: Vec<&Row> = rows.iter().collect();
    // What too few trials found is no place.
    found.retain(|row| {
        let has_interval = row.estimate.as_ref().is_some_and(|estimate| estimate.interval.is_some());
        row.point.id.operation == by && row.quantity() == quantity && has_interval
    });
    let marks = found.iter().filter_map(|row| {
        let at = row.typical().filter(|at| at.is_finite() && *at > 0.0)?;
        let mut pairs: Vec<&str> = row.point.id.pairs().collect();
        if found.len() > 1 {
            pairs.retain(|pair| !found.iter().all(|other| other.point.id.has(pair)));
        }
        Some((at, pairs.join(" ").replace('=', " ")))
    });
    marks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, Predicted, Tier};
    use record::{PlannedPoint, Plot, Range};

    fn series(points: &[(f64, Option<f64>)]) -> DrawnSeries {
        let points =
            points.iter().map(|&(value, predicted)| DrawnPoint { at: 1.0, value, interval: None, predicted });
        DrawnSeries { name: String::new(), points: points.collect() }
    }

    #[test]
    fn values_that_span_more_than_a_factor_of_eight_stand_by_ratio() {
        use Scale::{Linear, Logarithmic};
        let wide = series(&[(1.0, None), (8.1, None)]);
        for (along, all, expected) in [
            (Logarithmic, vec![wide.clone()], Logarithmic),
            (Linear, vec![wide], Linear),
            (Logarithmic, vec![series(&[(1.0, None), (8.0, None)])], Linear),
            (Logarithmic, vec![series(&[(0.0, None), (8.0, None)])], Linear),
            (Logarithmic, vec![series(&[(-1.0, None), (80.0, None)])], Linear),
            (Logarithmic, vec![series(&[(1.0, Some(9.0)), (2.0, None)])], Logarithmic),
            (Logarithmic, vec![series(&[(1.0, None)]), series(&[(9.0, None)])], Logarithmic),
            (Logarithmic, vec![series(&[(0.5, None), (3.0, None)])], Linear),
        ] {
            assert_eq!(scale(along, &all), expected, "{all:?}");
        }
    }

    fn row(operation: &str, parameters: &str, quantity: Quantity, typical: f64) -> Row {
        let planned = PlannedPoint { quantity, ..PlannedPoint::new(PointId::new(operation, parameters)) };
        let interval = Some(Interval::at_level(typical, typical, 0.95));
        let estimate = Some(Estimate { typical, interval, ..Estimate::default() });
        Row { estimate, ..Row::new(planned) }
    }

    #[test]
    fn a_mark_is_named_by_what_tells_it_from_the_others() {
        let mut rows = vec![row("levels", "level=1 property=size", Quantity::Size, 32.0)];
        let alone = [(32.0, "level 1 property size".to_owned())];
        assert_eq!(marks("levels", Quantity::Size, &rows), alone);
        rows.push(row("levels", "level=2 property=size", Quantity::Size, 64.0));
        let two = [(32.0, "level 1".to_owned()), (64.0, "level 2".to_owned())];
        assert_eq!(marks("levels", Quantity::Size, &rows), two);
        rows.push(row("levels", "level=2 property=ns", Quantity::Latency, 5.0));
        rows.push(row("others", "level=9", Quantity::Size, 5.0));
        let nowhere = [0.0, -4.0, f64::INFINITY];
        rows.extend(nowhere.map(|typical| row("levels", "level=3 property=size", Quantity::Size, typical)));
        assert_eq!(marks("levels", Quantity::Size, &rows), two);
        let mut of_one_trial = row("levels", "level=3 property=size", Quantity::Size, 99.0);
        of_one_trial.estimate = Some(Estimate { typical: 99.0, ..Estimate::default() });
        rows.push(of_one_trial);
        assert_eq!(marks("levels", Quantity::Size, &rows), two);
    }

    #[test]
    fn a_curve_is_drawn_once_for_a_family_and_for_each_point_without_one() {
        let with_curve = |operation: &str, parameters: &str, family: Option<&str>| {
            let mut row = row(operation, parameters, Quantity::Size, 5.0);
            let plot = Plot::logarithmic("bytes", "size", Quantity::Size);
            let is_scatter = operation == "cache";
            row.point.curve = Some(Plot { family: family.map(str::to_owned), is_scatter, ..plot });
            row
        };
        let rows = [
            with_curve("levels", "level=1", Some("levels")),
            with_curve("levels", "level=2", Some("levels")),
            with_curve("cache", "limit=1", None),
            with_curve("cache", "limit=2", None),
            row("others", "", Quantity::Latency, 1.0),
        ];
        let pairs = vec![(0.0, 1.0), (4.0, 3.0), (2.0, f64::NAN), (1.0, 2.0)];
        let found = curves(&rows, &(0..5).map(|place| (place, pairs.clone())).collect());
        let names: Vec<String> = found.iter().map(|drawing| drawing.of.to_string()).collect();
        assert_eq!(names, ["levels", "cache limit=1", "cache limit=2"]);
        let joined = found.iter().map(|drawing| (drawing.is_scatter, drawing.series[0].name.as_str()));
        let single = (true, "single values of one trial");
        assert_eq!(joined.collect::<Vec<_>>(), [(false, "one trial"), single, single]);
        let values: Vec<f64> = found[0].series[0].points.iter().map(|point| point.value).collect();
        assert_eq!((values.as_slice(), found[0].quantity), (&[2.0, 3.0][..], Quantity::Latency));
    }

    #[test]
    fn only_a_prediction_above_zero_has_a_place() {
        for (predicted, drawn) in [(2.0, Some(2.0)), (0.0, None), (-2.0, None), (f64::INFINITY, None)] {
            let (zero, total) = (Range::exactly(0.0), Range::exactly(predicted));
            let (tier, terms) = (Tier::Facts, Vec::new());
            let plot = Plot::logarithmic("bytes", "size", Quantity::Size);
            let mut row = row("a.x", "bytes=4KiB", Quantity::Latency, 5.0);
            row.point.plot = Some(plot);
            row.from_facts = Some(Predicted {
                tier,
                hardware: zero,
                software: zero,
                total,
                terms,
                assumed: Vec::new(),
                uncertain_parts: Vec::new(),
            });
            let placed = place(&row).map(|placed| placed.point.predicted);
            assert_eq!(placed, Some(drawn), "{predicted}");
        }
    }
}
