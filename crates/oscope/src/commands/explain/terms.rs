//! Words that views print, each with its meaning: codes of mistakes, tiers, verdicts and the words of the glossary.

/// What a code of a mistake, a tier or a verdict means, as views print them.
pub fn term(text: &str) -> Option<String> {
    if let Some(name) = reference::mistake(text) {
        return Some(format!(
            "{text}: {name}. A mistake of measuring that some published figure shows: see 'oscope museum {text}'."
        ));
    }
    let sought = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(text));
    let sought = sought.map_or(text, |(_, word)| word);
    let (word, meaning) = glossary().find(|(word, _)| word.eq_ignore_ascii_case(sought))?;
    Some(format!("{word}: {meaning}"))
}

/// The only place where words are defined.
const GLOSSARY: &str = include_str!("../../../../../docs/GLOSSARY.md");

/// Words of tables, and the words of the glossary that define them.
const ALIASES: [(&str, &str); 6] = [
    ("T0", "tier"),
    ("T1", "tier"),
    ("measured", "verdict"),
    ("skipped", "verdict"),
    ("failed", "verdict"),
    ("shared", "shared core"),
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
        assert!((20..=40).contains(&glossary().count()));
        let shown = ["noisy", "contradicted", "quiet"];
        for word in shown.into_iter().chain(ALIASES.map(|(alias, _)| alias)) {
            assert!(term(word).is_some(), "{word}");
        }
        assert_eq!(term("no such word"), None);
    }
}
