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

/// How progress is shown.
#[derive(Debug, Clone, Copy)]
enum Display {
    Nothing,
    /// A line from time to time.
    Lines,
    /// A table that is drawn over itself.
    Table(Style),
}

/// Least time between two lines: a log keeps them.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Least time between two drawings: the supervisor must stay out of the way.
const BETWEEN_DRAWINGS: Duration = Duration::from_millis(250);
/// Drawings, with the rows made for them, are this many times their own length apart, so that they take a
/// hundredth of the time: 200 points with 14 000 trials take some 15 ms each time.
const COST_APART: u32 = 100;

/// Shows how far a run has come.
#[derive(Debug)]
pub struct Progress {
    display: Display,
    /// When it will show something again.
    next: Instant,
    /// When it was last asked whether it would show anything, and would.
    asked: Instant,
    /// Lines of the table that are on the terminal.
    drawn: usize,
}

impl Progress {
    /// The progress that suits standard error. Of a blind run it says how far it has come, and shows no value.
    pub fn new(quiet: bool, blind: bool) -> Self {
        let is_live = !blind && std::io::stderr().is_terminal() && terminal::size().is_some();
        let display = match (quiet, is_live) {
            (true, _) => Display::Nothing,
            (false, true) => Display::Table(terminal::style_of_progress()),
            (false, false) => Display::Lines,
        };
        Self::of(display, Instant::now())
    }

    fn of(display: Display, now: Instant) -> Self {
        let next = if matches!(display, Display::Lines) { now + BETWEEN_LINES } else { now };
        Self { display, next, asked: now, drawn: 0 }
    }

    /// What it would show now; asked before every trial.
    pub fn wants(&mut self, now: Instant) -> Wanted {
        match self.display {
            Display::Nothing => Wanted::Nothing,
            _ if now < self.next => Wanted::Nothing,
            Display::Lines => {
                self.next = now + BETWEEN_LINES;
                Wanted::Counts
            }
            Display::Table(_) => {
                self.asked = now;
                Wanted::Rows
            }
        }
    }

    /// Shows it. Progress that nobody can read any more is not worth an end of the run.
    pub fn show(&mut self, state: &LiveState<'_>) {
        match self.display {
            Display::Nothing => {}
            Display::Lines => drop(writeln!(std::io::stderr(), "{}", report::plain_line(state))),
            Display::Table(style) => {
                let (columns, lines) = terminal::size().unwrap_or((80, 24));
                let _ = self.draw(&report::live(state, columns, lines.saturating_sub(1), style));
                self.next = Instant::now() + BETWEEN_DRAWINGS.max(self.asked.elapsed() * COST_APART);
            }
        }
    }

    /// Takes the table away, at the end of the run.
    pub fn finish(&mut self) {
        if matches!(self.display, Display::Table(_)) {
            let _ = self.draw(&[]);
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_has_a_line_every_ten_seconds_whatever_happens_between() {
        let begin = Instant::now();
        let mut lines = Progress::of(Display::Lines, begin);
        let asked = (0..=6_500).map(|hundredth| begin + Duration::from_millis(10 * hundredth));
        let written = asked.filter(|now| lines.wants(*now) == Wanted::Counts).count();
        assert_eq!(written, 6);
    }
}
