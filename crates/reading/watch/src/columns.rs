//! The columns of a watch's screen: which of them fit, how wide they are, and how channels are called in theirs.

use crate::channel::Channel;
use crate::state::Watch;
use quantity::show_percent;
use report::cut_end;

/// Widths of the columns of figures.
const VALUE: usize = 8;
const SHARED: usize = 7;
const USUAL: usize = 14;
/// Narrowest screen that has a column for what is usual; on others it stands in that of the change.
const LEAST_WIDE: usize = 96;
/// Shortest strip that shows something.
const LEAST_STRIP: usize = 8;
/// Narrowest column of names, and widest on a screen of 80 columns.
const LEAST_LABEL: usize = 12;
/// Share below which a share is not zero, and no more is said.
const LEAST_SHARE: f64 = 0.001;

/// The columns of a screen.
pub(crate) struct Columns {
    /// Columns of names.
    pub(crate) label: usize,
    /// Columns of a strip.
    pub(crate) strip: usize,
    /// Widths of the figures that fit, from the left.
    figures: Vec<usize>,
    /// Whether any channel has a history, and whether there is room for it beside the change.
    usual: Option<bool>,
}

impl Columns {
    /// The columns of a screen of this width: what does not fit is left out from the right, as a whole.
    pub(crate) fn fit(watch: &Watch, width: usize) -> Self {
        let has_usual = watch.channels.iter().any(|channel| channel.spec.usual.is_some());
        let usual = has_usual.then_some(width >= LEAST_WIDE);
        let change: &[usize] = match usual {
            None => &[VALUE],
            Some(false) => &[USUAL],
            Some(true) => &[USUAL, VALUE],
        };
        let longest = watch.channels.iter().map(|channel| channel.spec.label.chars().count()).max();
        let label = longest.unwrap_or(0).min(width / 4 + 2).max(LEAST_LABEL);
        let (mut figures, mut strip) = (Vec::new(), width.saturating_sub(label + 1));
        for one in [&[VALUE, VALUE], change, &[SHARED]].concat() {
            let Some(left) = strip.checked_sub(one + 1).filter(|left| *left >= LEAST_STRIP) else { break };
            strip = left;
            figures.push(one);
        }
        Self { label, strip, figures, usual }
    }

    /// The line above the channels.
    pub(crate) fn heading(&self, time_base: &str) -> String {
        let change = if self.usual == Some(false) { "usual, change" } else { "change" };
        let strip = cut_end(time_base, self.strip);
        self.line("channel", &strip, ["median", "p99", "usual", change, "shared"].map(str::to_owned))
    }

    /// A line: a name, a strip, and the figures median, p99, usual, change, shared.
    pub(crate) fn line(&self, label: &str, strip: &str, figures: [String; 5]) -> String {
        let [median, p99, usual, change, shared] = figures;
        let usual = cut_end(&usual, USUAL);
        let change = match self.usual {
            None => vec![change],
            // Where they share a column, what is usual unless there is a change.
            Some(false) => vec![if change.is_empty() { usual } else { change }],
            Some(true) => vec![usual, change],
        };
        let cells = [vec![median, p99], change, vec![shared]].concat();
        let cells = cells.iter().zip(&self.figures).map(|(cell, width)| format!(" {cell:>width$}"));
        let Self { label: width, strip: room, .. } = self;
        format!("{label:<width$} {strip:<room$}{}", cells.collect::<String>())
    }
}

/// A share in the column for it.
pub(crate) fn shared(share: f64) -> String {
    if share > 0.0 && share < LEAST_SHARE { "< 0.1 %".to_owned() } else { show_percent(share) }
}

/// The names of channels within these columns: where the beginnings of several are the same, they are cut and not the ends.
pub(crate) fn labels(channels: &[Channel], width: usize) -> Vec<String> {
    let cut: Vec<String> = channels.iter().map(|channel| cut_end(&channel.spec.label, width)).collect();
    let shown = channels.iter().zip(&cut).map(|(channel, own)| {
        let alike = channels.iter().zip(&cut).filter(|(_, other)| *other == own);
        let alike: Vec<&str> = alike.map(|(channel, _)| channel.spec.label.as_str()).collect();
        if alike.len() == 1 {
            return own.clone();
        }
        let label = channel.spec.label.as_str();
        let common = |other: &&str| label.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let common = alike.iter().filter(|other| **other != label).map(common).min().unwrap_or(0);
        // From the beginning of the word on which they differ.
        let begin = label.get(..common).and_then(|same| same.rfind([' ', '.'])).map_or(0, |at| at + 1);
        cut_end(&format!("…{}", label.get(begin..).unwrap_or_default()), width)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::tests::spec;

    #[test]
    fn names_that_begin_alike_are_cut_where_they_are_the_same() {
        let names = [
            "syscall.getppid method=int80",
            "syscall.getppid method=libc",
            "syscall.getppid method=raw",
            "file.read.sequential cache=hit bytes=4KiB",
            "file.read.sequential cache=hit bytes=64KiB",
            "pipe",
        ];
        let channels = names.map(|name| Channel::new(spec(name, "os")));
        assert_eq!(
            labels(&channels, 22),
            ["…method=int80", "…method=libc", "…method=raw", "…bytes=4KiB", "…bytes=64KiB", "pipe"]
        );
        assert_eq!(labels(&channels, 50), names);
    }

    #[test]
    fn small_shares_fit_their_column() {
        for share in [0.0, 0.000_055, 0.000_999, 0.001, 0.012_34, 0.123_4, 0.999, 1.0] {
            assert!(shared(share).chars().count() <= SHARED, "{}", shared(share));
        }
        assert_eq!([shared(0.000_55), shared(0.0)], ["< 0.1 %", "0 %"]);
    }
}
