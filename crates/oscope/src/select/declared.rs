//! What operations declare: sets of points, and the points of profiles.

use measure::{Operation, Point};
use record::Profile;

/// Points that belong together across areas: whether one of an operation is among them.
pub(super) type Set = fn(&Operation, &str) -> bool;

/// What a word of the selection means that is neither an id nor an area.
pub(super) const SETS: [(&str, Set); 5] = [
    (HEADLINE, is_of_headline),
    (REPORTS, is_of_reports),
    (TABLE, is_of_table),
    (CHANNELS, is_a_channel),
    (ALL, |_, _| true),
];

/// Whether the first screen shows a point.
fn is_of_headline(operation: &Operation, point: &str) -> bool {
    operation.headline.iter().any(|(own, _)| *own == point)
}

/// Whether `oscope watch` reads a point where none is named.
fn is_a_channel(operation: &Operation, point: &str) -> bool {
    operation.channels.iter().any(|(own, _)| *own == point)
}

/// Whether the five reports measured a point, as docs/REPORTS.md maps it.
fn is_of_reports(operation: &Operation, point: &str) -> bool {
    is_of_table(operation, point) || reference::is_of_an_experiment(operation.id, point)
}

/// Whether a point is a row of the reports' summary tables.
fn is_of_table(operation: &Operation, point: &str) -> bool {
    reference::SUMMARY_ROWS.iter().any(|row| row.operation == operation.id && row.point == point)
}

/// The set that is measured when nothing is named.
pub const HEADLINE: &str = "headline";

/// The set of what the reports measured.
const REPORTS: &str = "reports";

/// The set of the rows of the reports' table.
pub const TABLE: &str = "table";

/// The set of what `oscope watch` reads.
pub const CHANNELS: &str = "channels";

/// The set of every point.
pub const ALL: &str = "all";

/// The points of a profile, and those of the headline and of the reports' table, which every profile of batches has.
pub(super) fn points(operation: &Operation, profile: Profile) -> Vec<Point> {
    let mut points = operation.points_of(profile);
    if profile == Profile::Tail {
        return points;
    }
    let headline = operation.headline.iter().map(|(point, _)| *point);
    let rows = reference::SUMMARY_ROWS.iter();
    let rows = rows.filter(|row| row.operation == operation.id).map(|row| row.point);
    let wanted = headline.chain(rows).filter_map(Point::parse);
    for point in wanted {
        if !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

/// The points of all profiles.
pub(super) fn any_points(operation: &Operation) -> Vec<Point> {
    let mut all = points(operation, Profile::Standard);
    for point in [Profile::Quick, Profile::Thorough, Profile::Tail]
        .into_iter()
        .flat_map(|profile| points(operation, profile))
    {
        if !all.contains(&point) {
            all.push(point);
        }
    }
    all
}
