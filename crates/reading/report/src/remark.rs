//! What is said of points: once of all, and of each what is its own.

use record::PointId;

/// Points of which the same has to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    /// What.
    pub(crate) text: String,
    /// What the user can do.
    pub(crate) remedy: Option<String>,
    /// Of which points.
    pub(crate) points: Vec<PointId>,
}

/// Remarks of one kind on many points: said once, and of each point only what is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteGroup {
    /// What is said of all.
    pub(crate) heading: String,
    /// Each point with what is its own; empty when nothing is.
    pub(crate) points: Vec<(PointId, String)>,
    /// Whether what is said of a point deserves a line of its own.
    pub(crate) lines: bool,
    /// What the user can do.
    pub(crate) remedy: Option<String>,
}

impl NoteGroup {
    /// Each point's short name with what is its own; an operation is not named again for the points that
    /// follow its first.
    pub(crate) fn items(&self) -> Vec<(String, &str)> {
        let ids: Vec<PointId> = self.points.iter().map(|(id, _)| id.clone()).collect();
        let own = self.points.iter().map(|(_, own)| own.as_str());
        short_names(&ids).into_iter().zip(own).collect()
    }
}

/// The points' names; an operation is not named again for the points that follow its first.
pub(crate) fn short_names(points: &[PointId]) -> Vec<String> {
    let mut before = "";
    let mut names = Vec::new();
    for point in points {
        let again = before == point.operation && !point.point.is_empty();
        names.push(if again { point.point.clone() } else { point.to_string() });
        before = &point.operation;
    }
    names
}
