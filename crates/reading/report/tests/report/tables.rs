//! Tables that are asked for alone, in every form, and that the reports' table fits on one screen and one page.

use crate::devtools::Browser;
use crate::fixture::{Frozen, headline, large, predicted_by_user};
use crate::golden::{PLAIN, golden, text};
use crate::shown;
use quantity::Quantity;
use record::{Attributes, Plot, PointId, Series, Trial};
use reference::SUMMARY_ROWS;
use report::{Extent, Form, Page, Paper, ShownTable, Statistic, Topic, View};

const ALL: [Statistic; 4] = [Statistic::Minimum, Statistic::Mean, Statistic::Maximum, Statistic::Deviation];

fn table(run: &Frozen, which: ShownTable, statistics: &[Statistic], form: Form) -> String {
    text(|out| report::table(&run.view(), which, statistics, form, out))
}

/// A run in which every row of the reports' table has every number.
fn complete() -> Frozen {
    let mut run = predicted_by_user();
    let template = run.analysis.rows.iter().find(|row| row.estimate.is_some() && row.point.user.is_some());
    let template = template.unwrap().clone();
    run.analysis.rows = SUMMARY_ROWS
        .iter()
        .map(|summary| {
            let mut row = template.clone();
            row.point.id = PointId::new(summary.operation, summary.point);
            row
        })
        .collect();
    run
}

#[test]
fn reports_table_in_every_form() {
    let run = headline();
    let width = |width| Form::Terminal(width, PLAIN);
    for (name, form) in [
        ("reports-table-60.txt", width(60)),
        ("reports-table-100.txt", width(100)),
        ("reports-table.md", Form::Markdown),
        ("reports-table.tex", Form::Latex),
        ("reports-table.csv", Form::Csv),
    ] {
        golden(name, |out| report::table(&run.view(), ShownTable::Reports, &[], form, out));
    }
}

/// A run on a machine of many words, in which every row failed, each for a reason of its own.
fn troubled() -> Frozen {
    let mut run = complete();
    for fact in &mut run.machine.facts {
        if let record::FactValue::Text { text } = &mut fact.value {
            *text = text.repeat(40);
        }
    }
    for (index, row) in run.analysis.rows.iter_mut().enumerate() {
        row.estimate = None;
        row.verdict = analysis::Verdict::Skipped;
        row.reasons = vec![analysis::Reason::TooFew(index, 1000)];
    }
    run
}

#[test]
fn reports_table_is_one_screen_with_the_columns_of_the_reports() {
    for run in [headline(), predicted_by_user(), large::large(), complete(), troubled()] {
        let screen = table(&run, ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
        assert!(screen.lines().count() <= 50, "{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    }
    let screen = table(&complete(), ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
    for column in ["hardware", "software", "predicted", "measured", "deviation"] {
        assert!(screen.contains(column), "{column}\n{screen}");
    }
}

#[test]
fn rows_that_were_not_measured_say_how_to_measure_them() {
    let mut run = headline();
    let screen = |run: &Frozen| table(run, ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
    assert!(screen(&run).contains("oscope run table --peer HOST:PORT --remote-dir DIR"), "{}", screen(&run));
    run.analysis.rows.clear();
    let text = screen(&run);
    assert!(text.contains("30 rows not measured"), "{text}");
    let text = screen(&complete());
    assert!(!text.contains("not measured"), "{text}");
    let csv = table(&run, ShownTable::Reports, &[], Form::Csv);
    let lines = csv.lines().skip(1).filter(|line| line.contains(",not measured,"));
    assert_eq!(lines.filter(|line| line.contains(",oscope run table")).count(), 30);
}

#[test]
fn statistics_are_those_of_the_trials() {
    let run = headline();
    for (name, which, form) in [
        ("statistics.txt", ShownTable::Statistics, Form::Terminal(120, PLAIN)),
        ("statistics.csv", ShownTable::Statistics, Form::Csv),
        ("trials.txt", ShownTable::Trials, Form::Terminal(80, PLAIN)),
        ("trials.csv", ShownTable::Trials, Form::Csv),
    ] {
        golden(name, |out| report::table(&run.view(), which, &ALL, form, out));
    }
    let row = run.analysis.rows.iter().find(|row| row.trials.len() > 2).unwrap();
    let values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    let all = row.trial_statistics().unwrap();
    assert!(values.iter().all(|value| (all.minimum..=all.maximum).contains(value)));
    assert!(values.contains(&all.minimum) && values.contains(&all.maximum));
    let off: f64 = values.iter().map(|value| value - all.mean).sum();
    assert!(off.abs() < 1e-6 * all.mean.abs(), "{off}");
    let screen = table(&run, ShownTable::Reports, &ALL, Form::Terminal(200, PLAIN));
    assert!(["min", "mean", "max", "sd"].iter().all(|title| screen.contains(title)), "{screen}");
}

/// A trial that kept a curve of these places.
fn trial_with_curve(operation: &str, point: &str, round: u32, places: &[f64]) -> Trial {
    let values = places.iter().map(|place| place * 1.5).collect();
    let series = Series { places: places.to_vec(), values, ..Series::default() };
    Trial {
        round,
        id: PointId::new(operation, point),
        started_ns: 0,
        clock: "tsc".to_owned(),
        ns_per_tick: 1.0,
        core_hz: None,
        clock_cost_ticks: 0.0,
        cpu_cost_ns: 0.0,
        cpu: None,
        pinned: false,
        series: vec![series],
        looks: None,
        waited_ns: None,
        evidence: Vec::new(),
        attributes: Attributes::default(),
    }
}

#[test]
fn curves_are_written_with_all_their_values() {
    let mut run = headline();
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "syscall.getppid").unwrap();
    row.point.curve = Some(Plot::logarithmic("bytes", "size of the working set", Quantity::Size));
    let point = row.point.id.point.clone();
    let trials = [
        trial_with_curve("syscall.getppid", &point, 2, &[1024.0, 2048.0, 4096.0]),
        trial_with_curve("not.selected", "", 1, &[1.0]),
        trial_with_curve("syscall.getppid", &point, 3, &[]),
    ];
    let written = |form| text(|out| report::curves(&run.view(), &trials, form, out));
    let csv = written(Form::Csv);
    let id = format!("syscall.getppid,{point},latency,ns,,2,size of the working set,bytes");
    let expected: String =
        ["1024,1536", "2048,3072", "4096,6144"].map(|place| format!("{id},{place}\n")).concat();
    let heading = "operation,point,quantity,unit,environment,round,axis,place_unit,place,value\n";
    assert_eq!(csv, format!("{heading}{expected}"));
    let json: serde_json::Value = serde_json::from_str(&written(Form::Json)).unwrap();
    let curves = json["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 1, "{json}");
    assert_eq!(curves[0]["places"], serde_json::json!([1024.0, 2048.0, 4096.0]));
    assert_eq!((&curves[0]["unit"], &curves[0]["place_unit"]), (&"ns".into(), &"bytes".into()));
    for form in [Form::Terminal(100, PLAIN), Form::Markdown, Form::Html, Form::Latex] {
        let shown = written(form);
        let shown = shown.replace("4~KiB", "4 KiB");
        assert!(shown.contains("4 KiB") && shown.contains("6.14"), "{shown}");
    }
    let none = text(|out| report::curves(&run.view(), &[], Form::Markdown, out));
    assert!(none.contains("No trial of these points keeps a curve"), "{none}");
}

/// What stands in the columns of this title in a CSV.
fn csv_column(csv: &str, title: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().unwrap().iter().position(|one| one == title).unwrap();
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

#[test]
fn cycles_stand_beside_times_in_every_form() {
    let mut run = headline();
    run.analysis.core_hz = Some(2e9);
    for estimate in run.analysis.rows.iter_mut().filter_map(|row| row.estimate.as_mut()) {
        estimate.core_hz = None;
    }
    let view = View { has_cycles: true, ..run.view() };
    let csv = text(|out| report::csv(&view, "a", out));
    let cells = ["quantity", "typical", "cycles"].map(|title| csv_column(&csv, title));
    let mut times = 0;
    // Behind the points is how each CPU was used.
    let points = run.analysis.rows.len();
    for ((quantity, typical), cycles) in cells[0].iter().zip(&cells[1]).zip(&cells[2]).take(points) {
        let typical = typical.parse::<f64>().ok().filter(|_| quantity == "latency");
        assert_eq!(cycles.parse::<f64>().ok(), typical.map(|ns| ns * 2e9 * 1e-9), "{quantity} {typical:?}");
        times += usize::from(typical.is_some());
    }
    assert!(times > 10, "{csv}");
    let without = text(|out| report::csv(&run.view(), "a", out));
    assert!(!without.contains("cycles"), "{without}");

    let json: serde_json::Value = serde_json::from_str(&text(|out| report::json(&run.view(), out))).unwrap();
    let row = json["rows"].as_array().unwrap().iter().find(|row| row["operation"] == "syscall.getppid");
    let row = row.unwrap();
    assert_eq!(row["cycles"].as_f64(), row["estimate"]["typical"].as_f64().map(|ns| ns * 2e9 * 1e-9));

    let row = run.analysis.rows.iter().find(|row| row.point.id.operation == "syscall.getppid").unwrap();
    let estimate = row.estimate.as_ref().unwrap();
    let half = row.next_run().map(|interval| interval.high - interval.low);
    let cycles = quantity::show_cycles(estimate.typical * 2.0, half);
    let forms = [
        text(|out| report::first_screen(&view, &[], &mut Page::new(120, PLAIN, out))),
        text(|out| report::terminal(&view, &mut Page::new(160, PLAIN, out))),
        text(|out| report::topics(&view, &[Topic::Predictions], &mut Page::new(120, PLAIN, out))),
        text(|out| report::markdown(&view, out)),
        text(|out| report::latex(&view, &Paper { extent: Extent::All, ..Paper::default() }, out)),
        text(|out| report::table(&view, ShownTable::Reports, &[], Form::Terminal(100, PLAIN), out)),
        text(|out| report::table(&view, ShownTable::Statistics, &ALL, Form::Terminal(160, PLAIN), out)),
        text(|out| report::table(&view, ShownTable::Trials, &[], Form::Terminal(100, PLAIN), out)),
    ];
    for form in &forms {
        assert!(form.contains(" cyc"), "{form}");
    }
    assert!(forms[1].contains(&cycles), "{cycles}: {}", forms[1]);
    let html = |view: &View<'_>| text(|out| report::html(view, &[], &[], false, out));
    let is_checked = |page: &str| page.contains(r#"id="unit-cycles" checked"#);
    assert!(is_checked(&html(&view)) && !is_checked(&html(&run.view())));
}

#[test]
fn connect_and_close_are_given_in_round_trips() {
    let mut run = complete();
    for (operation, ns) in [
        ("network.round_trip.tcp", 10_000.0),
        ("network.connection.connect", 15_000.0),
        ("network.connection.close", 5_000.0),
    ] {
        let rows = run.analysis.rows.iter_mut().filter(|row| row.point.id.operation == operation);
        rows.filter_map(|row| row.estimate.as_mut()).for_each(|estimate| estimate.typical = ns);
    }
    let expected =
        "connect, loopback 1.50×; connect, remote 1.50×; close, loopback 0.50×; close, remote 0.50×";
    let terminal = table(&run, ShownTable::Reports, &[], Form::Terminal(120, PLAIN));
    assert!(terminal.contains(expected), "{terminal}");
    let csv = table(&run, ShownTable::Reports, &[], Form::Csv);
    let multiples = csv_column(&csv, "round_trips");
    let multiples: Vec<&String> = multiples.iter().filter(|text| !text.is_empty()).collect();
    assert_eq!(multiples, ["1.5", "1.5", "0.5", "0.5"]);
    let paper = text(|out| report::latex(&run.view(), &Paper::default(), out));
    assert!(paper.contains("connect, remote 1.50"), "{paper}");
}

#[test]
fn reports_table_is_one_page_of_a_browser() {
    let page = table(&complete(), ShownTable::Reports, &[], Form::Html);
    shown::is_valid(&page);
    let Some(mut shown) = shown::opened(page.as_bytes()) else {
        return;
    };
    shown::suits_every_reader(&mut shown);
    let browser: &mut Browser = &mut shown.browser;
    assert_eq!(shown::printed_pages(browser), 1);
}

#[test]
fn reports_table_is_one_page_of_pdflatex() {
    if !programs::installed(&["pdflatex"]) {
        return;
    }
    for run in [headline(), complete()] {
        let tex = table(&run, ShownTable::Reports, &ALL, Form::Latex);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.tex"), tex).unwrap();
        let made = programs::command("pdflatex")
            .args(["-interaction=nonstopmode", "-halt-on-error", "table.tex"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(made.status.success(), "{said}");
        assert!(said.contains("(1 page"), "{said}");
        assert!(!said.contains("Overfull"), "{said}");
    }
}
