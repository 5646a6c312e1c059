//! One logarithmic scale for all costs of a screen, a line of characters for each.

use crate::wording::put;

/// The decades of the scale in nanoseconds: from 0.1 ns to 100 ms.
const FIRST: i32 = -1;
const LAST: i32 = 8;

/// The labels of the decades.
pub(crate) const LABELS: [&str; 10] =
    ["0.1 ns", "1", "10", "100", "1 µs", "10", "100", "1 ms", "10", "100 ms"];

/// The characters that a line is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// The measured and the predicted time, and both in one place.
    pub(super) time: [char; 3],
    /// The same for a bandwidth, which stands where the time of a transfer does.
    pub(super) transfer: [char; 3],
    /// What the user predicted of either.
    pub(super) user: char,
    interval: char,
    decade: char,
}

impl Marks {
    /// The characters for a terminal with or without more than ASCII.
    pub(super) fn new(ascii: bool) -> Self {
        match ascii {
            true => Self {
                time: ['*', 'o', '@'],
                transfer: ['#', '=', '%'],
                user: 'u',
                interval: '-',
                decade: '.',
            },
            false => Self {
                time: ['●', '○', '◉'],
                transfer: ['■', '□', '▣'],
                user: '△',
                interval: '─',
                decade: '·',
            },
        }
    }
}

/// What stands on a line, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Costs {
    /// The measured value twice, or the least and the greatest of the states that it may be.
    pub(crate) measured: [f64; 2],
    /// Its interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// The predicted value.
    pub(crate) predicted: Option<f64>,
    /// What the user predicted.
    pub(crate) by_user: Option<f64>,
    /// Whether it is a bandwidth, shown as the time of a transfer.
    pub(crate) is_transfer: bool,
}

/// Where a cost stands, from 0 at the start of the scale to 1 at its end; costs beyond an end stand on it.
pub(crate) fn share(ns: f64) -> f64 {
    let share = (ns.log10() - f64::from(FIRST)) / f64::from(LAST - FIRST);
    // A cost of zero or less lies before the start.
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// The column of a cost on a scale of this width.
fn column(ns: f64, width: usize) -> usize {
    (share(ns) * width.saturating_sub(1) as f64).round() as usize
}

/// The column of each decade.
fn decades(width: usize) -> impl Iterator<Item = usize> {
    (FIRST..=LAST).map(move |decade| column(10f64.powi(decade), width))
}

/// The labels above a scale of this width, as many as have room: first the ends, then those with a unit.
pub(super) fn labels(width: usize) -> String {
    let mut line = vec![' '; width];
    let places: Vec<(usize, &str)> = decades(width).zip(LABELS).collect();
    let (ends, inner): (Vec<_>, Vec<_>) = places.into_iter().partition(|(at, _)| *at == 0 || at + 1 == width);
    let (named, plain): (Vec<_>, Vec<_>) = inner.into_iter().partition(|(_, label)| label.contains(' '));
    for (at, label) in ends.into_iter().chain(named).chain(plain) {
        let length = label.chars().count();
        let start = at.min(width.saturating_sub(length));
        let (before, after) = (start.saturating_sub(1), (start + length + 1).min(width));
        let room = line.get(before..after).unwrap_or_default();
        if length <= width && room.iter().all(|place| *place == ' ') {
            let places = line.iter_mut().skip(start);
            places.zip(label.chars()).for_each(|(place, letter)| *place = letter);
        }
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

/// The line of these costs.
pub(super) fn line(costs: Costs, width: usize, marks: Marks) -> String {
    let mut line = vec![' '; width];
    decades(width).for_each(|at| put(&mut line, at, marks.decade));
    if let Some((low, high)) = costs.interval {
        (column(low, width)..=column(high, width)).for_each(|at| put(&mut line, at, marks.interval));
    }
    let [measured, predicted, both] = if costs.is_transfer { marks.transfer } else { marks.time };
    if let Some(ns) = costs.by_user {
        put(&mut line, column(ns, width), marks.user);
    }
    if let Some(ns) = costs.predicted {
        put(&mut line, column(ns, width), predicted);
    }
    for at in costs.measured.map(|ns| column(ns, width)) {
        let is_both = costs.predicted.is_some_and(|ns| column(ns, width) == at);
        put(&mut line, at, if is_both { both } else { measured });
    }
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(measured: f64, predicted: f64, width: usize) -> String {
        let costs = Costs {
            measured: [measured; 2],
            interval: None,
            predicted: Some(predicted),
            by_user: None,
            is_transfer: false,
        };
        line(costs, width, Marks::new(true))
    }

    #[test]
    fn a_decade_is_as_long_as_another() {
        assert_eq!(drawn(0.1, 1e8, 10), "*........o");
        assert_eq!(drawn(1.0, 1e3, 10), ".*..o.....");
        assert_eq!(drawn(10.0, 10.0, 19), ". . @ . . . . . . .");
    }

    #[test]
    fn costs_beyond_the_scale_stand_on_its_ends() {
        assert_eq!(drawn(1e-9, 1e30, 10), "*........o");
        assert_eq!(drawn(0.0, f64::INFINITY, 10), "@.........");
        assert_eq!(drawn(1.0, 1.0, 0), "");
    }

    #[test]
    fn an_interval_is_a_line() {
        let interval = Some((1e2, 1e4));
        let costs =
            Costs { measured: [1e3; 2], interval, predicted: None, by_user: None, is_transfer: false };
        assert_eq!(line(costs, 10, Marks::new(true)), "...-*-....");
        let bandwidth = Costs { is_transfer: true, predicted: Some(1e6), ..costs };
        assert_eq!(line(bandwidth, 10, Marks::new(true)), "...-#-.=..");
        let with_user = Costs { by_user: Some(1e7), ..costs };
        assert_eq!(line(with_user, 10, Marks::new(true)), "...-*-..u.");
        let of_two_states = Costs { measured: [1e2, 1e4], ..costs };
        assert_eq!(line(of_two_states, 10, Marks::new(true)), "...*-*....");
    }

    #[test]
    fn labels_stand_above_their_decades_and_never_touch() {
        assert_eq!(labels(46), "0.1 ns    10   100  1 µs 10   100  1 ms 100 ms");
        for width in 0..120 {
            assert!(labels(width).chars().count() <= width);
        }
        assert_eq!(labels(24), "0.1 ns    1 µs    100 ms");
    }
}
