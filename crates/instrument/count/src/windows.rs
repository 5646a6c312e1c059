//! What the plugin counted in each window.

use crate::symbols::folded;
use measure::counting::Label;
use std::collections::BTreeMap;

/// What is counted of each function, in the order of the plugin's columns.
pub const COLUMNS: [&str; 11] = [
    "instructions",
    "called",
    "calls",
    "indirect_calls",
    "locked",
    "serialising",
    "loads",
    "stores",
    "strings",
    "string_turns",
    "string_bytes",
];

/// Counts of a function, or a sum of them.
pub type Columns = [f64; COLUMNS.len()];

/// The function that stands for all user programs.
pub const USER: &str = "[user]";

/// What was counted in one window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Window {
    /// Events of the window as a whole, by their names.
    pub events: BTreeMap<String, f64>,
    /// Functions of the operation.
    pub functions: BTreeMap<String, Columns>,
    /// Instructions of interrupts and kernel threads.
    pub deferred: f64,
}

impl Window {
    /// The sum over the functions that are kept.
    pub fn sum(&self, keep: impl Fn(&str) -> bool) -> Columns {
        let mut sum = Columns::default();
        for (_, columns) in self.functions.iter().filter(|(name, _)| keep(name)) {
            sum.iter_mut().zip(columns).for_each(|(sum, column)| *sum += column);
        }
        sum
    }
}

/// The windows of a boot by point, role, pair and iterations.
pub type Windows = BTreeMap<(usize, bool, usize, u64), Window>;

/// The place of a window.
pub fn place(label: Label) -> (usize, bool, usize, u64) {
    (label.point, label.role == record::Role::Main, label.pair, label.n)
}

/// Reads what the plugin wrote. Lines that are cut off are left out.
pub fn read(text: &str) -> Windows {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut windows = Windows::new();
    let mut current = None;
    for line in text.lines() {
        let Some((kind, rest)) = line.split_once(' ') else { continue };
        match kind {
            "N" => names.extend(rest.split_once(' ')),
            "W" => {
                let mut words = rest.split(' ');
                current = words.next().and_then(Label::parse).map(place);
                let events = words.filter_map(|word| {
                    let (name, count) = word.split_once('=')?;
                    Some((name.to_owned(), count.parse().ok()?))
                });
                let window = Window { events: events.collect(), ..Window::default() };
                windows.extend(current.map(|place| (place, window)));
            }
            "F" | "D" => {
                let window = current.and_then(|place| windows.get_mut(&place));
                let Some((window, (name, columns))) = window.zip(function(rest, &names)) else { continue };
                match kind {
                    "F" => {
                        let sum = window.functions.entry(name.to_owned()).or_default();
                        sum.iter_mut().zip(columns).for_each(|(sum, column)| *sum += column);
                    }
                    _ => window.deferred += columns[0],
                }
            }
            _ => {}
        }
    }
    windows
}

/// A function and its counts.
fn function<'a>(line: &str, names: &BTreeMap<&str, &'a str>) -> Option<(&'a str, Columns)> {
    let mut words = line.split(' ');
    let name = folded(names.get(words.next()?)?);
    let counts: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    Some((name, counts.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use record::Role;

    const TEXT: &str = "\
W 3/m/0/128 syscalls=128 data_lines=25
N 0 [user]
F 0 100 0 1 0 0 0 2 3 0 0 0
N 7 step_into.isra.0
F 7 300 4 5 0 1 0 2 3 1 4096 4096
N 9 step_into
F 9 10 1 0 0 0 0 0 0 0 0 0
D 7 50 1 0 0 0 0 0 0 0 0 0
W 3/m/0/512 syscalls=512
F 7 1200 4 5
";

    #[test]
    fn functions_of_a_window_are_read_with_suffixes_folded() {
        let windows = read(TEXT);
        let first = &windows[&place(Label { point: 3, role: Role::Main, pair: 0, n: 128 })];
        assert_eq!(first.events["data_lines"], 25.0);
        assert_eq!(first.functions["step_into"][..3], [310.0, 5.0, 5.0]);
        assert_eq!(first.deferred, 50.0);
        assert_eq!(first.sum(|name| name != USER)[0], 310.0);
        let cut = &windows[&place(Label { point: 3, role: Role::Main, pair: 0, n: 512 })];
        assert!(cut.functions.is_empty(), "a line that is cut off is no count");
    }

    #[test]
    fn text_that_is_not_of_the_plugin_gives_no_window() {
        assert!(read("W x\nF 1 2\nnothing\n\n").is_empty());
    }
}
