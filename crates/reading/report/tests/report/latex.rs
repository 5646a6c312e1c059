//! The paper: its golden, and that LaTeX compiles it without an error or a warning.

use crate::fixture::{Frozen, crowded, frozen, predicted_by_user, three, whole};
use crate::golden::{golden, text};
use analysis::Reason;
use report::{Extent, Method, Paper};
use std::process::Stdio;

const METHODS: &[Method<'static>] = &[Method {
    operation: "switch.process.pipe",
    revision: 1,
    method: "One byte goes to the other process and comes back.",
    confounds: "With <two> CPUs it is no switch: 100 % of it.",
    sources: &[("lmbench", "lat_ctx")],
}];

const PAPER: Paper<'static> =
    Paper { methods: METHODS, labels: &[], author: None, introduction: None, extent: Extent::Usual };

fn paper(run: &Frozen) -> String {
    written(run, &PAPER)
}

fn written(run: &Frozen, paper: &Paper<'_>) -> String {
    text(|out| report::latex(&run.view(), paper, out))
}

#[test]
fn paper_of_three_points() {
    golden("report.tex", |out| report::latex(&three().view(), &PAPER, out));
    let whole = paper(&whole());
    let begins = whole.rfind("\\begin{drawn}").unwrap();
    let length = whole[begins..].find("\n\\section").unwrap();
    golden("report-figure.tex", |out| out.write_all(&whole.as_bytes()[begins..begins + length]));
}

#[test]
fn the_fonts_of_every_installation_suffice() {
    assert!(paper(&whole()).is_ascii());
    assert!(paper(&crowded()).is_ascii());
}

#[test]
fn every_environment_ends_where_it_must() {
    let paper = paper(&whole());
    let mut open = Vec::new();
    for part in paper.split('\\').skip(1) {
        let name = |part: &str| {
            part.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(name, _)| name.to_owned())
        };
        if part.starts_with("begin{") {
            open.push(name(part).unwrap());
        } else if part.starts_with("end{") {
            assert_eq!(open.pop(), name(part));
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn reasons_of_numbers_are_notes_and_only_publications_are_references() {
    let all = Paper { extent: Extent::All, ..PAPER };
    let paper = written(&crate::fixture::large::large(), &all);
    let (before, references) = paper.split_once("\\begin{thebibliography}").unwrap();
    let items = references.matches("\\bibitem").count();
    assert_eq!(items, 1 + references.matches("{report:").count(), "{references}");
    let (_, notes) = before.split_once("\\section{Notes on the numbers of the formulas}").unwrap();
    let labels = notes.matches("\\item\\label{note:").count();
    assert!(labels > 0);
    for index in 0..labels {
        assert!(before.contains(&format!("\\ref{{note:{index}}}")), "{index}");
    }
}

#[test]
fn the_predictions_of_the_author_are_plotted_too() {
    let figure = "Measured time by time predicted by the author";
    let mut run = whole();
    assert!(!paper(&run).contains(figure));
    for row in &mut run.analysis.rows {
        row.point.user = row.estimate.as_ref().map(|estimate| record::UserPrediction {
            typical: 2.0 * estimate.typical,
            hardware: None,
            software: None,
            because: String::new(),
        });
    }
    assert!(paper(&run).contains(figure));
}

#[test]
fn a_paper_says_neither_what_was_not_asked_nor_terms_of_nothing() {
    let mut run = whole();
    let zero = record::Range::exactly(0.0);
    let mut changed = 0;
    for row in &mut run.analysis.rows {
        for predicted in [&mut row.from_facts, &mut row.from_parts].into_iter().flatten() {
            if let [_, .., (term, range)] = predicted.terms.as_mut_slice() {
                (term.name, *range) = ("a term of nothing".to_owned(), zero);
                changed += 1;
            }
        }
    }
    assert!(changed > 0);
    let text = paper(&run);
    assert!(text.contains("left out: 1 term of value 0") && !text.contains("term of nothing"), "{text}");
    let untested = |text: &str| text.contains("Untested: ");
    let whole = crate::golden::text(|out| report::markdown(&run.view(), out));
    assert!(!untested(&text) && untested(&whole));
}

#[test]
fn every_discussion_says_what_was_found_and_nothing_else() {
    let run = whole();
    let text = paper(&run);
    assert!(text.contains("\\step{Discussion.}\n") && text.contains("most of it is ``"));
    assert!(text.contains(", which no measurement explains."));
    let mut silent = frozen();
    for row in &mut silent.analysis.rows {
        (row.estimate, row.notes, row.reasons) = (None, Vec::new(), Vec::new());
        row.unpredicted.clear();
        row.modes.clear();
        row.point.id.operation = format!("nobody.{}", row.point.id.operation);
        row.verdict = analysis::Verdict::Measured;
    }
    silent.analysis.contrasts.clear();
    let silent = paper(&silent);
    assert!(silent.contains("No point gave a number, and so nothing can be said of its cost."));
    assert!(!silent.contains("most of it is ``"));
}

#[test]
fn a_paper_of_many_operations_lists_a_point_of_each_and_describes_the_headline() {
    let large = crate::fixture::large::large();
    let id = large.analysis.rows[7].point.id.clone();
    let labels = [report::Label { operation: &id.operation, point: &id.point, label: "" }];
    let usual = Paper { labels: &labels, ..PAPER };
    let text = written(&large, &usual);
    assert_eq!(text.matches("\\subsection{").count(), 1);
    let described = text.split_once("\\subsection{").unwrap().1;
    assert!(described.contains("\\step{Prediction.}"), "{described}");
    let operations: std::collections::HashSet<&str> =
        large.analysis.rows.iter().map(|row| row.point.id.operation.as_str()).collect();
    let all = Paper { extent: Extent::All, ..usual };
    let whole = written(&large, &all);
    assert_eq!(whole.matches("\\subsection{").count(), operations.len());
    assert!(text.contains("one point of every operation") && whole.contains("has all results"));
    assert!(text.len() * 3 < whole.len(), "{} of {}", text.len(), whole.len());
}

#[test]
fn a_brief_paper_lists_the_headline_alone_and_names_its_author() {
    let labels =
        [report::Label { operation: "switch.process.pipe", point: "cpu=same", label: "process switch" }];
    let brief = Paper {
        labels: &labels,
        author: Some("A. & B. Author"),
        introduction: Some("A. measured the\nmemory & B. the rest.\n\n25 hours\n"),
        extent: Extent::Headline,
        ..PAPER
    };
    let text = written(&whole(), &brief);
    assert!(text.contains("\\author{A. \\& B. Author}") && !text.contains("Name of the author"));
    assert!(text.contains("\\section{Introduction}") && !paper(&whole()).contains("{Introduction}"));
    assert!(
        text.contains("A. measured the memory \\& B. the rest.") && text.contains("\n25 hours"),
        "{text}"
    );
    assert!(!text.contains("\\subsection") && text.contains("has the points of the headline"));
    assert_eq!(text.matches("\\end{longtable}}").count(), 1, "{text}");
    assert_eq!(paper(&whole()).matches("\\end{longtable}}").count(), 5);
}

/// The most pages that papers of a whole run have.
const MOST_PAGES: [(&str, u32); 2] = [("brief", 12), ("usual", 30)];

/// What a hostile record says, in the places where it says something.
fn hostile() -> Frozen {
    const TEXT: &str = "\\input{/etc/passwd} $x$ 100% #1 & ~^_{}[*]<a|b>\"`é漢--\u{0}\\\\[";
    let mut run = frozen();
    for row in &mut run.analysis.rows {
        row.point.title = TEXT.to_owned();
        row.point.one_iteration = TEXT.to_owned();
        row.point.id.point = format!("a={TEXT}");
        row.point.area = TEXT.to_owned();
        row.reasons = vec![Reason::Unmet(TEXT.to_owned(), None)];
    }
    run.header.arguments = vec![TEXT.to_owned()];
    run
}

#[test]
fn what_a_record_says_is_text() {
    let paper = paper(&hostile());
    assert!(!paper.contains("\\input{") && paper.contains("\\textbackslash{}input"));
}

#[test]
fn latex_compiles_it() {
    if !programs::installed(&["pdflatex"]) {
        return;
    }
    // For the fonts that it makes.
    let fonts = tempfile::tempdir().unwrap();
    let mut empty = frozen();
    empty.machine = record::Machine::default();
    empty.end = None;
    empty.analysis = analysis::Analysis::from_rows(Vec::new(), 0, Vec::new());
    let large = crate::fixture::large::large();
    let ids = large.analysis.rows.iter().map(|row| &row.point.id).step_by(12);
    let labels: Vec<report::Label<'_>> =
        ids.map(|id| report::Label { operation: &id.operation, point: &id.point, label: "" }).collect();
    assert!(labels.len() >= 36, "{}", labels.len());
    let brief = Paper { labels: &labels, extent: Extent::Headline, ..PAPER };
    let usual = Paper { extent: Extent::Usual, ..brief };
    let mut compared = Vec::new();
    crate::pair::shown(false, |view| report::comparison(view, report::Form::Latex, &mut compared).unwrap());
    let compared = String::from_utf8(compared).unwrap();
    for (name, text) in [
        ("compared", compared),
        ("whole", paper(&whole())),
        ("user", paper(&predicted_by_user())),
        ("crowded", paper(&crowded())),
        ("hostile", paper(&hostile())),
        ("brief", written(&large, &brief)),
        ("usual", written(&large, &usual)),
        ("empty", paper(&empty)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("paper.tex"), text).unwrap();
        // Twice: the first time the tables do not know their widths, nor references their numbers.
        for _ in 0..2 {
            let output = programs::command("pdflatex")
                .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"])
                .env("TEXMFVAR", fonts.path())
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{name}: {said}");
        }
        let log = std::fs::read(folder.path().join("paper.log")).unwrap();
        let log = String::from_utf8_lossy(&log);
        for message in ["undefined", "Missing character", "multiply defined", "Overfull \\hbox"] {
            let found: Vec<&str> = log.lines().filter(|line| line.contains(message)).collect();
            assert!(found.is_empty() || name == "hostile", "{name}: {found:?}");
        }
        if let Some((_, most)) = MOST_PAGES.iter().find(|(paper, _)| *paper == name) {
            let pages = log.split_once("paper.pdf (").and_then(|(_, rest)| rest.split_once(' '));
            let pages: u32 = pages.unwrap().0.parse().unwrap();
            assert!(pages <= *most, "{name}: {pages}");
        }
        assert!(std::fs::metadata(folder.path().join("paper.pdf")).unwrap().len() > 10_000);
    }
}
