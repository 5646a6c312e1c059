//! What is known of the terminal: its size, whether it is one, whether colour is wanted.

use report::{Page, Style};
use std::io::{IsTerminal, Write};
use std::num::IntErrorKind;
use std::ops::RangeInclusive;

/// Width for outputs that are no terminal.
pub const PLAIN_WIDTH: usize = 120;

/// Columns and lines of a page: a terminal and the environment may report any number, and a page is made in memory.
const WIDTHS: RangeInclusive<usize> = 20..=1_000;
const MOST_LINES: usize = 1_000;

/// Columns and lines of the terminal, if standard error or output is one.
pub fn size() -> Option<(usize, usize)> {
    let (columns, lines) = crossterm::terminal::size().ok()?;
    let (columns, lines) = (usize::from(columns), usize::from(lines));
    (columns > 0 && lines > 0).then(|| (columns.min(*WIDTHS.end()), lines.min(MOST_LINES)))
}

/// Width of what goes to standard output.
pub fn width_of_output() -> usize {
    let terminal = if std::io::stdout().is_terminal() { size() } else { None };
    match terminal {
        Some((columns, _)) => columns.max(*WIDTHS.start()),
        None => width_from(std::env::var("COLUMNS").ok().as_deref()),
    }
}

/// Lines of what goes to standard output, where that is a terminal.
pub fn height_of_output() -> Option<usize> {
    let terminal = if std::io::stdout().is_terminal() { size() } else { None };
    terminal.map(|(_, lines)| lines)
}

/// The width that the variable COLUMNS asks for, within limits; that of a plain output where it is not a number.
fn width_from(columns: Option<&str>) -> usize {
    let digits = columns.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let asked = match digits.map(str::parse::<usize>) {
        Some(Ok(columns)) => columns,
        // More digits than a number has.
        Some(Err(error)) if *error.kind() == IntErrorKind::PosOverflow => usize::MAX,
        _ => 0,
    };
    if asked == 0 { PLAIN_WIDTH } else { asked.clamp(*WIDTHS.start(), *WIDTHS.end()) }
}

fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether the locale's letters are not those of UTF-8, or the terminal shows only the plainest; the first of
/// the three variables that is set decides (POSIX, 8.2).
fn ascii_only() -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].map(std::env::var);
    let locale = named.into_iter().flatten().find(|locale| !locale.is_empty());
    let term = std::env::var("TERM").unwrap_or_default();
    keeps_to_ascii(&locale.unwrap_or_default(), &term)
}

fn keeps_to_ascii(locale: &str, term: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    term == "dumb" || !(locale.contains("utf-8") || locale.contains("utf8"))
}

/// Style of what goes to standard output.
pub fn style_of_output() -> Style {
    Style { colour: colour_wanted() && std::io::stdout().is_terminal(), ascii: ascii_only() }
}

/// A page for what goes to standard output, by way of this writer.
pub fn page_of_output(out: &mut dyn Write) -> Page<'_> {
    Page::new(width_of_output(), style_of_output(), out).of_height(height_of_output())
}

/// Style of what goes to standard error.
pub fn style_of_progress() -> Style {
    Style { colour: colour_wanted() && std::io::stderr().is_terminal(), ascii: ascii_only() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_of_the_environment_is_bounded() {
        for (columns, width) in [
            (None, PLAIN_WIDTH),
            (Some(""), PLAIN_WIDTH),
            (Some("0"), PLAIN_WIDTH),
            (Some("-5"), PLAIN_WIDTH),
            (Some("wide"), PLAIN_WIDTH),
            (Some("1"), 20),
            (Some("80"), 80),
            (Some("99999999999"), 1_000),
            (Some("18446744073709551615"), 1_000),
            (Some("99999999999999999999999999"), 1_000),
        ] {
            assert_eq!(width_from(columns), width, "{columns:?}");
        }
    }

    #[test]
    fn plots_need_a_locale_with_their_letters() {
        assert!(!keeps_to_ascii("de_DE.UTF-8", "xterm"));
        assert!(!keeps_to_ascii("C.utf8", ""));
        assert!(keeps_to_ascii("C", "xterm"));
        assert!(keeps_to_ascii("", "xterm"));
        assert!(keeps_to_ascii("en_US.UTF-8", "dumb"));
    }
}
