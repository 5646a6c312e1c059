//! The points of this area: first the path, then where the other end runs on it, then what differs.

use measure::{Path, Placement, Point};

/// The size of messages that every operation measures.
pub const SMALL: &str = "64B";

/// This machine with itself, without a second actor.
pub fn loopback() -> Point {
    Point::only().with("path", Path::Loopback.name())
}

/// This machine with itself, the other end on the same CPU, where nothing overlaps.
pub fn loopback_same() -> Point {
    loopback().with("cpu", Placement::Same.name())
}

/// This machine with itself, at each placement of the other end.
pub fn loopback_placements() -> Vec<Point> {
    let all = Placement::ALL.iter();
    all.map(|placement| loopback().with("cpu", placement.name()))
        .collect()
}

/// This machine with the peer that the user named.
pub fn remote() -> Point {
    Point::only().with("path", Path::Remote.name())
}

/// Whether the point leads to a peer.
pub fn is_remote(point: &Point) -> bool {
    point.path() == Some(Path::Remote)
}
