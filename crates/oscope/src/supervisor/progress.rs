//! What the user sees while a run goes on: a live table, a line every ten seconds, or nothing.

use crate::terminal;
use crossterm::{QueueableCommand, cursor, terminal::Clear, terminal::ClearType};
use report::{LiveState, Style};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// What a display needs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing: it would not show it.
    Nothing,
    /// How far the run has come.
    Counts,
    /// That, and the rows as they stand, which take a while.
    Rows,
}

/// Shows how far a run has come.
pub trait Progress {
    /// What it would show now; asked before every trial.
    fn wants(&mut self, now: Instant) -> Wanted;

    /// Shows it.
    fn show(&mut self, state: &LiveState<'_>);

    /// Called once, at the end.
    fn finish(&mut self);
}

/// Shows nothing.
#[derive(Debug)]
pub struct Quiet;

impl Progress for Quiet {
    fn wants(&mut self, _: Instant) -> Wanted {
        Wanted::Nothing
    }

    fn show(&mut self, _: &LiveState<'_>) {}

    fn finish(&mut self) {}
}

/// The progress that suits standard error.
/// Of a blind run it says how far it has come, and shows no value.
pub fn progress_for(quiet: bool, blind: bool) -> Box<dyn Progress> {
    match (quiet, !blind && std::io::stderr().is_terminal() && terminal::size().is_some()) {
        (true, _) => Box::new(Quiet),
        (false, true) => {
            Box::new(LiveTable { style: terminal::style_of_progress(), drawn: 0, asked: None, next: None })
        }
        (false, false) => Box::new(Lines::from(Instant::now())),
    }
}

/// A line from time to time.
struct Lines {
    /// When it will write again.
    next: Instant,
}

/// Least time between two lines: a log keeps them.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

impl Lines {
    /// Lines of a run that begins now.
    fn from(now: Instant) -> Self {
        Self { next: now + BETWEEN_LINES }
    }
}

impl Progress for Lines {
    fn wants(&mut self, now: Instant) -> Wanted {
        if now < self.next {
            return Wanted::Nothing;
        }
        self.next = now + BETWEEN_LINES;
        Wanted::Counts
    }

    fn show(&mut self, state: &LiveState<'_>) {
        // Progress that nobody can read any more is not worth an end of the run.
        let _ = writeln!(std::io::stderr(), "{}", report::plain_line(state));
    }

    fn finish(&mut self) {}
}

/// A table that is drawn over itself.
struct LiveTable {
    style: Style,
    drawn: usize,
    /// When it was last asked whether it would show anything, and would.
    asked: Option<Instant>,
    /// When it will draw again.
    next: Option<Instant>,
}

/// Least time between two drawings: the supervisor must stay out of the way.
const BETWEEN: Duration = Duration::from_millis(250);
/// Drawings, with the rows made for them, are this many times their own length apart, so that they take a
/// hundredth of the time: 200 points with 14 000 trials take some 15 ms each time.
const COST_APART: u32 = 100;

impl LiveTable {
    fn draw(&mut self, lines: &[String]) -> std::io::Result<()> {
        let mut out = std::io::stderr().lock();
        if self.drawn > 0 {
            out.queue(cursor::MoveUp(u16::try_from(self.drawn).unwrap_or(u16::MAX)))?;
        }
        for line in lines {
            write!(out, "\r{line}")?;
            out.queue(Clear(ClearType::UntilNewLine))?;
            writeln!(out)?;
        }
        out.queue(Clear(ClearType::FromCursorDown))?;
        self.drawn = lines.len();
        out.flush()
    }
}

impl Progress for LiveTable {
    fn wants(&mut self, now: Instant) -> Wanted {
        if self.next.is_some_and(|next| now < next) {
            return Wanted::Nothing;
        }
        self.asked = Some(now);
        Wanted::Rows
    }

    fn show(&mut self, state: &LiveState<'_>) {
        let (columns, lines) = terminal::size().unwrap_or((80, 24));
        let lines = report::live(state, columns, lines.saturating_sub(1), self.style);
        // As above: a terminal that is gone does not end the run.
        let _ = self.draw(&lines);
        let cost = self.asked.map_or(Duration::ZERO, |asked| asked.elapsed());
        self.next = Some(Instant::now() + BETWEEN.max(cost * COST_APART));
    }

    fn finish(&mut self) {
        let _ = self.draw(&[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_has_a_line_every_ten_seconds_whatever_happens_between() {
        let begin = Instant::now();
        let mut lines = Lines::from(begin);
        let asked = (0..=6_500).map(|hundredth| begin + Duration::from_millis(10 * hundredth));
        let written = asked.filter(|now| lines.wants(*now) == Wanted::Counts).count();
        assert_eq!(written, 6);
    }
}
