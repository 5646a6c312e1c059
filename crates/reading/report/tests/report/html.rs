//! The page without a browser: goldens of its parts, and what must hold of the whole.

use crate::fixture::headline::labels;
use crate::fixture::rows::{With, row, said};
use crate::fixture::{Frozen, frozen, headline, large, whole};
use crate::golden::{PLAIN, golden, text};
use analysis::Reason;
use quantity::Quantity;
use report::{Method, Page};
use std::collections::HashSet;

const METHODS: &[Method<'static>] = &[Method {
    operation: "switch.process.pipe",
    revision: 1,
    method: "One byte goes to the other process and comes back.",
    confounds: "With <two> CPUs it is no switch.",
    sources: &[("lmbench", "lat_ctx")],
}];

fn page(run: &Frozen) -> String {
    written(run, false)
}

fn written(run: &Frozen, is_full: bool) -> String {
    text(|out| report::html(&run.view(), METHODS, &labels(), is_full, out))
}

/// From this text to the end of its element.
fn element<'p>(page: &'p str, begins: &str, ends: &str) -> &'p str {
    let from = page.find(begins).unwrap_or_else(|| panic!("{begins} is not there"));
    let length = page[from..].find(ends).expect("it ends") + ends.len();
    &page[from..from + length]
}

/// The values of an attribute on the whole page, wherever they stand.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begins = format!(" {attribute}=\"");
    let parts = page.split(&begins).skip(1);
    parts.map(|part| part.split('"').next().unwrap_or_default()).collect()
}

#[test]
fn parts_of_the_page() {
    let page = page(&whole());
    for (name, begins, ends) in [
        ("beginning", "<section id=\"top\"", "</section>"),
        (
            "contrasts",
            "<details class=\"group\"><summary><b role=\"heading\" aria-level=\"3\">† flawed",
            "</details>",
        ),
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
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads away"));
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
        assert!(number.parse::<f64>().is_ok_and(|place| place.abs() <= 2.0), "{place}");
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
        row.reasons = vec![Reason::Unmet("</details></main><b>".to_owned(), None)];
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
    for said in run.analysis.rows.iter().flat_map(said) {
        let text = said.replace('\'', "&#39;");
        let letters: Vec<char> = text.chars().skip(1).collect();
        assert!(page.contains(&letters.iter().collect::<String>()), "{text}");
    }
}

#[test]
fn a_contradicted_row_has_no_number() {
    let page = page(&whole());
    let operation = element(&page, "<article id=\"syscall.getpid\"", "</article>");
    let row = element(operation, "<tbody>", "</table>");
    assert!(row.contains("contradicted"), "{row}");
    assert!(row.contains("†</th><td></td><td></td>"), "{row}");
}

/// A run of these points of one operation, each of 10 µs or GB/s.
fn run_of(operation: &str, quantity: Quantity, points: &[&str]) -> Frozen {
    let row = |point: &&str| row("network", operation, point, quantity, "one").value(1e4, 10.0, 12);
    let mut run = whole();
    run.analysis = analysis::Analysis::from_rows(points.iter().map(row).collect(), 12, Vec::new());
    run
}

#[test]
fn published_figures_stand_beside_the_points_that_compare() {
    let stands = |operation, quantity, points: &[&str]| {
        let page = page(&run_of(operation, quantity, points));
        element(&page, "<p class=\"stands\"", "\n<").to_owned()
    };
    let (near, far) = ("path=loopback cpu=same bytes=64B", "path=remote bytes=64B");
    let says =
        stands("network.round_trip.tcp", Quantity::Latency, &[near, "path=loopback cpu=same bytes=1B"]);
    assert!(says.contains("here 10.00 µs;") && says.contains("for bytes=64 peer=loopback"), "{says}");
    assert!(says.contains("suspect") && !says.contains("remote"), "{says}");
    let says = stands("network.round_trip.tcp", Quantity::Latency, &[near, far]);
    assert!(says.contains(far) && says.contains("for bytes=64 peer=remote"), "{says}");
    // A transfer that a report tells by its time, too, stands by its rate alone.
    let point = "path=loopback cpu=same bytes=1MiB";
    let says = stands("network.bandwidth.transfer", Quantity::Bandwidth, &[point]);
    assert!(says.contains("B/s for block=1MB peer=loopback") && !says.contains("µs"), "{says}");
    // A method that is not this operation's is named.
    let says = stands("call.procedure", Quantity::Latency, &["arguments=0"]);
    assert!(
        says.contains("(8 figures) by another method (call.procedure.subtracted fences=cpuid)"),
        "{says}"
    );
    // The size of a line does not stand beside times.
    let lines = page(&run_of("memory.line_size", Quantity::Latency, &["distance=64B"]));
    assert!(!lines.contains("<p class=\"stands\""));
}

#[test]
fn evidence_that_all_points_share_is_written_once() {
    let mut run = large::large();
    run.analysis.rows.truncate(3);
    let shown = page(&run);
    assert_eq!(shown.matches("✓ Evidence at every point").count(), 1);
    assert_eq!(shown.matches("witnesses of the quiet").count(), 1);
    assert_eq!(shown.matches("instructions ").count(), 3);
    assert_eq!(written(&run, true).matches("migrations 0").count(), 1);
    // What is broken at one point is written at each.
    let broken = &mut run.analysis.rows[1].witnesses[1];
    assert_eq!(broken.witness.counter, "migrations");
    // Most trials counted none, and two of them four.
    (broken.broken, broken.counted_where_broken) = (2, Some(4.0));
    let shown = page(&run);
    assert_eq!(written(&run, true).matches("migrations 0").count(), 2);
    let says = "migrations: expected 0 per iteration, counted 4 in 2 of 18 trials";
    assert!(shown.contains(&format!("✗ broken: </span>{says}")));
    // Every form says the same, and once: the verdict, where it names the witness, and else the list of witnesses.
    let explained =
        |row: &analysis::Row| text(|out| report::explain_row(row, &mut Page::new(400, PLAIN, out)));
    let row = &mut run.analysis.rows[1];
    assert_eq!(explained(row).matches(says).count(), 1);
    let breach = row.witnesses[1].breach().unwrap();
    row.verdict = analysis::Verdict::Contradicted;
    row.reasons = vec![Reason::Witness(breach)];
    let said = explained(row);
    assert_eq!(said.matches("migrations: expected").count(), 1, "{said}");
    assert!(said.contains("✗ migrations: see the verdict"), "{said}");
    let shown = page(&run);
    // Once in the list of what is contradicted, and once at the point.
    assert_eq!(shown.matches("igrations: expected").count(), 2);
    assert_eq!(shown.matches("✗ broken: </span>migrations").count(), 1);
}

#[test]
fn costs_of_headline_link_to_their_operations() {
    let page = page(&headline());
    let costs = element(&page, "<table class=\"costs\"", "</table>");
    for label in labels() {
        let link = format!("<a href=\"#{}\">{}</a>", label.operation, label.label);
        assert!(costs.contains(&link), "{link}");
    }
    // Each row with a value has its place on the scale, its prediction and, on hover, its method.
    let measured = labels().len() - 2;
    let hollow = |sign: &str| costs.matches(&format!("<{sign} class=\"hollow\"")).count();
    assert_eq!((hollow("circle"), hollow("rect")), (measured - 3, 3));
    assert_eq!(costs.matches("<line x1=").count(), measured);
    assert!(costs.contains("One byte goes to the other process and comes back.</title>"));
    assert!(page.contains("Signal, sent and handled 3.02 µs: 3.39× its prediction (890 ns)"));
}

#[test]
fn picture_of_a_run_without_headline_has_its_first_rows() {
    let page = page(&large::large());
    let costs = element(&page, "<table class=\"costs\"", "</table>");
    assert_eq!(costs.matches("<tr><th scope").count(), 36);
    assert!(page.contains("464 other points</a> in the table below."));
}

#[test]
fn full_page_folds_nothing_and_plots_every_point() {
    let mut run = large::large();
    run.analysis.rows.truncate(30);
    let (brief, full) = (page(&run), written(&run, true));
    assert!(!brief.contains(" open>") && full.matches("<details").count() > 30);
    assert_eq!(full.matches("<details").count(), full.matches(" open>").count());
    let plots = |page: &str| page.matches("trials from").count();
    assert_eq!((plots(&brief), plots(&full)), (12, 30));
    let terms = |page: &str| page.matches("change of the address space").count();
    assert!(terms(&full) >= terms(&brief) + 30);
}

/// The most bytes that the page of a whole standard run may have.
const LARGEST_PAGE: usize = 1_200_000;
/// What a page has at least for a point and its share of its operation, if the run is as rich as a real one.
const LEAST_OF_A_POINT: usize = 2000;

#[test]
fn the_page_of_a_whole_run_stays_small() {
    let run = large::large();
    let page = text(|out| report::html(&run.view(), &large::methods(&run), &[], false, out));
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
    let least = LEAST_OF_A_POINT * large::POINTS;
    assert!(page.len() > least, "{} bytes are no whole run", page.len());
}

#[test]
fn a_run_without_rows_is_a_page() {
    let mut run = frozen();
    run.end = None;
    run.machine = record::Machine::default();
    run.analysis = analysis::Analysis::from_rows(Vec::new(), 0, Vec::new());
    let page = page(&run);
    assert!(page.contains("No point was planned.") && page.contains("</html>"));
}

#[test]
fn html_tidy_finds_nothing() {
    for run in [whole(), crate::fixture::crowded(), crate::fixture::predicted_by_user()] {
        crate::shown::is_valid(page(&run));
    }
}

#[test]
fn single_values_are_not_joined_by_a_line() {
    let mut run = whole();
    let lines = |run: &Frozen| page(run).matches(r#"<path class="line""#).count();
    let joined = lines(&run);
    let series = run.analysis.drawings[0].series.len();
    run.analysis.drawings[0].is_scatter = true;
    assert_eq!(lines(&run), joined - series);
}
