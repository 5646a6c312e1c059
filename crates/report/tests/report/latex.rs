//! The paper: its golden, and that LaTeX compiles it without an error or a warning.

use crate::fixture::{Frozen, crowded, frozen, predicted_by_user, whole};
use crate::golden::golden;
use analysis::Reason;
use report::Method;
use std::process::Stdio;

const METHODS: &[Method<'static>] = &[Method {
    operation: "switch.process.pipe",
    revision: 1,
    method: "One byte goes to the other process and comes back.",
    confounds: "With <two> CPUs it is no switch: 100 % of it.",
    sources: &[("lmbench", "lat_ctx")],
}];

fn paper(run: &Frozen) -> String {
    let mut bytes = Vec::new();
    report::latex(&run.view(), METHODS, &mut bytes).expect("a vector can be written");
    String::from_utf8(bytes).expect("views are UTF-8")
}

#[test]
fn paper_of_the_frozen_run() {
    golden("report.tex", |out| report::latex(&whole().view(), METHODS, out));
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
            part.split_once('{')
                .and_then(|(_, rest)| rest.split_once('}'))
                .map(|(name, _)| name.to_owned())
        };
        if part.starts_with("begin{") {
            open.push(name(part).unwrap());
        } else if part.starts_with("end{") {
            assert_eq!(open.pop(), name(part));
        }
    }
    assert_eq!(open, [""; 0]);
}

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
    empty.analysis = analysis::Analysis::of(Vec::new(), 0, Vec::new());
    for (name, run) in [
        ("whole", whole()),
        ("user", predicted_by_user()),
        ("user", predicted_by_user()),
        ("crowded", crowded()),
        ("hostile", hostile()),
        ("empty", empty),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("paper.tex"), paper(&run)).unwrap();
        // Twice: the first time the tables do not know their widths, nor references their numbers.
        for _ in 0..2 {
            let output = programs::command("pdflatex")
                .args([
                    "-interaction=nonstopmode",
                    "-halt-on-error",
                    "-no-shell-escape",
                    "paper.tex",
                ])
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
        for message in [
            "undefined",
            "Missing character",
            "multiply defined",
            "Overfull \\hbox",
        ] {
            let found: Vec<&str> = log.lines().filter(|line| line.contains(message)).collect();
            assert!(found.is_empty() || name == "hostile", "{name}: {found:?}");
        }
        assert!(std::fs::metadata(folder.path().join("paper.pdf")).unwrap().len() > 10_000);
    }
}
