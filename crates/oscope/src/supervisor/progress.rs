//! What the user sees while a run goes on: a live table, a line every ten seconds, or nothing.

use crate::terminal;
use crossterm::{QueueableCommand, cursor, terminal::Clear, terminal::ClearType};
use report::{LiveState, Style};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shows how far a run has come.
pub trait Progress {
    /// Whether it would show anything now; asked before the rows are made.
    fn wants(&mut self, round_is_over: bool) -> bool;

    /// Called before every trial and after every round, if it wants to be.
    fn show(&mut self, state: &LiveState<'_>, round_is_over: bool);

    /// Called once, at the end.
    fn finish(&mut self);
}

/// Shows nothing.
#[derive(Debug)]
pub struct Quiet;

impl Progress for Quiet {
    fn wants(&mut self, _: bool) -> bool {
        false
    }

    fn show(&mut self, _: &LiveState<'_>, _: bool) {}

    fn finish(&mut self) {}
}

/// The progress that suits standard error.
pub fn progress_for(quiet: bool) -> Box<dyn Progress> {
    match (
        quiet,
        std::io::stderr().is_terminal() && terminal::size().is_some(),
    ) {
        (true, _) => Box::new(Quiet),
        (false, true) => Box::new(LiveTable {
            style: terminal::style_of_progress(),
            drawn: 0,
            asked: None,
            next: None,
        }),
        (false, false) => Box::new(Lines { next: None }),
    }
}

/// A line from time to time, at the end of a round.
struct Lines {
    /// When it will write again.
    next: Option<Instant>,
}

/// Least time between two lines: a log keeps them.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

impl Progress for Lines {
    fn wants(&mut self, round_is_over: bool) -> bool {
        round_is_over && self.next.is_none_or(|next| Instant::now() >= next)
    }

    fn show(&mut self, state: &LiveState<'_>, _: bool) {
        self.next = Some(Instant::now() + BETWEEN_LINES);
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
    fn wants(&mut self, _: bool) -> bool {
        let now = Instant::now();
        let due = self.next.is_none_or(|next| now >= next);
        if due {
            self.asked = Some(now);
        }
        due
    }

    fn show(&mut self, state: &LiveState<'_>, _: bool) {
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
