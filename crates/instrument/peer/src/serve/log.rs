//! The log: one line for each session that failed, at a bounded rate.

use std::time::{Duration, Instant};

/// Rate limit: lines in an interval; further lines are counted.
const RATE_LIMIT: (u32, Duration) = (20, Duration::from_secs(10));

/// Bytes of a line that are kept.
const MAX_LINE: usize = 400;

/// Writes lines at a bounded rate.
pub struct Log<'w> {
    write: &'w mut dyn FnMut(&str),
    since: Instant,
    lines: u32,
    suppressed: u64,
}

impl<'w> Log<'w> {
    /// A log whose lines go there.
    pub fn new(write: &'w mut dyn FnMut(&str)) -> Self {
        Self { write, since: Instant::now(), lines: 0, suppressed: 0 }
    }

    /// Writes a line for something that happened at this time, without control characters.
    pub fn line(&mut self, now: Instant, text: &str) {
        self.turn(now);
        if self.lines >= RATE_LIMIT.0 {
            self.suppressed += 1;
            return;
        }
        self.lines += 1;
        let printed: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_LINE).collect();
        (self.write)(&printed);
    }

    /// Writes how many lines were suppressed, once the interval is over.
    pub fn turn(&mut self, now: Instant) {
        if now.saturating_duration_since(self.since) < RATE_LIMIT.1 {
            return;
        }
        (self.since, self.lines) = (now, 0);
        self.conclude();
    }

    /// Whether suppressed lines must still be reported.
    pub fn has_suppressed(&self) -> bool {
        self.suppressed > 0
    }

    /// Writes how many lines were suppressed so far.
    pub fn conclude(&mut self) {
        let suppressed = std::mem::take(&mut self.suppressed);
        if suppressed > 0 {
            (self.write)(&format!("and {suppressed} more sessions that failed"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_in_rate_and_what_is_suppressed_is_counted() {
        let mut lines = Vec::new();
        let mut write = |line: &str| lines.push(line.to_owned());
        let mut log = Log::new(&mut write);
        let start = Instant::now();
        for index in 0..1000 {
            log.line(start, &format!("line {index}\n\u{1b}[31m"));
        }
        log.line(start + RATE_LIMIT.1, "later");
        log.conclude();
        assert_eq!(lines.len(), RATE_LIMIT.0 as usize + 2);
        assert_eq!(lines.first().map(String::as_str), Some("line 0[31m"));
        let expected = format!("and {} more sessions that failed", 1000 - RATE_LIMIT.0);
        assert_eq!(lines.get(RATE_LIMIT.0 as usize), Some(&expected));
    }
}
