//! Which methods are measured with which sizes.

use super::{MEMORY, SIZES};
use measure::Point;
use quantity::Bytes;
use record::Profile;
use sys::bandwidth::Action;

/// One kind of point: its method, the sizes (by place in [`SIZES`]) for the standard profile, and whether it is
/// measured on all CPUs with the first and the last size.
type Row = (&'static str, &'static [usize], bool);

/// The methods of an action. The first is the same on every processor, which keeps the handbook the same.
fn rows(action: Action) -> &'static [Row] {
    match action {
        Action::Read => &[
            ("loop", &[0, 3], false),
            ("widest", &[0, 1, 2, 3], true),
            ("unrolled", &[0, 3], false),
            ("prefetch", &[3], false),
            ("streams", &[3], false),
            ("streams_prefetch", &[3], true),
            ("vector128", &[0], false),
            ("vector256", &[0], false),
            ("vector512", &[], false),
        ],
        Action::Write => &[
            ("loop", &[0, 3], false),
            ("widest", &[0, 1, 2, 3], true),
            ("unrolled", &[0, 3], false),
            ("nontemporal", &[3], true),
            ("vector128", &[0], false),
            ("vector256", &[0], false),
            ("vector512", &[], false),
        ],
        Action::Copy => &[
            ("loop", &[0, 3], false),
            ("widest", &[0, 1, 2, 3], false),
            ("library", &[0, 1, 2, 3], true),
            ("string", &[0, 3], false),
            ("nontemporal", &[3], true),
            ("nontemporal_prefetch", &[3], false),
            ("unrolled", &[], false),
            ("vector128", &[], false),
            ("vector256", &[], false),
            ("vector512", &[], false),
        ],
        Action::Fill => &[
            ("library", &[0, 1, 2, 3], true),
            ("string", &[0, 3], false),
            ("zero_line", &[3], false),
        ],
    }
}

pub(super) fn point(method: &str, size: u64, cpus: &str) -> Point {
    let size = quantity::show_bytes(Bytes::from_bytes(size)).replace(' ', "");
    Point::only()
        .with("method", method)
        .with("size", size)
        .with("cpus", cpus)
}

/// Zeros have a point of their own, since some processors move them at twice the rate (E60).
fn zeros(action: Action) -> Option<Point> {
    let method = match action {
        Action::Write => "nontemporal",
        Action::Fill => "library",
        Action::Read | Action::Copy => return None,
    };
    Some(point(method, MEMORY, "1").with("data", "zeros"))
}

pub(super) fn points(profile: Profile, action: Action) -> Vec<Point> {
    let mut all = Vec::new();
    let main = if action == Action::Fill {
        "library"
    } else {
        "widest"
    };
    for &(method, standard, on_all) in rows(action) {
        let is_main = method == main;
        let wanted = |place: &usize| match profile {
            Profile::Quick => is_main && [0, 3].contains(place),
            Profile::Standard => standard.contains(place),
            Profile::Thorough => true,
        };
        let sizes = SIZES.iter().enumerate().filter(|(place, _)| wanted(place));
        all.extend(sizes.map(|(_, &size)| point(method, size, "1")));
        // What lies in the first cache grows with the CPUs for every method: the widest shows it.
        let first = (is_main && on_all && profile != Profile::Quick).then_some(16 << 10);
        let memory = (on_all && (is_main || profile != Profile::Quick)).then_some(MEMORY);
        all.extend(
            first
                .into_iter()
                .chain(memory)
                .map(|size| point(method, size, "all")),
        );
    }
    all.extend(zeros(action).filter(|_| profile != Profile::Quick));
    all
}
