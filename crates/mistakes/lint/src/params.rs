//! The parameters of a row: `block=4KB order=random trial=3`.

use crate::columns::has_word;
use quantity::parse_bytes;
use std::collections::BTreeMap;

/// Statistics that are the ordinary centre: naming one means the same figure as naming none.
const CENTRES: &str = "mean average avg median typical conclusion summary";
/// Statistics that are an end of the sample.
const EXTREMES: &str = "minimum min maximum max best worst ceiling peak fastest slowest";
/// Statistics that say how far the values of a sample lie apart.
const SPREADS: &str = "stddev cv sd std mdev deviation mad iqr variance";
/// Parameters whose rows are computed from other rows.
const DERIVED: [&str; 6] = ["fit", "ratio", "difference", "per", "part", "bound"];

/// Names and values, in the order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Params(BTreeMap<String, String>);

impl Params {
    /// Reads `name=value` pairs with spaces between; a word without `=` is a name without a value.
    pub fn parse(text: &str) -> Self {
        let words = text.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, "")));
        Self(words.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn pairs(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    pub(crate) fn insert(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// Gives a parameter another name.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        let value = self.0.remove(old);
        self.0.extend(value.map(|value| (new.to_owned(), value)));
    }

    /// A parameter that is a number, or begins with one.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    /// The number of iterations that the figure is of.
    pub(crate) fn iterations(&self) -> Option<f64> {
        self.number("iterations").or(self.number("n"))
    }

    /// The order in which a file or memory is accessed.
    pub(crate) fn access(&self) -> Option<&str> {
        self.get("access").or(self.get("order"))
    }

    /// A parameter that is a size, in bytes.
    pub(crate) fn bytes(&self, name: &str) -> Option<f64> {
        // Sizes of files and buffers are printed as `4KB` where 4096 is meant; the factor hardly matters here.
        let bytes = parse_bytes(&self.get(name)?.replace("KB", "kB")).ok()?;
        Some(bytes.bytes() as f64)
    }

    /// Without this parameter.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let kept = self.0.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        Self(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// What was measured, without the number of the trial and the name of the centre.
    pub(crate) fn essence(&self) -> Self {
        match self.get("statistic") {
            Some(statistic) if has_word(CENTRES, statistic) => {
                self.without(&["trial", "trials", "statistic"])
            }
            _ => self.without(&["trial", "trials"]),
        }
    }

    pub(crate) fn is_trial(&self) -> bool {
        self.has("trial")
    }

    pub(crate) fn is_derived(&self) -> bool {
        DERIVED.iter().any(|name| self.has(name))
    }

    pub(crate) fn is_extreme(&self) -> bool {
        self.get("statistic").is_some_and(|word| has_word(EXTREMES, word))
    }

    pub(crate) fn is_spread(&self) -> bool {
        self.get("statistic").is_some_and(|word| has_word(SPREADS, word))
    }

    /// Whether the figure is a centre of the sample: not computed from other rows, not an end or another statistic.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_derived() && !self.essence().has("statistic")
    }

    pub(crate) fn contains_all(&self, other: &Self) -> bool {
        other.0.iter().all(|(name, value)| self.0.get(name) == Some(value))
    }

    /// The text of the parameters.
    pub fn text(&self) -> String {
        self.0
            .iter()
            .map(|(name, value)| match value.as_str() {
                "" => name.clone(),
                _ => format!("{name}={value}"),
            })
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_by_name() {
        let params = Params::parse("order=random  block=4KB trial=3 alone");
        assert_eq!(params.text(), "alone block=4KB order=random trial=3");
        assert_eq!(params.bytes("block"), Some(4000.0));
        assert_eq!(params.number("trial"), Some(3.0));
        assert_eq!(params.essence().text(), "alone block=4KB order=random");
    }

    #[test]
    fn mean_is_plain_and_maximum_is_not() {
        assert!(Params::parse("statistic=mean trials=10").is_plain());
        assert_eq!(Params::parse("statistic=mean trials=10").essence(), Params::default());
        assert!(!Params::parse("statistic=maximum").is_plain());
        assert!(Params::parse("statistic=maximum").is_extreme());
        assert!(!Params::parse("fit=slope").is_plain());
    }
}
