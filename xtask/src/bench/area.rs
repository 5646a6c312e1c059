//! The areas by which benches of comparisons count points.

use record::PlannedPoint;

/// Parts of the names of operations that wait for the disk.
const OF_DISK: [&str; 11] = [
    "direct",
    "uncached",
    "dontcache",
    "first_block",
    "uring",
    "rate",
    "sync",
    "commit",
    "replace",
    "contention",
    "reread",
];

/// The area of a point; system calls, points of two CPUs, those of them in a controlled idle state, scaling by its object, and the disk
/// have areas of their own.
pub fn area(point: &PlannedPoint) -> &'static str {
    let id = &point.id;
    if id.operation.starts_with("scaling.") && point.cpus.is_some_and(|cpus| cpus > 1) {
        return match id.parameter("object") {
            Some("shared") => "scaling, shared objects",
            _ => "scaling, own objects",
        };
    }
    let is_of_two = matches!(id.parameter("cpu"), Some("other" | "sibling" | "node"));
    let is_of_disk = id.operation.split('.').any(|part| OF_DISK.iter().any(|word| part.ends_with(word)));
    match (point.area.as_str(), is_of_two, id.parameter("idle").is_some()) {
        ("cpu", ..) => "cpu",
        ("os", ..) if id.operation.starts_with("syscall.") => "system calls",
        ("os", false, _) => "os, one CPU",
        ("os", true, true) => "os, two CPUs, controlled",
        ("os", true, false) => "os, two CPUs",
        ("memory", ..) => "memory",
        ("network", ..) => "network",
        ("file", ..) if is_of_disk => "file, disk",
        ("file", ..) => "file, cached",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::PointId;

    #[test]
    fn system_calls_and_the_disk_are_areas_of_their_own() {
        for (operation, point, of, expected) in [
            ("syscall.getppid", "method=libc", "os", "system calls"),
            ("switch.process.pipe", "cpu=same", "os", "os, one CPU"),
            ("switch.process.pipe", "cpu=other idle=busy", "os", "os, two CPUs, controlled"),
            ("file.read.cached", "", "file", "file, cached"),
            ("file.write.fdatasync", "", "file", "file, disk"),
            ("file.read.direct", "", "file", "file, disk"),
        ] {
            let point =
                PlannedPoint { area: of.to_owned(), ..PlannedPoint::new(PointId::new(operation, point)) };
            assert_eq!(area(&point), expected, "{operation}");
        }
    }
}
