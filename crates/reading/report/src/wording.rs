//! Fitting words into a width: cutting, wrapping, listing. Widths are columns of a terminal.

use quantity::{Quantity, show};
use record::{Breach, Witness};
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Stands for what was cut away.
const ELLIPSIS: char = '…';
/// A list of points names this many before it says how many more there are.
pub(crate) const MOST_NAMED: usize = 4;

/// The verdict on a result whose witness is broken.
pub fn consequence(breach: Breach) -> &'static str {
    match breach {
        Breach::OtherWork => "contradicted",
        Breach::IfConsistent => "contradicted if the trials agree, else noisy",
        Breach::Noise => "noisy",
    }
}

/// A limit of a witness from which on it is none.
const NO_LIMIT: f64 = 1e9;

/// What is expected of a witness per iteration; in an environment it may count more without a limit.
pub(crate) fn expected(witness: &Witness) -> String {
    if witness.low == witness.high {
        count(witness.low)
    } else if witness.high >= NO_LIMIT {
        format!("at least {}", count(witness.low))
    } else {
        format!("{} to {}", count(witness.low), count(witness.high))
    }
}

/// A count as text.
pub(crate) fn count(value: f64) -> String {
    show(value, None, Quantity::Count)
}

/// The text on one line and without what a terminal would obey: records, and the machines that they describe, may hold
/// anything. Ends of lines become spaces; other control characters, and those that turn the direction of writing, become the
/// replacement character.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|letter| match letter {
                '\n' | '\r' | '\t' => ' ',
                letter if is_obeyed(letter) => char::REPLACEMENT_CHARACTER,
                letter => letter,
            })
            .collect(),
    )
}

/// Whether a terminal, or whoever lays out a line, obeys a character instead of showing it.
fn is_obeyed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns that the text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}

/// As much from the front of the text as fits, and the rest.
fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += letter.width().unwrap_or(0);
        if used > width {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Puts a letter into a line, where it has such a column.
pub(crate) fn put(line: &mut [char], column: usize, letter: char) {
    if let Some(free) = line.get_mut(column) {
        *free = letter;
    }
}

/// The text, its end cut off where it is too wide.
pub fn cut_end(text: &str, width: usize) -> String {
    let text = &*printable(text);
    if width_of(text) <= width {
        return text.to_owned();
    }
    match width.checked_sub(1) {
        Some(room) => format!("{}{ELLIPSIS}", split_at_width(text, room).0),
        None => String::new(),
    }
}

/// The text, its middle cut out where it is too wide: names differ at both ends.
pub(crate) fn cut_middle(text: &str, width: usize) -> String {
    let text = &*printable(text);
    let whole = width_of(text);
    if whole <= width || width < 3 {
        return cut_end(text, width);
    }
    let tail = (width - 1) / 2;
    let head = width - 1 - tail;
    let front = split_at_width(text, head).0;
    let mut back = split_at_width(text, whole - tail).1;
    // A wide character on the seam stays out, so that the sum never exceeds the width.
    while width_of(back) > tail {
        let mut letters = back.chars();
        letters.next();
        back = letters.as_str();
    }
    format!("{front}{ELLIPSIS}{back}")
}

/// Which of these names read like another one where they are cut to this width.
pub(crate) fn ambiguous(names: &[&str], width: usize) -> Vec<bool> {
    let cut: Vec<String> = names.iter().map(|name| cut_middle(name, width)).collect();
    let is_ambiguous = |(at, name): (usize, &&str)| {
        let same = |(other, text): (&&str, &String)| *other != *name && Some(text) == cut.get(at);
        names.iter().zip(&cut).any(same)
    };
    names.iter().enumerate().map(is_ambiguous).collect()
}

/// The text in lines of at most this width, broken at spaces, and inside words only where one is too wide.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in printable(text).split_whitespace() {
        let mut rest = word;
        if !lines.last().is_some_and(|line| line.is_empty() || width_of(line) + 1 + width_of(word) <= width) {
            lines.push(String::new());
        }
        // Each turn takes at least one character off the word.
        while !rest.is_empty() {
            let (mut part, mut after) = split_at_width(rest, width);
            if part.is_empty() {
                let one = rest.chars().next().map_or(0, char::len_utf8);
                (part, after) = ("?", rest.split_at(one).1);
            }
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.push_str(part),
                Some(line) if width_of(line) + 1 + width_of(part) <= width => {
                    line.push(' ');
                    line.push_str(part);
                }
                _ => lines.push(part.to_owned()),
            }
            rest = after;
        }
    }
    lines
}

/// The text behind a first prefix, wrapped, with the other lines behind a prefix of their own.
pub(crate) fn hang(first: &str, other: &str, text: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(width_of(first).max(width_of(other)));
    let lines = wrap(text, room);
    let prefixes = std::iter::once(first).chain(std::iter::repeat(other));
    prefixes.zip(lines).map(|(prefix, line)| cut_end(format!("{prefix}{line}").trim_end(), width)).collect()
}

/// Texts behind one another.
pub(crate) fn joined(texts: impl IntoIterator<Item: AsRef<str>>, between: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| text.as_ref().to_owned()).collect();
    texts.join(between)
}

/// Texts behind one another; `None` where there are none.
pub(crate) fn some_joined(texts: impl IntoIterator<Item: AsRef<str>>, between: &str) -> Option<String> {
    let mut texts = texts.into_iter().peekable();
    texts.peek().is_some().then(|| joined(texts, between))
}

/// Names behind one another, only the first `most` when there are more.
pub(crate) fn few(names: &[String], most: usize) -> String {
    let named = joined(names.iter().take(most), ", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// With a capital, unless it begins with a name that is written small (`calls.getpid`), and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.strip_suffix('.').unwrap_or(text);
    let first = text.split([' ', ':', ',']).next().unwrap_or_default();
    let has_inner_capital = first.chars().skip(1).any(char::is_uppercase);
    if first.contains(['.', '_', '(', '`']) || has_inner_capital || WRITTEN_SMALL.contains(&first) {
        return format!("{text}.");
    }
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// Names of programs, of calls and of instructions that are written small at the beginning of a sentence, too, besides ids and
/// those with capitals within (`vDSO`).
const WRITTEN_SMALL: &[&str] = &[
    "bpftrace",
    "brk",
    "clone3",
    "cpuid",
    "cyclictest",
    "dup",
    "eventfd",
    "exec",
    "fallocate",
    "fio",
    "fork",
    "fsync",
    "futex",
    "getcwd",
    "getpid",
    "getppid",
    "getrandom",
    "gettimeofday",
    "getuid",
    "glibc",
    "hdparm",
    "hpet",
    "iperf3",
    "kvm-clock",
    "lfence",
    "likwid-bench",
    "lmbench",
    "mbw",
    "memcpy",
    "memset",
    "mincore",
    "mlock",
    "mmap",
    "mprotect",
    "mremap",
    "multichase",
    "munmap",
    "musl",
    "netperf",
    "osbench",
    "oscope",
    "perf",
    "ping",
    "rdtsc",
    "rdtscp",
    "rustc",
    "semop",
    "sockperf",
    "spawn",
    "stat",
    "stress-ng",
    "sysbench",
    "tinymembench",
    "tsc",
    "unlink",
    "vfork",
    "will-it-scale",
];

/// With a capital, as [`sentence`] has it, without a full stop.
pub fn capital(text: &str) -> String {
    sentence(text).trim_end_matches('.').to_owned()
}

/// A number of things: `1 point`, `3 points`.
pub fn many(number: usize, one: &str) -> String {
    let plural = match number {
        1 => "",
        _ if one.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {one}{plural}", count(number as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_alike_when_cut_are_ambiguous() {
        let names = ["TCP round trip, same CPU", "TCP round/trips, same CPU", "fork"];
        assert_eq!(ambiguous(&names, 30), [false; 3]);
        assert_eq!(ambiguous(&names, 11), [true, true, false]);
    }

    #[test]
    fn sentences_leave_names_as_they_are_written() {
        assert_eq!(sentence("the core was shared"), "The core was shared.");
        assert_eq!(sentence("calls.getpid: none"), "calls.getpid: none.");
        assert_eq!(sentence("few"), "Few.");
        assert_eq!(capital("vDSO copy of the tick"), "vDSO copy of the tick");
        for small in [
            "rustc 1.94, with -O",
            "iperf3 sends blocks",
            "mmap + munmap",
            "clock_gettime",
            "fcntl(F_SETLK) twice",
        ] {
            assert_eq!(capital(small), small);
        }
    }

    fn witness(low: f64, high: f64) -> Witness {
        Witness {
            counter: "switches".to_owned(),
            origin: record::Origin::Trial,
            low,
            high,
            positive: true,
            proves: String::new(),
            breach: Breach::OtherWork,
        }
    }

    #[test]
    fn a_limit_that_is_none_is_not_printed() {
        assert_eq!(expected(&witness(1.0, f64::INFINITY)), "at least 1");
        assert_eq!(expected(&witness(1.0, 1.0)), "1");
        assert_eq!(expected(&witness(1.9, 2.1)), "1.90 to 2.10");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        assert_eq!(printable("a b µ 漢"), "a b µ 漢");
        let hostile = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\r\n\tx\u{202e}y\u{7f}";
        let shown = "\u{fffd}]0;title\u{fffd}\u{fffd}[2J\u{fffd}31m   x\u{fffd}y\u{fffd}";
        assert_eq!(printable(hostile), shown);
        for width in [3, 200] {
            for text in [cut_end(hostile, width), cut_middle(hostile, width), wrap(hostile, width).concat()] {
                assert!(!text.contains(is_obeyed), "{text:?}");
            }
        }
    }

    #[test]
    fn cuts() {
        assert_eq!(cut_end("switch", 6), "switch");
        assert_eq!(cut_end("switch", 4), "swi…");
        assert_eq!(cut_end("switch", 0), "");
        assert_eq!(cut_middle("switch.process.pipe", 9), "swit…pipe");
        assert_eq!(cut_middle("switch", 2), "s…");
        assert_eq!(cut_middle("漢字漢字漢字", 6), "漢…字");
    }

    #[test]
    fn wraps() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh x", 3), ["abc", "def", "gh", "x"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("漢", 1), ["?"]);
        assert_eq!(hang("a: ", "   ", "one two three", 10), ["a: one two", "   three"]);
    }

    #[test]
    fn lists() {
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec();
        assert_eq!(few(&names, 4), "a, b, c, d and 2 more");
        assert_eq!(few(names.get(..4).unwrap_or_default(), 4), "a, b, c, d");
        assert_eq!(many(1, "point"), "1 point");
        assert_eq!(many(3, "batch"), "3 batches");
    }
}
