//! The page without a browser: goldens of its parts, and what must hold of the whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
mod golden;

use fixture::{Frozen, frozen, whole};
use golden::golden;
use report::Method;
use std::collections::HashSet;
use std::process::{Command, Stdio};

const METHODS: &[Method<'static>] = &[Method {
    operation: "switch.process.pipe",
    revision: 1,
    method: "One byte goes to the other process and comes back.",
    confounds: "With <two> CPUs it is no switch.",
    sources: &[("lmbench", "lat_ctx")],
}];

fn page(run: &Frozen) -> String {
    let mut bytes = Vec::new();
    report::html(&run.view(), METHODS, &mut bytes).expect("a vector can be written");
    String::from_utf8(bytes).expect("views are UTF-8")
}

/// From this text to the end of its element.
fn element<'p>(page: &'p str, begins: &str, ends: &str) -> &'p str {
    let from = page
        .find(begins)
        .unwrap_or_else(|| panic!("{begins} is not there"));
    let length = page[from..].find(ends).expect("it ends") + ends.len();
    &page[from..from + length]
}

/// The values of an attribute on the whole page, wherever they stand.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begins = format!(" {attribute}=\"");
    let parts = page.split(&begins).skip(1);
    parts
        .map(|part| part.split('"').next().unwrap_or_default())
        .collect()
}

#[test]
fn parts_of_the_page() {
    let page = page(&whole());
    for (name, begins, ends) in [
        ("beginning", "<section id=\"top\"", "</section>"),
        ("contrasts", "<h3>† Reference", "</ul>\n<h3>"),
        ("article", "<article id=\"switch.process.pipe\"", "</article>"),
        ("figure", "<figure>\n<figcaption><b>Predicted", "</figure>"),
        ("row", "<tr data-area=\"os\"", "\n<tr"),
    ] {
        let part = element(&page, begins, ends);
        golden(&format!("page-{name}.html"), |out| writeln!(out, "{part}"));
    }
}

#[test]
fn every_link_leads_to_one_place_on_the_page() {
    let page = page(&whole());
    let ids = values(&page, "id");
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "an id stands twice");
    let links = values(&page, "href");
    assert!(links.len() > 50);
    for link in links.iter().filter(|link| !link.starts_with("data:")) {
        let target = link
            .strip_prefix('#')
            .unwrap_or_else(|| panic!("{link} leads away"));
        assert!(unique.contains(target), "{link} leads nowhere");
    }
}

#[test]
fn nothing_is_loaded_and_no_other_script_may_run() {
    let page = page(&whole());
    assert!(page.contains("default-src &#39;none&#39;"));
    // The only style of an element is the place of a ratio: a number.
    let places = values(&page, "style");
    assert!(places.len() > 5);
    for place in places {
        let number = place.strip_prefix("--r:").expect("it is a place");
        assert!(
            number.parse::<f64>().is_ok_and(|place| place.abs() <= 2.0),
            "{place}"
        );
    }
    for attribute in ["src", "onclick", "onload", "action", "srcset"] {
        assert_eq!(values(&page, attribute), [""; 0], "{attribute}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    let style = element(&page, "<style", "</style>");
    assert!(!style.contains("url(") && !style.contains("@import"));
}

#[test]
fn what_a_record_says_is_text() {
    let mut run = frozen();
    for row in &mut run.analysis.rows {
        row.point.title = "<img src=x onerror=alert(1)>".to_owned();
        row.point.id.point = "a=\"><script>alert(1)</script>".to_owned();
        row.reason = Some("</details></main><b>".to_owned());
    }
    let page = page(&run);
    assert!(!page.contains("<img") && !page.contains("<b>\n"));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("&lt;img src=x"));
}

#[test]
fn every_point_has_its_row_and_its_section() {
    let run = whole();
    let page = page(&run);
    let rows = run.analysis.rows.len();
    let summary = element(&page, "<table class=\"summary\"", "</table>");
    assert_eq!(summary.matches("\n<tr").count(), rows + 1);
    assert_eq!(page.matches("<details id=").count(), rows);
    for row in run
        .analysis
        .rows
        .iter()
        .flat_map(|row| row.reason.iter().chain(&row.remedy))
    {
        let text = row.replace('\'', "&#39;");
        let letters: Vec<char> = text.chars().skip(1).collect();
        assert!(page.contains(&letters.iter().collect::<String>()), "{text}");
    }
}

#[test]
fn a_contradicted_row_has_no_number() {
    let page = page(&whole());
    let row = element(
        &page,
        "<tr><th scope=\"row\"><a href=\"#syscall.getpid.libc/\"",
        "\n<tr",
    );
    assert!(row.contains("contradicted"), "{row}");
    assert!(row.contains("</a><td><td><td>"), "{row}");
}

/// A run of 400 points as a whole standard run has them: sweeps, both tiers of terms, witnesses, a distribution.
fn large() -> Frozen {
    use analysis::{Distribution, TrialValue};
    let mut run = whole();
    let full = |row: &&analysis::Row| row.estimate.is_some() && row.from_parts.is_some();
    let mut like = run
        .analysis
        .rows
        .iter()
        .find(full)
        .expect("such a row is there")
        .clone();
    let estimate = like.estimate.as_mut().expect("it has a number");
    let typical = estimate.typical;
    let spread = |index: usize| typical * (1.0 + 0.01 * ((index * index) % 37) as f64);
    like.distribution = Distribution::of(&(0..700).map(spread).collect::<Vec<f64>>(), 0.0);
    let trial = |index: usize| TrialValue {
        round: index as u32 + 1,
        typical: spread(index),
        best: typical,
    };
    like.trials = (0..20).map(trial).collect();
    like.from_facts
        .get_or_insert_with(|| like.from_parts.clone().expect("it is there"));
    for predicted in [&mut like.from_facts, &mut like.from_parts].into_iter().flatten() {
        let mut more = predicted.terms.clone();
        more.truncate(2);
        predicted.terms.extend(more);
    }
    let witnesses: Vec<_> = run
        .analysis
        .rows
        .iter()
        .flat_map(|row| row.witnesses.clone())
        .collect();
    assert!(!witnesses.is_empty());
    like.witnesses = witnesses.iter().cycle().take(8).cloned().collect();
    like.set_aside = vec![
        analysis::SetAside {
            cause: "the core was shared with a busy hardware thread".to_owned(),
            batches: 2403,
        },
        analysis::SetAside {
            cause: "actors had less than 97 % of the CPU".to_owned(),
            batches: 11,
        },
        analysis::SetAside {
            cause: "beside a batch set aside".to_owned(),
            batches: 10,
        },
    ];
    let rows = (0..400).map(|index| {
        let mut row = like.clone();
        let family = format!("switch.process.method_{}", index / 3);
        row.point.id = record::PointId::new(&family, &format!("processes=16 kib={}", index % 3));
        row.point.area = ["cpu", "os", "memory", "network", "file"][index / 80].to_owned();
        row
    });
    run.analysis = analysis::Analysis::of(rows.collect(), 20, Vec::new());
    run
}

/// The most bytes that the page of a whole standard run may have.
const LARGEST_PAGE: usize = 2 << 20;

#[test]
fn the_page_of_a_whole_run_stays_small() {
    let run = large();
    let methods: Vec<String> = run
        .analysis
        .rows
        .iter()
        .map(|row| row.point.id.operation.clone())
        .collect();
    let prose =
        "One byte goes to the other process and comes back, and nothing else is done meanwhile. ".repeat(5);
    let methods: Vec<Method<'_>> = methods
        .iter()
        .step_by(3)
        .map(|operation| Method {
            operation,
            revision: 1,
            method: &prose,
            confounds: &prose,
            sources: &[("lmbench", "lat_ctx")],
        })
        .collect();
    let mut bytes = Vec::new();
    report::html(&run.view(), &methods, &mut bytes).unwrap();
    assert!(bytes.len() < LARGEST_PAGE, "{} bytes", bytes.len());
    assert!(bytes.len() > 500_000, "{} bytes are no whole run", bytes.len());
}

#[test]
fn a_run_without_rows_is_a_page() {
    let mut run = frozen();
    run.end = None;
    run.machine = record::Machine::default();
    run.analysis = analysis::Analysis::of(Vec::new(), 0, Vec::new());
    let page = page(&run);
    assert!(page.contains("No point was planned.") && page.contains("</html>"));
}

#[test]
fn html_tidy_finds_nothing() {
    for run in [whole(), fixture::crowded(), fixture::predicted_by_user()] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        std::fs::write(&file, page(&run)).unwrap();
        let tidy = Command::new("tidy")
            .args(["-quiet", "-errors"])
            .arg(&file)
            .stdin(Stdio::null())
            .output();
        let Ok(output) = tidy else {
            assert!(std::env::var_os("OSCOPE_CI").is_none(), "there is no tidy");
            eprintln!("left out: there is no program 'tidy'");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
