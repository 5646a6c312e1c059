//! What other tools print, read as nanoseconds.

/// Where a tool's figure stands in what it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The number before these words, times so many nanoseconds: `3.201210 usecs/op`.
    Before(&'static str, u32),
    /// The number behind these words, times so many nanoseconds: `Avg:   46`.
    Behind(&'static str, u32),
    /// `stress-ng --metrics-brief`: the rate per second of real time in the line of this stressor.
    Rate(&'static str),
}

/// The time in nanoseconds, if the text holds it.
pub fn nanos(reads: Reads, text: &str) -> Option<f64> {
    let found = match reads {
        Reads::Before(words, unit) => {
            let (before, _) = text.split_once(words)?;
            number(before.split_whitespace().next_back()?)? * f64::from(unit)
        }
        Reads::Behind(words, unit) => {
            let (_, behind) = text.split_once(words)?;
            number(behind.split_whitespace().next()?)? * f64::from(unit)
        }
        Reads::Rate(stressor) => 1e9 / rate(stressor, text)?,
    };
    (found.is_finite() && found > 0.0).then_some(found)
}

/// The fifth number behind the stressor's name: operations, three times, operations per second.
fn rate(stressor: &str, text: &str) -> Option<f64> {
    let mut lines = text
        .lines()
        .filter_map(|line| line.split_once("] ").map(|(_, rest)| rest));
    lines.find_map(|line| {
        let mut words = line.split_whitespace();
        let is_line = words.next() == Some(stressor);
        is_line.then(|| number(words.nth(4)?)).flatten()
    })
}

fn number(word: &str) -> Option<f64> {
    word.trim_end_matches(',').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found() {
        let perf = "     Total time: 0.320 [sec]\n\n       3.201210 usecs/op\n         312381 ops/sec\n";
        assert_eq!(nanos(Reads::Before(" usecs/op", 1_000), perf), Some(3201.21));
        let stress = "stress-ng: info:  [7] setting\nstress-ng: metrc: [7] stressor  bogo ops real time\n\
                      stress-ng: metrc: [7] fork     3510  1.00  0.48  0.49  2000.0  3604.17\n";
        assert_eq!(nanos(Reads::Rate("fork"), stress), Some(500_000.0));
        let cyclic = "T: 0 (23143) P: 2 I:1000 C:    300 Min:     20 Act:   21 Avg:   46 Max:     532\n";
        assert_eq!(nanos(Reads::Behind("Avg:", 1_000), cyclic), Some(46_000.0));
    }

    #[test]
    fn what_is_not_there_is_not_made_up() {
        for reads in [
            Reads::Before(" usecs/op", 1),
            Reads::Behind("Avg", 1),
            Reads::Rate("fork"),
        ] {
            assert_eq!(nanos(reads, "command not found"), None);
        }
        assert_eq!(nanos(Reads::Behind("Avg", 1), "Avg 0"), None);
    }
}
