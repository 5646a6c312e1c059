//! What a watch shows: its screen or its lines, and its metrics.

use super::exporter::Exporter;
use crate::arguments::{LineForm, Watch as Arguments};
use crate::terminal;
use crossterm::{QueueableCommand, cursor, terminal::Clear, terminal::ClearType};
use std::io::{self, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};
use watch::{
    Change, Output, ScreenSettings, TIME_BASES_S, Watch, json_event, json_interval, plain_event,
    plain_interval, screen,
};

/// Seconds between two drawings that nothing new asks for.
const BETWEEN_DRAWINGS_S: f64 = 1.0;

/// Seconds between two updates of the metrics that are served.
const BETWEEN_METRICS_S: f64 = 2.0;

/// The time base of the first screen.
const FIRST_TIME_BASE: usize = 1;

/// Shows a watch.
pub(super) struct Views {
    /// `None` for the screen.
    form: Option<LineForm>,
    steps: Option<Arc<AtomicIsize>>,
    time_base: usize,
    interval_s: f64,
    next_s: f64,
    /// What keys change and the last drawing shows.
    drawn: (f64, bool),
    exporter: Exporter,
    next_metrics_s: f64,
    next_file_s: f64,
    /// Why nothing more can be shown.
    trouble: Option<io::Error>,
}

impl Views {
    pub(super) fn new(
        arguments: &Arguments,
        is_screen: bool,
        steps: Option<Arc<AtomicIsize>>,
        exporter: Exporter,
    ) -> Self {
        let form = arguments.format.or((!is_screen).then_some(LineForm::Text));
        let interval_s = arguments.interval.as_secs_f64();
        Self {
            form,
            steps,
            time_base: FIRST_TIME_BASE,
            interval_s,
            next_s: if form.is_some() { interval_s } else { 0.0 },
            drawn: (arguments.threshold, false),
            exporter,
            next_metrics_s: 0.0,
            next_file_s: 0.0,
            trouble: None,
        }
    }

    /// Removes the text file; and why nothing could be shown to the end.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        self.exporter.finish()?;
        match self.trouble {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn say(&mut self, line: &str) {
        let written = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
        self.trouble = self.trouble.take().or(written.err());
    }

    fn draw(&mut self, watch: &Watch, is_paused: bool) -> io::Result<()> {
        let steps = self.steps.as_ref().map_or(0, |steps| steps.swap(0, Ordering::Relaxed));
        self.time_base = self.time_base.saturating_add_signed(steps).min(TIME_BASES_S.len() - 1);
        let (width, height) = terminal::size().unwrap_or((80, 24));
        let settings = ScreenSettings {
            width,
            height,
            style: terminal::style_of_output(),
            time_base_s: TIME_BASES_S.get(self.time_base).copied().unwrap_or(TIME_BASES_S[0]),
            is_paused,
            has_keys: self.steps.is_some(),
        };
        let mut out = stdout().lock();
        out.queue(cursor::MoveTo(0, 0))?;
        for (number, line) in screen(watch, &settings).iter().enumerate() {
            out.queue(cursor::MoveTo(0, u16::try_from(number).unwrap_or(u16::MAX)))?;
            write!(out, "{line}")?;
            out.queue(Clear(ClearType::UntilNewLine))?;
        }
        out.queue(Clear(ClearType::FromCursorDown))?;
        out.flush()
    }
}

impl Output for Views {
    fn changed(&mut self, watch: &Watch, change: Change) {
        let (Change::Began(number) | Change::Ended(number)) = change;
        let Some(event) = watch.event(number) else { return };
        match self.form {
            None => self.next_s = 0.0,
            Some(LineForm::Text) => self.say(&plain_event(watch, event)),
            Some(LineForm::Jsonl) => self.say(&json_event(watch, event)),
        }
    }

    fn read(&mut self, _: &Watch, _: usize) {}

    fn tick(&mut self, watch: &Watch, is_paused: bool) {
        let now_s = watch.elapsed_s();
        if now_s >= self.next_metrics_s {
            self.next_metrics_s = now_s + BETWEEN_METRICS_S;
            self.exporter.serve(watch);
        }
        if now_s >= self.next_file_s {
            self.next_file_s = now_s + self.interval_s;
            self.exporter.write(watch);
        }
        let by_keys = (watch.settings.threshold, is_paused);
        let is_asked = self.form.is_none() && by_keys != self.drawn
            || self.steps.as_ref().is_some_and(|steps| steps.load(Ordering::Relaxed) != 0);
        if now_s < self.next_s && !is_asked || self.trouble.is_some() {
            return;
        }
        match self.form {
            None => {
                self.next_s = now_s + BETWEEN_DRAWINGS_S;
                self.drawn = by_keys;
                let drawn = self.draw(watch, is_paused);
                self.trouble = self.trouble.take().or(drawn.err());
            }
            Some(form) => {
                self.next_s = now_s + self.interval_s;
                self.say(&match form {
                    LineForm::Text => plain_interval(watch, self.interval_s),
                    LineForm::Jsonl => json_interval(watch, self.interval_s),
                });
            }
        }
    }
}
