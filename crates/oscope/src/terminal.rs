//! What is known of the terminal: its size, whether it is one, whether colour is wanted.

use report::Style;
use std::io::IsTerminal;

/// Width for outputs that are no terminal.
const PLAIN_WIDTH: usize = 120;

/// Columns and lines of the terminal, if standard error or output is one.
pub fn size() -> Option<(usize, usize)> {
    let (columns, lines) = crossterm::terminal::size().ok()?;
    (columns > 0 && lines > 0).then_some((usize::from(columns), usize::from(lines)))
}

/// Width of what goes to standard output.
pub fn width_of_output() -> usize {
    let told = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|&columns| columns > 0);
    let asked = if std::io::stdout().is_terminal() {
        size().map(|(columns, _)| columns)
    } else {
        None
    };
    asked.or(told).unwrap_or(PLAIN_WIDTH).max(20)
}

fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Style of what goes to standard output.
pub fn style_of_output() -> Style {
    Style {
        colour: colour_wanted() && std::io::stdout().is_terminal(),
    }
}

/// Style of what goes to standard error.
pub fn style_of_progress() -> Style {
    Style {
        colour: colour_wanted() && std::io::stderr().is_terminal(),
    }
}
