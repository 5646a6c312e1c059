//! Counts by a cause, bounded however many different ones a run brings forth.

/// Different causes that are kept apart; later ones are only counted.
const MOST_CAUSES: usize = 16;

/// Counts by cause, in the order of first appearance.
#[derive(Debug, Clone)]
pub(crate) struct Tally<T> {
    counts: Vec<(T, usize)>,
    others: usize,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            others: 0,
        }
    }
}

impl<T: PartialEq> Tally<T> {
    /// Counts `times` more of this cause.
    pub(crate) fn add(&mut self, cause: T, times: usize) {
        if times == 0 {
            return;
        }
        let is_full = self.counts.len() >= MOST_CAUSES;
        match self.counts.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, count)) => *count += times,
            None if is_full => self.others += times,
            None => self.counts.push((cause, times)),
        }
    }

    /// All counts together.
    pub(crate) fn total(&self) -> usize {
        self.others + self.iter().map(|(_, count)| count).sum::<usize>()
    }

    /// The cause counted most often, the earliest of several.
    pub(crate) fn most(&self) -> Option<(&T, usize)> {
        let best = self.iter().map(|(_, count)| count).max()?;
        self.iter().find(|&(_, count)| count == best)
    }

    /// Every cause that is kept apart, with its count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&T, usize)> {
        self.counts.iter().map(|(cause, count)| (cause, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_frequent_cause_is_found() {
        let mut tally = Tally::default();
        assert_eq!(tally.most(), None);
        tally.add("a", 1);
        tally.add("b", 2);
        tally.add("c", 2);
        tally.add("d", 0);
        assert_eq!(tally.most(), Some((&"b", 2)));
        assert_eq!(tally.total(), 5);
        assert_eq!(tally.iter().count(), 3);
    }

    #[test]
    fn any_number_of_causes_stays_bounded() {
        let mut tally = Tally::default();
        (0..1000).for_each(|at| tally.add(format!("reason {at}"), 1));
        assert_eq!(tally.iter().count(), MOST_CAUSES);
        assert_eq!(tally.total(), 1000);
    }
}
