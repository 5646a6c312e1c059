//! `oscope museum`: wrong methods beside the right ones, and what each error comes to on this machine.

use crate::Operations;
use crate::arguments::{Form, Museum, Run};
use crate::commands::run::{self, RecordedRun};
use crate::exit::{Exit, usage};
use crate::notice::notice;
use crate::select::{Selected, add_right_ones, find, sort};
use crate::{output, records};
use analysis::{Exhibit, Outcome, ShownExhibit, exhibits, museum};
use record::{Plan, PointId, Profile};
use reference::{Figure, cited_mistakes, mistake_name};
use report::{Cell, Column, ExhibitLabel, Table};
use std::io::{self, Write};
use std::time::Duration;

pub fn run(operations: Operations, arguments: Museum) -> anyhow::Result<Exit> {
    let chosen = chosen(&arguments.selection)?;
    if arguments.list {
        return list(&chosen);
    }
    let are_named = !arguments.selection.is_empty();
    if let Some(path) = &arguments.record {
        let record = records::read(path)?;
        show(&chosen, are_named, &record, arguments.format)?;
        return Ok(Exit::Success);
    }
    let (format, quiet) = (arguments.format, arguments.quiet);
    let selected = points(operations, &chosen, arguments.profile);
    let recorded =
        run::record(operations, &settings(arguments), &selected, &|plan| announce(&chosen, plan, quiet))?;
    let shown = show(&chosen, are_named, &records::read(&recorded.path)?, format)?;
    finish(&recorded, &shown, format)
}

/// The exhibits of these names and codes.
fn chosen(words: &[String]) -> anyhow::Result<Vec<&'static Exhibit>> {
    if let Some(word) = words.iter().find(|word| !exhibits().any(|exhibit| is_named(exhibit, word))) {
        let why = match mistake_name(&word.to_uppercase()) {
            None => "'oscope museum --list' names all exhibits".to_owned(),
            Some(name) => format!("no exhibit shows that mistake ({name})"),
        };
        return Err(usage(format!("the museum has no exhibit '{word}'; {why}")));
    }
    Ok(exhibits()
        .filter(|exhibit| words.is_empty() || words.iter().any(|word| is_named(exhibit, word)))
        .collect())
}

fn is_named(exhibit: &Exhibit, word: &str) -> bool {
    exhibit.name == word || exhibit.codes.iter().any(|code| code.eq_ignore_ascii_case(word))
}

/// The points that these exhibits need, the right ones with the wrong.
fn points(operations: Operations, chosen: &[&'static Exhibit], profile: Profile) -> Vec<Selected> {
    let mut selected: Vec<Selected> = Vec::new();
    for spot in chosen.iter().flat_map(|exhibit| exhibit.spots()) {
        let id = PointId::new(spot.operation, spot.point);
        if !selected.iter().any(|(operation, point)| operation.point_id(point) == id) {
            let found = [profile, Profile::Standard].into_iter().find_map(|of| find(operations, &id, of));
            selected.extend(found);
        }
    }
    add_right_ones(operations, &mut selected, Profile::Standard);
    sort(operations, &mut selected);
    selected
}

/// Most time for the rounds.
fn budget(profile: Profile) -> Duration {
    Duration::from_secs(match profile {
        Profile::Quick => 75,
        Profile::Standard => 300,
        Profile::Thorough | Profile::Tail => 1200,
    })
}

/// The run that makes the record.
fn settings(arguments: Museum) -> Run {
    Run {
        budget: Some(arguments.budget.unwrap_or_else(|| budget(arguments.profile))),
        dir: arguments.dir,
        output: arguments.output,
        quiet: arguments.quiet,
        with_flawed_methods: true,
        profile: arguments.profile,
        ..Run::default()
    }
}

fn announce(chosen: &[&'static Exhibit], plan: &Plan, quiet: bool) {
    if !quiet {
        let most = quantity::duration_words(Duration::from_secs_f64(plan.settings.budget_s));
        notice!("{} exhibits, {} points, at most {most}", chosen.len(), plan.points.len());
    }
}

fn list(chosen: &[&'static Exhibit]) -> anyhow::Result<Exit> {
    let mut table = Table::new(vec![
        Column::word("mistakes", 0),
        Column::word("exhibit", 0),
        Column::name("what is wrong", 1, 12, 80),
    ]);
    for exhibit in chosen {
        table.row(vec![
            Cell::from(exhibit.codes.join(" ")),
            Cell::from(exhibit.name.to_owned()),
            Cell::from(exhibit.title.to_owned()),
        ]);
    }
    output::show(|width, style, out| output::table(&table, width, style, out))?;
    Ok(Exit::Success)
}

/// Shows the exhibits by a record, and gives them back.
fn show(
    chosen: &[&'static Exhibit],
    are_named: bool,
    record: &record::Record,
    format: Form,
) -> anyhow::Result<Vec<ShownExhibit>> {
    let analysis = analysis::analyse(record);
    let shown: Vec<ShownExhibit> = museum(record, &analysis)
        .into_iter()
        .filter(|shown| chosen.iter().any(|exhibit| exhibit.name == shown.exhibit.name))
        .collect();
    let figures = reference::figures()?;
    let labels: Vec<ExhibitLabel<'_>> = shown
        .iter()
        .map(|shown| ExhibitLabel {
            shown,
            mistakes: shown.exhibit.codes.iter().map(|code| named(code)).collect(),
            published: published(shown.exhibit, &figures),
        })
        .collect();
    output::show(|width, style, out| report::museum(&labels, are_named, format.on(width, style), out))?;
    Ok(shown)
}

fn named(code: &str) -> String {
    format!("{code} {}", mistake_name(code).unwrap_or_default())
}

/// The figures that reports published with the mistake in them.
fn published(exhibit: &Exhibit, figures: &[Figure]) -> Vec<String> {
    let published = exhibit.published.iter().filter_map(|seen| found(exhibit, figures, *seen).next());
    published
        .map(|figure| {
            let result = figure.result().map(reference::Shown::text).unwrap_or_default();
            let name = figure
                .id()
                .split(' ')
                .filter(|word| !word.starts_with("statistic=mean") && !word.starts_with("trials="))
                .collect::<Vec<&str>>()
                .join(" ");
            let doubt = if is_inferred(exhibit, figure) { "probably " } else { "" };
            format!("{doubt}{} (section {}) {name} {result}", figure.report, figure.section)
        })
        .collect()
}

/// Whether the mistake is inferred from the figure: the report does not state what made it. A part of the remark that
/// names codes doubts these alone.
fn is_inferred(exhibit: &Exhibit, figure: &Figure) -> bool {
    let doubts = |part: &str| ["probably", "perhaps"].iter().any(|word| part.contains(word));
    let concerns = |part: &str| {
        let mut codes = cited_mistakes(part).peekable();
        codes.peek().is_none() || codes.any(|code| exhibit.codes.contains(&code))
    };
    figure.remark.split("; ").any(|part| doubts(part) && concerns(part))
}

/// The figures of this report, section, operation and parameters that show the mistake, are no single trial unless it is named,
/// and are not off by their unit besides.
fn found<'f>(
    exhibit: &'f Exhibit,
    figures: &'f [Figure],
    (report, section, operation, parameters): analysis::PublishedCase,
) -> impl Iterator<Item = &'f Figure> {
    const UNIT: &str = "E37";
    figures.iter().filter(move |figure| {
        (figure.report.as_str(), figure.section.as_str(), figure.operation.as_str())
            == (report, section, operation)
            && reference::has_parameters(&figure.parameter, parameters)
            && (!figure.is_trial() || parameters.contains("trial="))
            && figure.result().is_some()
            && figure.codes().any(|code| exhibit.codes.contains(&code))
            && (exhibit.codes.contains(&UNIT) || figure.codes().all(|code| code != UNIT))
    })
}

fn finish(recorded: &RecordedRun, shown: &[ShownExhibit], format: Form) -> anyhow::Result<Exit> {
    if format == Form::Terminal {
        writeln!(io::stdout().lock(), "{}", recorded.path.display())?;
    }
    let has_number = shown.iter().any(|shown| {
        matches!(shown.outcome, Outcome::High | Outcome::Low | Outcome::Hidden | Outcome::Undecided)
    });
    recorded.exit(has_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::Demonstration;

    #[test]
    fn every_exhibit_is_of_points_and_mistakes_that_there_are() {
        for exhibit in exhibits() {
            assert!(!exhibit.codes.is_empty(), "{}", exhibit.name);
            for code in exhibit.codes {
                assert!(mistake_name(code).is_some(), "{}: {code}", exhibit.name);
            }
            for spot in exhibit.spots() {
                let id = PointId::new(spot.operation, spot.point);
                let known = find(flawed::all_operations(), &id, Profile::Standard);
                assert!(known.is_some(), "{}: {id}", exhibit.name);
            }
            assert!(
                points(flawed::all_operations(), &[exhibit], Profile::Quick).len() >= exhibit.spots().len()
            );
        }
        assert!(exhibits().count() >= 40);
    }

    #[test]
    fn every_method_has_the_right_one_beside_it() {
        for exhibit in exhibits() {
            let Demonstration::Method(spot) = exhibit.demonstration else {
                assert!(!exhibit.flaw.is_empty(), "{}", exhibit.name);
                continue;
            };
            let (right, point) = flawed::method(spot.operation).unwrap().right;
            let selected = points(flawed::all_operations(), &[exhibit], Profile::Quick);
            let has_right =
                selected.iter().any(|(operation, at)| operation.id == right && at.text() == point);
            assert!(has_right, "{}", exhibit.name);
            assert!(exhibit.flaw.is_empty(), "{}: the plan tells it", exhibit.name);
        }
    }

    #[test]
    fn every_wrong_method_is_an_exhibit() {
        // What is wrong with it is its step and not its cost: `coarse-clock` shows that.
        let by_its_step = "clock.read.gettimeofday";
        // The exhibition asks for no remote directory.
        let of_a_remote_file = "file.remote.read.numbers";
        let flawed = flawed::methods().map(|method| &method.card);
        for operation in flawed.filter(|card| ![by_its_step, of_a_remote_file].contains(&card.id)) {
            let is_shown = exhibits().any(
                |exhibit| matches!(exhibit.demonstration, Demonstration::Method(spot) if spot.operation == operation.id),
            );
            assert!(is_shown, "{}", operation.id);
        }
    }

    #[test]
    fn every_published_figure_is_one_of_its_section_that_shows_the_mistake() {
        let figures = reference::figures().unwrap();
        for exhibit in exhibits() {
            for seen in exhibit.published {
                assert_eq!(found(exhibit, &figures, *seen).count(), 1, "{}: {seen:?}", exhibit.name);
            }
        }
    }

    #[test]
    fn clamped_difference_points_at_the_zero() {
        let figures = reference::figures().unwrap();
        let exhibit = exhibits().find(|exhibit| exhibit.name == "call-subtracted").unwrap();
        let shown = published(exhibit, &figures);
        assert_eq!(shown, ["probably R0 (section 3.3) call.procedure arguments=7 trial=3 0.00 ns"]);
    }

    #[test]
    fn names_are_words_of_their_own() {
        let names: Vec<&str> = exhibits().map(|exhibit| exhibit.name).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[at + 1..].contains(name), "{name}");
        }
        assert_eq!(chosen(&["stride".to_owned()]).unwrap().len(), 1);
        assert!(chosen(&["e11".to_owned()]).unwrap().len() >= 3);
        let refused = chosen(&["E18".to_owned()]).unwrap_err().to_string();
        assert!(refused.contains("stack"), "{refused}");
        assert!(chosen(&["nothing".to_owned()]).unwrap_err().to_string().contains("--list"));
    }
}
