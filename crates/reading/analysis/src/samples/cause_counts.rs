//! Counts by cause, bounded however many different causes a run has.

/// Different causes that are kept apart; later ones are only counted.
const MOST_CAUSES: usize = 16;

/// Counts by cause, in the order of first appearance.
#[derive(Debug, Clone)]
pub(crate) struct CauseCounts<T> {
    counts: Vec<(T, usize)>,
    others: usize,
}

impl<T> Default for CauseCounts<T> {
    fn default() -> Self {
        Self { counts: Vec::new(), others: 0 }
    }
}

impl<T: PartialEq> CauseCounts<T> {
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

    /// Counts one less of this cause, if it is kept apart.
    pub(crate) fn remove(&mut self, cause: &T) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(known, _)| known == cause) {
            *count = count.saturating_sub(1);
        }
        self.counts.retain(|(_, count)| *count > 0);
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
        let mut counts = CauseCounts::default();
        assert_eq!(counts.most(), None);
        counts.add("a", 1);
        counts.add("b", 2);
        counts.add("c", 2);
        counts.add("d", 0);
        assert_eq!(counts.most(), Some((&"b", 2)));
        assert_eq!(counts.total(), 5);
        assert_eq!(counts.iter().count(), 3);
    }

    #[test]
    fn any_number_of_causes_stays_bounded() {
        let mut counts = CauseCounts::default();
        (0..1000).for_each(|at| counts.add(format!("reason {at}"), 1));
        assert_eq!(counts.iter().count(), MOST_CAUSES);
        assert_eq!(counts.total(), 1000);
    }
}
