//! Words that views print, each with its meaning: codes of mistakes, tiers, verdicts and the words of the glossary.

use crate::commands::help::without_marks;
use analysis::exhibits;
use reference::Mistake;

/// What a code of a mistake, a tier, a verdict or a word of the glossary means, in paragraphs.
pub fn term(text: &str) -> Option<Vec<String>> {
    if let Some(mistake) = reference::find_mistake(&text.to_uppercase()) {
        return Some(places_of_mistake(mistake));
    }
    let sought = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(text));
    let sought = sought.map_or(text, |(_, word)| word);
    let (word, meaning) = glossary().find(|(word, _)| word.eq_ignore_ascii_case(sought))?;
    let of = if word.eq_ignore_ascii_case(text) { String::new() } else { format!(" ({word})") };
    let typed = if of.is_empty() { word } else { text };
    Some(vec![format!("{typed}{of}: {meaning}")])
}

/// The page of mistakes, with a row for each code.
const MISTAKES: &str = include_str!("../../../../../docs/MISTAKES.md");

/// How many columns of a row the first paragraph says.
const SAID: usize = 3;

/// A mistake of measuring, what guards against it, and where it is shown.
fn places_of_mistake(mistake: &Mistake) -> Vec<String> {
    let Mistake { code, name, theme } = mistake;
    let mut paragraphs = vec![
        format!("{code}: {name}. A mistake of measuring ({}).", theme.name),
        format!("Guards in oscope: {}.", theme.guard),
    ];
    let mut rows = MISTAKES.lines().map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect());
    let titles: Vec<&str> = rows.find(|row: &Vec<&str>| row.first() == Some(&"code")).unwrap_or_default();
    let places = rows.find(|row| row.first() == Some(code)).unwrap_or_default();
    if exhibits().any(|exhibit| exhibit.codes.contains(code)) {
        let text =
            format!("What to do: 'oscope museum {code}' measures it on this machine, wrong beside right.");
        paragraphs.push(text);
    } else {
        paragraphs.push(format!(
            "What to do: check a table for it with 'oscope lint FILE'; measure with 'oscope run', which has the guards above \
             ({code} is in 'oscope help mistakes')."
        ));
    }
    for (title, place) in titles.iter().zip(places).skip(SAID).filter(|(_, place)| !place.is_empty()) {
        paragraphs.push(format!("{}: {}.", report::capital(title), without_marks(place)));
    }
    paragraphs
}

/// The only place where words are defined.
const GLOSSARY: &str = include_str!("../../../../../docs/GLOSSARY.md");

/// Words of tables, and the words of the glossary that define them.
const ALIASES: [(&str, &str); 50] = [
    ("noise", "noisy"),
    ("T0", "tier"),
    ("T1", "tier"),
    ("measured", "verdict"),
    ("skipped", "verdict"),
    ("failed", "verdict"),
    ("shared", "shared core"),
    ("set aside", "excluded"),
    ("tasks", "other tasks"),
    ("disturbed", "other tasks"),
    ("states", "several states"),
    ("modes", "several states"),
    ("trials", "too few trials"),
    ("good", "trust"),
    ("fair", "trust"),
    ("poor", "trust"),
    ("~", "noisy"),
    ("awake", "awake CPU"),
    ("best", "best value"),
    ("p50", "percentile"),
    ("p99", "percentile"),
    ("tails", "tail"),
    ("cores shared", "shared core"),
    ("mitigations", "mitigation"),
    ("retpoline", "mitigation"),
    ("undecided", "not decided"),
    ("moved", "placement"),
    ("sd", "deviation"),
    ("±", "interval"),
    ("outlier", "deviation"),
    ("outliers", "deviation"),
    ("drifting", "drift"),
    ("narrow", "interval"),
    ("wide", "interval"),
    ("wider", "interval"),
    ("guess", "tier"),
    ("nominal", "nominal clock"),
    ("°", "reference clock"),
    ("as the clock ran", "reference clock"),
    ("faster", "slower"),
    ("response time", "service time"),
    ("●", "signs"),
    ("○", "signs"),
    ("◉", "signs"),
    ("■", "signs"),
    ("□", "signs"),
    ("▣", "signs"),
    ("△", "signs"),
    ("─", "signs"),
    ("|", "several states"),
];

/// The words of the glossary with their meaning, without the words that are not used.
fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = GLOSSARY.lines().skip(1).take_while(|line| !line.starts_with('#'));
    let cells = lines.filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    cells.filter(|(word, _)| *word != "word" && !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_tables_are_those_of_the_glossary() {
        assert!((20..=80).contains(&glossary().count()));
        let shown = ["noisy", "contradicted", "quiet", "trust", "ratio", "drift", "quota", "deviation"];
        for word in shown.into_iter().chain(ALIASES.map(|(alias, _)| alias)) {
            assert!(term(word).is_some(), "{word}");
        }
        assert_eq!(term("no such word"), None);
    }

    #[test]
    fn words_of_the_screen_say_what_to_do() {
        let words = [
            "poor",
            "fair",
            "good",
            "wide",
            "drifting",
            "changed",
            "not decided",
            "next run",
            "cores shared",
            "~",
            "states",
        ];
        for word in words.into_iter().chain(["retpoline", "mitigation"]) {
            let said = term(word).unwrap_or_default().join("\n");
            assert!(said.contains("What to do"), "{word}: {said}");
        }
    }

    #[test]
    fn code_says_where_the_mistake_is_shown() {
        let unpinned = term("e38").unwrap_or_default().join("\n");
        for part in [
            "E38: hand-off between CPUs",
            "Guards in oscope: placement",
            "What to do: ",
            "Flawed method: switch.",
            "caught by: `actors.cpus`",
        ] {
            assert!(unpinned.contains(part), "{part}: {unpinned}");
        }
        assert!(!unpinned.contains("]("), "{unpinned}");
    }
}
