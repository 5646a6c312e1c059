//! The points of this area: path, placement of the server, further parameters.

use measure::{Path, Placement, Point};

/// The size of messages that every operation measures.
pub const SMALL: &str = "64B";

/// Over loopback, without a second actor.
pub fn loopback() -> Point {
    Point::only().with("path", Path::Loopback.name())
}

/// Over loopback, client and server on one CPU, without overlap.
pub fn loopback_same() -> Point {
    loopback().with("cpu", Placement::Same.name())
}

/// To the peer that the user named.
pub fn remote() -> Point {
    Point::only().with("path", Path::Remote.name())
}

/// These sizes over loopback on one CPU, and to the peer.
pub fn on_both_paths(sizes: &[Point]) -> Vec<Point> {
    let on = |path: Point| {
        sizes.iter().map(move |size| path.clone().with("bytes", size.get("bytes").unwrap_or(SMALL)))
    };
    [loopback_same(), remote()].into_iter().flat_map(on).collect()
}

/// Whether the point is measured to a peer.
pub fn is_remote(point: &Point) -> bool {
    point.path() == Some(Path::Remote)
}
