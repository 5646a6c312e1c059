//! Counts by a named cause or reason, bounded however many different ones a run brings forth.

/// Different causes that are kept apart; later ones are counted together.
const MOST_NAMES: usize = 16;
/// What later ones are called.
const OTHERS: &str = "other causes";

/// Counts by name, in the order of first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Vec<(String, usize)>);

impl Tally {
    /// Counts `times` more under this name.
    pub(crate) fn add(&mut self, name: &str, times: usize) {
        if times == 0 {
            return;
        }
        let room = self.0.len() < MOST_NAMES || self.0.iter().any(|(known, _)| known == name);
        let name = if room { name } else { OTHERS };
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += times,
            None => self.0.push((name.to_owned(), times)),
        }
    }

    /// All counts together.
    pub(crate) fn total(&self) -> usize {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The name counted most often, the earliest of several.
    pub(crate) fn most(&self) -> Option<(&str, usize)> {
        let best = self.0.iter().map(|(_, count)| *count).max()?;
        self.iter().find(|&(_, count)| count == best)
    }

    /// Every name with its count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(name, count)| (name.as_str(), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_is_named() {
        let mut tally = Tally::default();
        assert_eq!(tally.most(), None);
        tally.add("a", 1);
        tally.add("b", 2);
        tally.add("c", 2);
        tally.add("d", 0);
        assert_eq!(tally.most(), Some(("b", 2)));
        assert_eq!(tally.total(), 5);
        assert_eq!(tally.iter().count(), 3);
    }

    #[test]
    fn any_number_of_names_stays_bounded() {
        let mut tally = Tally::default();
        (0..1000).for_each(|at| tally.add(&format!("reason {at}"), 1));
        assert_eq!(tally.iter().count(), MOST_NAMES + 1);
        assert_eq!(tally.total(), 1000);
    }
}
