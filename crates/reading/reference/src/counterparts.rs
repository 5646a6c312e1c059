//! Which published figures are compared with which operation.

mod table;

use crate::{Figure, ReferenceError, figures, has_parameters};
use std::sync::LazyLock;

/// A published operation that measured the same as one of the program's, by the same or a similar method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterpart {
    /// The operation as the data names it.
    pub published: &'static str,
    /// Parameters that the row must have, with spaces between; empty for any.
    pub with: &'static str,
    /// The operation of the program.
    pub operation: &'static str,
    /// The only point that compares; empty where the whole operation does.
    pub point: &'static str,
}

static COUNTERPARTS: LazyLock<Vec<Counterpart>> = LazyLock::new(|| lines().filter_map(parse).collect());

fn lines() -> impl Iterator<Item = &'static str> {
    table::TABLE.lines().filter(|line| !line.starts_with('#'))
}

fn parse(line: &'static str) -> Option<Counterpart> {
    let named = |side: &'static str| side.split_once(' ').unwrap_or((side, ""));
    let (figures, points) = line.split_once(" = ")?;
    let ((published, with), (operation, point)) = (named(figures), named(points));
    Some(Counterpart { published, with, operation, point })
}

/// Every counterpart.
pub fn counterparts() -> impl Iterator<Item = &'static Counterpart> + Clone {
    COUNTERPARTS.iter()
}

impl Counterpart {
    /// Whether it is the counterpart of a figure.
    pub fn matches(&self, figure: &Figure) -> bool {
        self.published == figure.operation && has_parameters(&figure.parameter, self.with)
    }

    /// Whether it compares with a point of its operation.
    pub fn is_of(&self, point: &str) -> bool {
        self.point.is_empty() || self.point == point
    }
}

/// What the reports say of an operation: their results without the single trials, sorted from small to large; rows
/// that only derive something (slopes, ratios, bounds) are left out, and so are repeated figures.
pub fn beside<'f>(all: &'f [Figure], operation: &str) -> Vec<&'f Figure> {
    let counterparts = counterparts().filter(|counterpart| counterpart.operation == operation);
    let stands = |figure: &Figure| counterparts.clone().any(|counterpart| counterpart.matches(figure));
    let tells = |figure: &Figure| !figure.is_trial() && is_plain(figure) && figure.result().is_some();
    let mut found: Vec<&Figure> = all.iter().filter(|figure| stands(figure) && tells(figure)).collect();
    let value = |figure: &Figure| figure.result().map_or(0.0, |shown| shown.value);
    found.sort_by(|a, b| value(a).total_cmp(&value(b)));
    found.dedup_by(|a, b| {
        a.report == b.report && alike(a, b) && (value(a) / value(b) - 1.0).abs() < SAME_FIGURE
    });
    found
}

/// The same of all figures that the program carries.
///
/// # Errors
/// When the data that the program carries cannot be read.
pub fn of_operation(operation: &str) -> Result<Vec<Figure>, ReferenceError> {
    let all = figures()?;
    Ok(beside(&all, operation).into_iter().cloned().collect())
}

/// A summary repeats a figure with fewer digits.
const SAME_FIGURE: f64 = 0.01;

fn alike(a: &Figure, b: &Figure) -> bool {
    let centre = |figure: &Figure| figure.parameter.is_empty() || figure.parameter.contains("statistic=mean");
    a.operation == b.operation && (a.parameter == b.parameter || centre(a) || centre(b))
}

/// Not derived from other rows.
fn is_plain(figure: &Figure) -> bool {
    let derived =
        ["fit=", "ratio=", "difference=", "per=", "part=", "statistic=bound", "statistic=filter", "net="];
    !derived.iter().any(|word| figure.parameter.contains(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_counterpart_has_figures() {
        assert_eq!(counterparts().count(), lines().count());
        let all = figures().unwrap();
        for counterpart in counterparts() {
            assert!(all.iter().any(|figure| counterpart.matches(figure)), "{counterpart:?}");
        }
    }

    #[test]
    fn a_figure_matches_by_all_its_parameters() {
        let all = figures().unwrap();
        let remote = counterparts().find(|counterpart| counterpart.with == "bytes=64 peer=remote").unwrap();
        let held: Vec<&Figure> = all.iter().filter(|figure| remote.matches(figure)).collect();
        assert!(!held.is_empty());
        assert!(
            held.iter()
                .all(|figure| figure.operation == "round_trip.tcp" && figure.parameter.contains("remote"))
        );
        assert!(remote.is_of("path=remote bytes=64B") && !remote.is_of("path=loopback cpu=same bytes=64B"));
    }

    #[test]
    fn figures_of_an_operation_are_sorted_and_unique() {
        let said = of_operation("switch.process.pipe").unwrap();
        let texts: Vec<String> = said
            .iter()
            .map(|figure| format!("{} {}", figure.report, figure.result().unwrap().text()))
            .collect();
        assert_eq!(texts, ["R2 1.39 µs", "R1 6.62 µs"]);
        assert!(of_operation("noise.gaps").unwrap().is_empty());
    }
}
