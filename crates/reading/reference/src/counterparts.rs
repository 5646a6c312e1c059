//! Which published figures are compared with which operation.

mod table;

use crate::{Figure, ReferenceError, figures, has_parameters};
use std::sync::LazyLock;

/// A published operation that measured the same as one of the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterpart {
    /// The only report that is meant; empty for any.
    pub report: &'static str,
    /// The operation as the data names it.
    pub published: &'static str,
    /// Parameters that the row must have or, as `!name`, must not have, with spaces between; empty for any.
    pub with: &'static str,
    /// The operation of the program.
    pub operation: &'static str,
    /// The only point that compares; with `*` at its end all points with these parameters; empty where the whole operation
    /// does.
    pub point: &'static str,
    /// How its method stands to that of the report.
    pub likeness: Likeness,
}

/// How the method of an operation stands to that of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// The report's own method, or one like it.
    Own,
    /// The report does not say all of its method; it is probably this one.
    Probable,
    /// The same is measured by another method.
    Other,
}

/// The signs of the table.
const SIGNS: [(&str, Likeness); 3] =
    [(" = ", Likeness::Own), (" ? ", Likeness::Probable), (" ~ ", Likeness::Other)];

static COUNTERPARTS: LazyLock<Vec<Counterpart>> = LazyLock::new(|| lines().filter_map(parse).collect());

fn lines() -> impl Iterator<Item = &'static str> {
    table::TABLE.lines().filter(|line| !line.starts_with('#'))
}

fn parse(line: &'static str) -> Option<Counterpart> {
    let named = |side: &'static str| side.split_once(' ').unwrap_or((side, ""));
    let (likeness, (figures, points)) =
        SIGNS.into_iter().find_map(|(sign, likeness)| Some((likeness, line.split_once(sign)?)))?;
    let (report, figures) = if figures.starts_with('R') { figures.split_once(' ')? } else { ("", figures) };
    let ((published, with), (operation, point)) = (named(figures), named(points));
    Some(Counterpart { report, published, with, operation, point, likeness })
}

/// Every counterpart.
pub fn counterparts() -> impl Iterator<Item = &'static Counterpart> + Clone {
    COUNTERPARTS.iter()
}

impl Counterpart {
    /// Whether it is the counterpart of a figure.
    pub fn matches(&self, figure: &Figure) -> bool {
        (self.report.is_empty() || self.report == figure.report)
            && self.published == figure.operation
            && has_parameters(&figure.parameter, self.with)
    }

    /// Whether it compares with a point of its operation.
    pub fn is_of(&self, point: &str) -> bool {
        match self.point.strip_suffix('*') {
            Some(parameters) => has_parameters(point, parameters),
            None => self.point.is_empty() || self.point == point,
        }
    }

    /// Its operation and point, as they are typed.
    pub fn id(&self) -> String {
        let shown = self.point.split(' ').filter(|word| *word != "*" && !word.starts_with('!'));
        std::iter::once(self.operation).chain(shown).collect::<Vec<&str>>().join(" ").trim_end().to_owned()
    }
}

/// How an operation beside which a figure stands measures it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// By the method of the report, or one like it.
    Own,
    /// Probably by that of the report, which does not say all of it.
    Probable,
    /// By another one, and this operation and point by that of the report; `None` where nothing does.
    Other(Option<String>),
}

impl Method {
    /// That of an operation for a figure, at one of these points; at any of its points where there are none.
    pub fn new(figure: &Figure, operation: &str, points: &[&str]) -> Self {
        let mut places =
            counterparts().filter(|place| place.likeness != Likeness::Other && place.matches(figure));
        let is_here = |place: &&Counterpart| {
            place.operation == operation
                && (points.is_empty() || points.iter().any(|point| place.is_of(point)))
        };
        match places.clone().find(is_here).map(|place| place.likeness) {
            Some(Likeness::Own) => Self::Own,
            Some(_) => Self::Probable,
            None => Self::Other(places.next().map(Counterpart::id)),
        }
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

    /// Figures of this report and operation of its data.
    fn published(report: &str, operation: &str) -> Vec<Figure> {
        let mut all = figures().unwrap();
        all.retain(|figure| figure.report == report && figure.operation == operation);
        all
    }

    #[test]
    fn another_method_names_the_one_of_the_report() {
        let method = |report, published_as, operation| {
            Method::new(&published(report, published_as)[0], operation, &[])
        };
        let subtracted = Method::Other(Some("call.procedure.subtracted fences=cpuid".to_owned()));
        assert_eq!(method("R0", "call.procedure", "call.procedure"), subtracted);
        assert_eq!(method("R0", "call.procedure", "call.procedure.subtracted"), Method::Probable);
        assert_eq!(method("R3", "process.create.fork.first", "process.create.fork.either"), Method::Own);
        assert_eq!(method("R3", "call.procedure", "call.procedure"), Method::Other(None));
        assert_eq!(method("R4", "syscall.kill", "process.end.kill"), Method::Probable);
        let faults =
            |point| Method::new(&published("R3", "fault.file.major")[0], "fault.file.major", &[point]);
        assert_eq!(faults("access=random file_size=64MiB"), Method::Probable);
        assert_eq!(
            faults("access=stride stride=4KiB"),
            Method::Other(Some("fault.file.major access=random".to_owned()))
        );
        let calls = of_operation("call.procedure.subtracted").unwrap();
        assert!(calls.len() == 8 && calls.iter().all(|figure| figure.report == "R0"), "{calls:?}");
    }

    #[test]
    fn whole_loops_and_new_connections_stand_by_themselves() {
        let is_in = |operation: &str, parameter: &str| {
            of_operation(operation).unwrap().iter().any(|figure| figure.parameter.contains(parameter))
        };
        assert!(is_in("loop.iteration.single", "scope=total"));
        assert!(!is_in("loop.iteration.unoptimised", "scope=total"));
        assert!(is_in("network.bandwidth.transfer.new_connection", "connection=each_transfer"));
        assert!(!is_in("network.bandwidth.transfer", "connection=each_transfer"));
    }

    #[test]
    fn star_stands_for_further_parameters() {
        let place = counterparts().find(|place| place.operation == "call.procedure.subtracted").unwrap();
        assert!(place.is_of("fences=cpuid arguments=3") && !place.is_of("") && !place.is_of("arguments=3"));
        let bare = counterparts().find(|place| place.published == "loop.iteration.clocked").unwrap();
        assert!(bare.is_of("") && !bare.is_of("fences=cpuid iterations=1"));
        assert_eq!(
            (place.id().as_str(), bare.id().as_str()),
            ("call.procedure.subtracted fences=cpuid", "loop.iteration.single")
        );
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
