//! The agreed figures of the predictions on the corpus, which may not become worse unnoticed.

use super::Evaluated;
use analysis::{Accuracy, Agreement, Factors};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the figures are, below the root.
pub const FIGURES: &str = "crates/reading/reference/data/machines-measured/accuracy.csv";

/// The variable that allows worse figures to be written.
const ALLOW: &str = "OSCOPE_WORSE";

const COLUMNS: [&str; 9] =
    ["machine", "tier", "area", "points", "left_out", "median", "ninth_decile", "within_1.25", "within_1.5"];

/// The tiers of an accuracy, by their names.
pub(super) fn tiers(accuracy: &Accuracy) -> [(&'static str, &Option<Agreement>); 2] {
    [("T1", &accuracy.from_parts), ("T0", &accuracy.from_facts)]
}

/// The figures of all machines as CSV: a line for each machine, tier and area.
///
/// # Errors
/// When the text cannot be made.
pub fn figures(evaluated: &[Evaluated]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for one in evaluated {
        for (tier, agreement) in tiers(&one.accuracy) {
            for (area, factors, left_out) in agreement.iter().flat_map(lines) {
                let [quarter, half] = factors.within;
                let figures = [factors.median, factors.ninth_decile, quarter, half];
                let counts = [factors.points.to_string(), left_out.to_string()];
                let key = [one.name, tier, area].map(str::to_owned);
                let figures = figures.map(|figure| format!("{figure:.3}"));
                writer.write_record(key.into_iter().chain(counts).chain(figures))?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// All points first, then each area; what is left out is counted over all.
pub(super) fn lines(of: &Agreement) -> Vec<(&str, Factors, usize)> {
    let left_out = of.left_out.iter().map(|(_, count)| count).sum();
    let areas = of.areas.iter().map(|(area, factors)| (area.as_str(), *factors, 0));
    std::iter::once(("all", of.all, left_out)).chain(areas).collect()
}

/// Refuses figures that are worse than those in the tree, unless the environment allows it.
///
/// # Errors
/// When some are worse, each named.
pub fn refuse_worse(root: &Path, new: &str) -> Result<()> {
    let Ok(old) = std::fs::read_to_string(root.join(FIGURES)) else {
        return Ok(());
    };
    let worse = worse(&old, new)?;
    if !worse.is_empty() && std::env::var_os(ALLOW).is_none() {
        bail!(
            "predictions became worse; with a reason for it, set {ALLOW}=1 and write the reason into the commit\n  {}",
            worse.join("\n  ")
        );
    }
    Ok(())
}

type Lines = BTreeMap<[String; 3], BTreeMap<String, f64>>;

fn read(text: &str) -> Result<Lines> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers()?.clone();
    reader
        .records()
        .map(|line| {
            let line = line?;
            let names_of_line = [0, 1, 2].map(|at| line.get(at).unwrap_or_default().to_owned());
            let numbers = names.iter().zip(&line).skip(3);
            let numbers: Result<BTreeMap<String, f64>> = numbers
                .map(|(name, text)| Ok((name.to_owned(), text.parse().with_context(|| text.to_owned())?)))
                .collect();
            Ok((names_of_line, numbers?))
        })
        .collect()
}

/// What is worse in the new figures: each with its old and new value. A line that is gone lost all of its points.
fn worse(old: &str, new: &str) -> Result<Vec<String>> {
    let new = read(new)?;
    let mut found = Vec::new();
    for (key, was) in read(old)? {
        for (name, was) in was {
            let sign = match name.as_str() {
                "median" | "ninth_decile" => 1.0,
                "points" | "within_1.25" | "within_1.5" => -1.0,
                _ => continue,
            };
            let is = new.get(&key).and_then(|line| line.get(&name));
            if is.is_none_or(|is| (is - was) * sign > 0.0) {
                let is = is.map_or_else(|| "gone".to_owned(), ToString::to_string);
                found.push(format!("{}: {name} {was} → {is}", key.join(" ")));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn line(figures: &str) -> String {
        format!("{}\nmachine,T1,os,{figures}\n", COLUMNS.join(","))
    }

    #[test]
    fn a_worse_figure_is_named_and_a_better_one_is_not() {
        let old = line("10,0,1.2,1.6,0.7,0.9");
        for (new, expected) in [
            ("10,0,1.2,1.6,0.7,0.9", None),
            ("11,5,1.1,1.5,0.8,1", None),
            ("9,0,1.2,1.6,0.7,0.9", Some("points 10 → 9")),
            ("10,0,1.21,1.6,0.7,0.9", Some("median 1.2 → 1.21")),
            ("10,0,1.2,inf,0.7,0.9", Some("ninth_decile 1.6 → inf")),
            ("10,0,1.2,1.6,0.699,0.9", Some("within_1.25 0.7 → 0.699")),
            ("10,0,1.2,1.6,0.7,0.8", Some("within_1.5 0.9 → 0.8")),
        ] {
            let found = worse(&old, &line(new)).unwrap();
            let expected: Vec<String> =
                expected.iter().map(|what| format!("machine T1 os: {what}")).collect();
            assert_eq!(found, expected, "{new}");
        }
    }

    #[test]
    fn an_area_that_is_gone_is_worse() {
        let gone = worse(&line("10,0,1.2,1.6,0.7,0.9"), &(COLUMNS.join(",") + "\n")).unwrap();
        assert_eq!(gone.len(), 5);
        assert!(gone.iter().all(|what| what.ends_with("gone")), "{gone:?}");
    }

    #[test]
    fn worse_figures_are_refused_and_better_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        refuse_worse(folder.path(), &line("1,0,9,9,0,0")).unwrap();
        let path = folder.path().join(FIGURES);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, line("10,0,1.2,1.6,0.7,0.9")).unwrap();
        refuse_worse(folder.path(), &line("10,0,1.1,1.6,0.7,0.9")).unwrap();
        let refusal = refuse_worse(folder.path(), &line("10,0,1.3,1.6,0.7,0.9")).unwrap_err();
        assert!(refusal.to_string().contains("median 1.2 → 1.3"), "{refusal}");
    }

    #[test]
    fn the_figures_in_the_tree_are_those_of_the_cards() {
        let there = std::fs::read_to_string(crate::root().join(FIGURES)).unwrap();
        let now = figures(&super::super::evaluate_all().unwrap()).unwrap();
        assert_eq!(there, now, "`cargo xtask generate` writes them, unless they are worse");
    }
}
