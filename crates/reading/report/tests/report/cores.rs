//! Every view says of which state of the cores a value is, what the other state costs, and how the cores were used.

use crate::fixture::neighbours::neighbours;
use crate::fixture::{Frozen, frozen};
use crate::golden::{PLAIN, golden, text};
use report::Page;

#[test]
fn views_of_a_run_on_a_shared_core() {
    let run = neighbours();
    for width in [60, 80, 140] {
        golden(&format!("neighbours-{width}.txt"), |out| {
            report::terminal(&run.view(), &mut Page::new(width, PLAIN, out))
        });
    }
    golden("neighbours.md", |out| report::markdown(&run.view(), out));
    golden("neighbours.csv", |out| report::csv(&run.view(), "a", out));
    golden("neighbours-explained.txt", |out| {
        let mut rows = run.analysis.rows.iter();
        rows.try_for_each(|row| report::explain_row(row, &mut Page::new(90, PLAIN, out)))?;
        let rows: Vec<_> = run.analysis.rows.iter().collect();
        report::explain_briefly(&rows, &mut Page::new(90, PLAIN, out))?;
        report::cores_text(&run.analysis, &mut Page::new(90, PLAIN, out))
    });
}

/// The documents, without what LaTeX and Markdown put before signs.
fn documents(run: &Frozen) -> [String; 3] {
    let view = run.view();
    let plain = |text: String| text.replace("\\%", "%").replace("\\_", "_").replace("$\\times$", "×");
    [
        plain(text(|out| report::markdown(&view, out))),
        text(|out| report::html(&view, &[], &[], false, out)),
        plain(text(|out| report::latex(&view, &report::Paper::default(), out)))
            .replace('~', " ")
            .replace("$^\\circ$", "°"),
    ]
}

#[test]
fn documents_tell_the_state_of_rows_and_the_use_of_the_cores() {
    for document in documents(&neighbours()) {
        for part in [
            "CPU 2 quiet 38 % of the time",
            "values at 3.25 GHz, ° as the clock ran (2.60 to 3.25 GHz)",
            "12 % of the run was spent waiting for quiet cores",
            "core not shared",
            "shared",
            "mixed",
            "1.41×",
            "untriggered",
        ] {
            assert!(document.contains(part), "{part:?} is not in:\n{document}");
        }
        // What the sign means, and the three rows that have it.
        assert!(document.matches('°').count() > 3, "{document}");
    }
    for document in documents(&frozen()) {
        assert!(!document.contains("untriggered") && !document.contains("core not shared"));
    }
}

#[test]
fn json_has_the_state_of_rows_and_the_use_of_the_cores() {
    let run = neighbours();
    let document: serde_json::Value =
        serde_json::from_str(&text(|out| report::json(&run.view(), out))).unwrap();
    let cores = &document["cores"];
    assert_eq!(cores["reference_hz"], 3.25e9);
    assert_eq!(cores["waited"], 0.12);
    assert_eq!(cores["cpus"][0]["quiet_stretch"], 0.9e6);
    assert_eq!(cores["cpus"][1]["slowdown"], serde_json::Value::Null);
    let states: Vec<_> = (0..5).map(|row| document["rows"][row]["core"]["state"].clone()).collect();
    let null = serde_json::Value::Null;
    assert_eq!(states, ["quiet".into(), null.clone(), "shared".into(), "mixed".into(), null]);
    assert_eq!(document["rows"][0]["core"]["untriggered"], 163.6);
    assert_eq!(document["rows"][0]["estimate"]["clock_share"], 0.98);
}

#[test]
fn a_run_whose_trigger_is_not_the_default_says_so() {
    let mut run = neighbours();
    for (trigger, says) in
        [(record::Trigger::Off, "seed 7, trigger off"), (record::Trigger::Sham, "seed 7, sham trigger")]
    {
        run.plan.settings.trigger = trigger;
        let page = text(|out| report::terminal(&run.view(), &mut Page::new(200, PLAIN, out)));
        assert!(page.contains(says), "{page}");
    }
}
