//! The terminal of a watch: its screen for as long as the watch lasts, and the keys that are pressed.

use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use std::io::{IsTerminal, Read, stdin, stdout};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};
use sys::supervision::{Waited, wait_readable};
use watch::Action;

/// Control and C, which is no signal on a terminal whose keys are read one by one.
const CONTROL_C: u8 = 3;

/// Whether standard output is a terminal that has a size.
pub(super) fn has_screen() -> bool {
    stdout().is_terminal() && crate::terminal::size().is_some()
}

/// The keys.
pub(super) struct Keys {
    is_screen: bool,
    are_read: bool,
    /// Steps of the time base that were asked for and are not taken yet.
    steps: Arc<AtomicIsize>,
}

impl Keys {
    /// No screen, and no keys.
    pub(super) fn none() -> Self {
        Self { is_screen: false, are_read: false, steps: Arc::default() }
    }

    /// The screen and the keys of the terminal, if standard output is one.
    pub(super) fn of_terminal() -> Self {
        let is_screen = has_screen();
        let are_read = is_screen && stdin().is_terminal() && enable_raw_mode().is_ok();
        if is_screen {
            let _ = execute!(stdout(), EnterAlternateScreen, cursor::Hide);
        }
        Self { is_screen, are_read, steps: Arc::default() }
    }

    pub(super) fn is_screen(&self) -> bool {
        self.is_screen
    }

    /// The steps of the time base, for who draws; `None` where no keys are read.
    pub(super) fn are_read(&self) -> Option<Arc<AtomicIsize>> {
        self.are_read.then(|| Arc::clone(&self.steps))
    }

    /// Waits for a key, for this descriptor, or for these seconds.
    pub(super) fn wait(&mut self, descriptor: i32, seconds: f64) -> Option<Action> {
        let input = if self.are_read { stdin().as_raw_fd() } else { -1 };
        // Rounded up: a wait of a fraction of a millisecond would be none.
        let milliseconds = (seconds * 1e3).ceil().clamp(0.0, 60_000.0) as i32;
        let Waited::Ready([_, true]) = wait_readable([descriptor, input], milliseconds) else { return None };
        let mut typed = [0; 16];
        let length = stdin().lock().read(&mut typed).unwrap_or(0);
        if length == 0 {
            self.are_read = false;
            return None;
        }
        typed.iter().take(length).find_map(|key| self.press(*key))
    }

    fn press(&self, key: u8) -> Option<Action> {
        let step = |by: isize| {
            self.steps.fetch_add(by, Ordering::Relaxed);
            Some(Action::Redraw)
        };
        match key {
            b'q' | b'Q' | CONTROL_C => Some(Action::Stop),
            b' ' | b'p' => Some(Action::Pause),
            b'+' | b'=' => step(1),
            b'-' | b'_' => step(-1),
            b't' => Some(Action::ThresholdDown),
            b'T' => Some(Action::ThresholdUp),
            _ => None,
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if self.is_screen {
            let _ = execute!(stdout(), LeaveAlternateScreen, cursor::Show);
        }
        if self.are_read {
            let _ = disable_raw_mode();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stop_pause_and_step() {
        let keys = Keys::none();
        let pressed = b"q\x03 +-+xtT".map(|key| keys.press(key));
        let redraw = Some(Action::Redraw);
        assert_eq!(
            pressed,
            [
                Some(Action::Stop),
                Some(Action::Stop),
                Some(Action::Pause),
                redraw,
                redraw,
                redraw,
                None,
                Some(Action::ThresholdDown),
                Some(Action::ThresholdUp)
            ]
        );
        assert_eq!(keys.steps.load(Ordering::Relaxed), 1);
    }
}
