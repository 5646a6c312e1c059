//! Which values a plot holds, in which series, on which axes.

use crate::simulated::point;
use analysis::{Analysis, Drawing, Row};
use quantity::Quantity;
use record::{PlannedPoint, Plot, Scale};

fn plot() -> Plot {
    Plot::logarithmic("bytes", "size of the working set", Quantity::Size)
}

/// A row with a number, as the analysis of other rows would leave it.
fn row(operation: &str, parameters: &str, plot: Option<Plot>, typical: Option<f64>) -> Row {
    let planned = PlannedPoint { plot, ..point(operation, parameters) };
    let mut row = crate::simulated::row_of(planned, 12, |_| {});
    row.estimate = row.estimate.zip(typical).map(|(estimate, typical)| analysis::Estimate {
        typical,
        interval: Some(stats::interval::Interval::at_level(typical * 0.9, typical * 1.1, 0.95)),
        ..estimate
    });
    row
}

fn drawings(rows: Vec<Row>) -> Vec<Drawing> {
    Analysis::from_rows(rows, 12, Vec::new()).drawings
}

fn sweep(operation: &str, other: &str, plot: &Plot, values: &[(&str, f64)]) -> Vec<Row> {
    let of = |(size, value): &(&str, f64)| {
        let id = format!("{other} {}={size}", plot.along);
        row(operation, id.trim(), Some(plot.clone()), Some(*value))
    };
    values.iter().map(of).collect()
}

const STEPS: [(&str, f64); 4] = [("64KiB", 4.0), ("4KiB", 1.5), ("1MiB", 30.0), ("4096KiB", 90.0)];

#[test]
fn what_was_predicted_stands_beside_what_was_measured() {
    let mut rows = sweep("memory.latency", "page_size=4KiB", &plot(), &STEPS);
    let total = record::Range::exactly(2.0);
    rows[1].from_parts = Some(analysis::Predicted {
        tier: analysis::Tier::Parts,
        hardware: total,
        software: record::Range::exactly(0.0),
        total,
        terms: Vec::new(),
        assumed: Vec::new(),
        uncertain_parts: Vec::new(),
    });
    let found = drawings(rows);
    let points = &found[0].series[0].points;
    let predicted: Vec<Option<f64>> = points.iter().map(|point| point.predicted).collect();
    assert_eq!(predicted, [Some(2.0), None, None, None]);
}

#[test]
fn a_sweep_is_a_series_in_the_order_of_its_parameter() {
    let mut rows = sweep("memory.latency", "page_size=4KiB", &plot(), &STEPS);
    rows.push(row("memory.latency", "page_size=4KiB bytes=1GiB", Some(plot()), None));
    rows.push(row("memory.levels", "level=1 property=capacity", None, Some(49_152.0)));
    let found = drawings(rows);
    let [drawing] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(drawing.of.to_string(), "memory.latency page_size=4KiB");
    assert_eq!((drawing.along_scale, drawing.scale), (Scale::Logarithmic, Scale::Logarithmic));
    let [series] = drawing.series.as_slice() else { panic!("{drawing:?}") };
    assert_eq!(series.name, "");
    let places: Vec<(f64, f64)> = series.points.iter().map(|point| (point.at, point.value)).collect();
    let kib = 1024.0;
    let expected = [(4.0 * kib, 1.5), (64.0 * kib, 4.0), (kib * kib, 30.0), (4.0 * kib * kib, 90.0)];
    assert_eq!(places, expected);
    assert_eq!(series.points[0].interval, Some((1.5 * 0.9, 1.5 * 1.1)));
    assert!(drawing.marks.is_empty(), "the plot names no operation that finds marks");
}

#[test]
fn marks_are_values_of_the_kind_of_the_axis() {
    let marked = Plot { marks: Some("memory.levels".to_owned()), ..plot() };
    let level = |id: &str, quantity, value| {
        let mut row = row("memory.levels", id, None, Some(value));
        row.point.quantity = quantity;
        row
    };
    let mut rows = sweep("memory.latency", "", &marked, &STEPS);
    rows.push(level("level=1 property=capacity", Quantity::Size, 49_152.0));
    rows.push(level("level=1 property=latency", Quantity::Latency, 1.7));
    rows.push(level("level=2 property=capacity", Quantity::Size, 2e6));
    let found = drawings(rows);
    assert_eq!(found[0].marks, [(49_152.0, "level 1".to_owned()), (2e6, "level 2".to_owned())]);
    assert_eq!(found[0].marked_by.as_deref(), Some("memory.levels"));
}

#[test]
fn a_family_of_many_series_is_panels_of_at_most_four_with_the_same_axes() {
    let family = Plot { family: Some("memory.bandwidth".to_owned()), ..plot() };
    let methods = ["read", "write", "copy", "set", "add"];
    let of = |method: &&str| sweep(&format!("memory.bandwidth.{method}"), "threads=1", &family, &STEPS);
    let found = drawings(methods[..4].iter().flat_map(of).collect());
    let [drawing] = found.as_slice() else { panic!("{found:?}") };
    let names: Vec<&str> = drawing.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!((names.as_slice(), drawing.left_out, drawing.shared), (&methods[..4], 0, None));
    assert_eq!(drawing.of.to_string(), "memory.bandwidth threads=1");
    let found = drawings(methods.iter().flat_map(of).collect());
    let names: Vec<&str> =
        found.iter().flat_map(|panel| &panel.series).map(|series| series.name.as_str()).collect();
    assert_eq!((found.len(), names.as_slice()), (2, methods.as_slice()));
    assert!(found.iter().all(|panel| panel.shared.is_some() && panel.shared == found[0].shared));
}

#[test]
fn a_panel_has_the_series_of_one_value_of_the_parameter_with_the_fewest() {
    let strides = ["8B", "64B", "512B", "4KiB", "1MiB"];
    let of = |access: &'static str| {
        let sweeps = strides.iter().flat_map(move |stride| {
            sweep("memory.latency.stride", &format!("stride={stride} access={access}"), &plot(), &STEPS)
        });
        sweeps.collect::<Vec<Row>>()
    };
    let found = drawings([of("forward"), of("backward")].concat());
    let panels: Vec<(String, usize)> =
        found.iter().map(|panel| (panel.of.to_string(), panel.series.len())).collect();
    let named = |access: &str, count| (format!("memory.latency.stride {access}"), count);
    let expected = [
        named("access=forward", 4),
        named("stride=1MiB access=forward", 1),
        named("access=backward", 4),
        named("stride=1MiB access=backward", 1),
    ];
    assert_eq!(panels, expected);
}

#[test]
fn local_and_remote_files_read_by_one_method_share_a_panel() {
    let family = Plot { family: Some("file.read".to_owned()), ..plot() };
    let local = ["cached", "mapped", "direct", "uncached", "dontcache"];
    let mut rows: Vec<Row> = local
        .iter()
        .flat_map(|method| sweep(&format!("file.read.{method}"), "access=random", &family, &STEPS))
        .collect();
    rows.extend(sweep("file.remote.read.uncached", "access=random server_cache=warm", &family, &STEPS));
    let found = drawings(rows);
    let panel = found.iter().find(|panel| panel.series.len() == 2).unwrap();
    let names: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["uncached", "file.remote.read.uncached server_cache=warm"]);
}

#[test]
fn plain_numbers_have_the_unit_of_the_plot() {
    let resident = Plot {
        unit: 1 << 20,
        scale: Scale::Linear,
        ..Plot::logarithmic("mib", "resident memory", Quantity::Size)
    };
    let found = drawings(sweep("fork", "", &resident, &[("0", 60.0), ("1", 80.0), ("64", 1100.0)]));
    let places: Vec<f64> = found[0].series[0].points.iter().map(|point| point.at).collect();
    assert_eq!(places, [0.0, 1_048_576.0, 64.0 * 1_048_576.0]);
    assert_eq!(found[0].scale, Scale::Linear, "in proportion is a straight line");
    let logarithmic = Plot { scale: Scale::Logarithmic, ..resident };
    let values = [("0", 60.0), ("1", 80.0), ("64", 1100.0)];
    assert!(drawings(sweep("fork", "", &logarithmic, &values)).is_empty(), "zero has no place");
}

#[test]
fn two_points_and_undeclared_sweeps_are_not_drawn() {
    assert!(drawings(sweep("memory.latency", "", &plot(), &STEPS[..2])).is_empty());
    let plain = |size: &str| row("memory.latency", &format!("bytes={size}"), None, Some(1.0));
    assert!(drawings(STEPS.iter().map(|(size, _)| plain(size)).collect()).is_empty());
}

#[test]
fn ends_of_a_point_are_those_of_its_interval() {
    let point = |interval| analysis::DrawnPoint { at: 4.0, value: 3.0, interval, predicted: None };
    assert_eq!(point(Some((2.0, 5.0))).ends(), (2.0, 5.0));
    assert_eq!(point(None).ends(), (3.0, 3.0));
}
