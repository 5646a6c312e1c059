//! How many tests passed and failed, read from what the test programs print.

use std::fmt;

/// Counts over all test programs of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were not run because they are marked `#[ignore]`.
    pub ignored: u64,
}

impl TestCounts {
    /// Adds what a line says, if it is the last line of a test program:
    /// `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
    pub fn add_line(&mut self, line: &str) {
        let counts = line.trim().strip_prefix("test result: ").and_then(|rest| rest.split_once(". "));
        let counts = counts.into_iter().flat_map(|(_, counts)| counts.split("; "));
        for (number, what) in counts.filter_map(|count| count.split_once(' ')) {
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for TestCounts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed() {
        let mut counts = TestCounts::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 9 filtered out; finished in 1.20s",
            "a test that prints 7 passed; 7 failed",
        ] {
            counts.add_line(line);
        }
        assert_eq!(counts, TestCounts { passed: 7, failed: 2, ignored: 1 });
        assert_eq!(counts.to_string(), "7 passed, 2 failed");
    }

    #[test]
    fn truncated_lines_count_nothing() {
        let mut counts = TestCounts::default();
        for line in ["", "test result:", "test result: ok", "test result: ok. passed; x failed"] {
            counts.add_line(line);
        }
        assert_eq!(counts, TestCounts::default());
    }
}
