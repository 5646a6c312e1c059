//! Lines through the points of a sweep.

use crate::simulated::{add_trials, analyst, point, settings};
use analysis::SweepLine;
use record::{Fit, PlannedPoint};

/// The lines of a sweep over these sizes in a file and in a pipe; a point costs 10 + 0.1 × size.
fn lines(sizes: &[&str], per_unit: bool) -> Vec<SweepLine> {
    let fit = Fit {
        parameter: "size".to_owned(),
        unit: 1,
        per_unit,
        slope: "per byte".to_owned(),
        intercept: "start".to_owned(),
    };
    let of = |kind: &str, size: &&str| PlannedPoint {
        fit: Some(fit.clone()),
        ..point("copy", &format!("kind={kind} size={size}"))
    };
    let points: Vec<PlannedPoint> =
        ["file", "pipe"].iter().flat_map(|kind| sizes.iter().map(|size| of(kind, size))).collect();
    let mut analyst = analyst(points.clone(), settings(0.05, 6));
    for planned in points {
        let text = planned.id.parameter("size").unwrap();
        let size = quantity::parse_bytes(text).unwrap().bytes() as f64;
        let kind = if planned.id.parameter("kind") == Some("file") { 1.0 } else { 2.0 };
        let value = kind * (10.0 + 0.1 * size) / if per_unit { size } else { 1.0 };
        add_trials(&mut analyst, &planned.id, 6, |trial| {
            trial.ns_per_tick *= value / 50.0;
            trial.series[0].cpu_ns.clear();
        });
    }
    analyst.analysis().lines
}

#[test]
fn each_group_of_points_gets_its_line() {
    for per_unit in [false, true] {
        let found = lines(&["64", "1KiB", "4KiB", "64KiB"], per_unit);
        let [file, pipe] = &found[..] else { panic!("{found:?}") };
        assert_eq!((file.sweep.point.as_str(), pipe.sweep.point.as_str()), ("kind=file", "kind=pipe"));
        assert!((file.slope / 0.1 - 1.0).abs() < 0.02 && (pipe.slope / 0.2 - 1.0).abs() < 0.02, "{found:?}");
        assert!((file.intercept / 10.0 - 1.0).abs() < 0.1, "large points must not drown the small: {file:?}");
        assert!(file.worst < 0.02);
        assert_eq!((file.slope_name.as_str(), file.intercept_name.as_str()), ("per byte", "start"));
    }
}

#[test]
fn two_points_have_no_line() {
    assert_eq!(lines(&["64", "4KiB"], false), []);
}
