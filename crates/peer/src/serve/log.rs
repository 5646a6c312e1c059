//! One line for each session that ended badly, and no more lines than somebody may want to read.

use std::time::{Duration, Instant};

/// So many lines in so much time; what is more is counted.
const MOST: (u32, Duration) = (20, Duration::from_secs(10));

/// Bytes of a line that are kept.
const LONGEST: usize = 400;

/// Writes lines at a bounded rate.
pub struct Log<'w> {
    write: &'w mut dyn FnMut(&str),
    since: Instant,
    lines: u32,
    left_out: u64,
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Log({} lines, {} left out)", self.lines, self.left_out)
    }
}

impl<'w> Log<'w> {
    /// A log whose lines go there.
    pub fn new(write: &'w mut dyn FnMut(&str)) -> Self {
        Self {
            write,
            since: Instant::now(),
            lines: 0,
            left_out: 0,
        }
    }

    /// Says one thing that happened at this time. Control characters are left out of it.
    pub fn say(&mut self, now: Instant, text: &str) {
        self.turn(now);
        if self.lines >= MOST.0 {
            self.left_out += 1;
            return;
        }
        self.lines += 1;
        let printed: String = text
            .chars()
            .filter(|letter| !letter.is_control())
            .take(LONGEST)
            .collect();
        (self.write)(&printed);
    }

    /// Says how much was left out, when it is time for that.
    pub fn turn(&mut self, now: Instant) {
        if now.saturating_duration_since(self.since) < MOST.1 {
            return;
        }
        (self.since, self.lines) = (now, 0);
        self.conclude();
    }

    /// Whether something was left out that must still be said.
    pub fn is_behind(&self) -> bool {
        self.left_out > 0
    }

    /// Says how much was left out so far.
    pub fn conclude(&mut self) {
        let left_out = std::mem::take(&mut self.left_out);
        if left_out > 0 {
            (self.write)(&format!("and {left_out} more sessions that ended badly"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_in_rate_and_what_is_left_out_is_counted() {
        let mut lines = Vec::new();
        let mut write = |line: &str| lines.push(line.to_owned());
        let mut log = Log::new(&mut write);
        let start = Instant::now();
        for index in 0..1000 {
            log.say(start, &format!("line {index}\n\u{1b}[31m"));
        }
        log.say(start + MOST.1, "later");
        log.conclude();
        assert_eq!(lines.len(), MOST.0 as usize + 2);
        assert_eq!(lines.first().map(String::as_str), Some("line 0[31m"));
        let said = format!("and {} more sessions that ended badly", 1000 - MOST.0);
        assert_eq!(lines.get(MOST.0 as usize), Some(&said));
    }
}
