//! The points of this area: path, placement of the server, further parameters.

use measure::{Path, Placement, Point};

/// The path of a point, over loopback with the CPU of the server: what all points of its trial have in common.
pub fn path_of(point: &Point) -> Point {
    if is_remote(point) {
        return Point::only().with("path", Path::Remote.name());
    }
    Point::only()
        .with("path", Path::Loopback.name())
        .with("cpu", point.placement().unwrap_or(Placement::Same).name())
}

/// Whether the point is measured to a peer.
pub fn is_remote(point: &Point) -> bool {
    point.path() == Some(Path::Remote)
}
