//! The page of a history in a real browser: strips, steps and values at every width.

use crate::shown::{opened, suits_every_reader};
use analysis::{EarlierRuns, PastValue, PointHistory};
use quantity::Quantity;
use record::{Header, PlannedPoint, PointId};
use report::{Form, HistoryView, PastRun, ShownStep};

/// Runs, of which the last third is slower.
const RUNS: usize = 24;

fn point(id: PointId, started: &[&str]) -> PointHistory {
    let values = (0..RUNS).map(|run| {
        let typical = if run < 16 { 1_000.0 } else { 1_300.0 } + (run % 3) as f64;
        let interval = Some((typical - 2.0, typical + 2.0));
        PastValue { run, revision: 1, verdict: "measured".into(), typical: Some(typical), interval }
    });
    let point = PlannedPoint { quantity: Quantity::Latency, revision: 1, ..PlannedPoint::new(id) };
    PointHistory::new(point, values.collect(), started, 2, &EarlierRuns::default())
}

#[test]
fn the_page_of_a_history_fits_every_width() {
    let headers: Vec<Header> = (1..=RUNS)
        .map(|day| Header { started: format!("2026-01-{day:02}T03:00:00Z"), ..Header::default() })
        .collect();
    let started: Vec<&str> = headers.iter().map(|header| header.started.as_str()).collect();
    let long = PointId::new("file.read.cached", "access=sequential file_size=16MiB");
    let points = [long, PointId::new("syscall.floor", "")].map(|id| point(id, &started));
    let changed = vec!["kernel.release 6.1.0-40-cloud-amd64, before 6.1.0-39-cloud-amd64".to_owned()];
    let runs: Vec<PastRun<'_>> = headers
        .iter()
        .enumerate()
        .map(|(at, header)| PastRun {
            name: format!("night{at}"),
            header,
            kernel: None,
            changed: if at == 16 { changed.clone() } else { Vec::new() },
        })
        .collect();
    let steps: Vec<ShownStep<'_>> = points
        .iter()
        .flat_map(|history| {
            history.steps.iter().map(move |step| ShownStep { history, step, acknowledged: None })
        })
        .collect();
    assert_eq!(steps.len(), 2);
    for is_detailed in [false, true] {
        let view = HistoryView { runs: &runs, points: &points, is_detailed, steps: &steps, left_out: &[] };
        let mut bytes = Vec::new();
        report::history(&view, Form::Html, &mut bytes).unwrap();
        let Some(mut shown) = opened(&bytes) else {
            return;
        };
        // What a step cost stands beside its point at the width of a telephone, and no table has to be scrolled.
        shown.browser.dress(390, false);
        let out = shown.browser.value(
            "[...document.querySelectorAll('.scrolled')].filter(one => one.scrollWidth > one.clientWidth).length",
        );
        assert_eq!(out, 0, "{is_detailed}");
        let costs = shown.browser.value(
            "[...document.querySelectorAll('#points td.number')].filter(cell => cell.checkVisibility()).length",
        );
        assert!(costs.as_u64() >= Some(2), "{costs}");
        suits_every_reader(&mut shown);
    }
}
