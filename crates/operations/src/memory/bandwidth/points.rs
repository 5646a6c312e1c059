//! Methods and sizes by profile.

use super::spec::{MEMORY, SIZES};
use measure::Point;
use quantity::Bytes;
use record::Profile;
use sys::bandwidth::Action;

/// A method, its sizes (indices into [`SIZES`]) in the standard profile, and whether it is measured on all CPUs.
type Row = (&'static str, &'static [usize], OnAll);

/// The profiles that also measure a method on all CPUs, with the first and the last size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnAll {
    Never,
    /// Only thorough: it was never the fastest, and populating its memory takes long.
    Thorough,
    Standard,
}

impl OnAll {
    fn includes(self, profile: Profile) -> bool {
        match self {
            Self::Never => false,
            Self::Thorough => profile == Profile::Thorough,
            Self::Standard => true,
        }
    }
}

/// The methods of an action. The first is the same on every processor, which keeps the handbook the same.
fn rows(action: Action) -> &'static [Row] {
    use OnAll::{Never, Standard, Thorough};
    match action {
        Action::Read => &[
            ("loop", &[0, 3], Never),
            ("widest", &[0, 1, 2, 3], Standard),
            ("unrolled", &[0], Never),
            ("prefetch", &[], Never),
            ("streams", &[3], Never),
            ("streams_prefetch", &[3], Thorough),
            ("vector128", &[0], Never),
            ("vector256", &[0], Never),
            ("vector512", &[], Never),
        ],
        Action::Write => &[
            ("loop", &[0, 3], Never),
            ("widest", &[0, 1, 2, 3], Thorough),
            ("unrolled", &[0], Never),
            ("nontemporal", &[3], Standard),
            ("vector128", &[0], Never),
            ("vector256", &[0], Never),
            ("vector512", &[], Never),
        ],
        Action::Copy => &[
            ("loop", &[0], Never),
            ("widest", &[0, 1, 2, 3], Never),
            ("library", &[0, 1, 2, 3], Thorough),
            ("string", &[0, 3], Never),
            ("nontemporal", &[3], Standard),
            ("nontemporal_prefetch", &[3], Never),
            ("unrolled", &[], Never),
            ("vector128", &[], Never),
            ("vector256", &[], Never),
            ("vector512", &[], Never),
        ],
        Action::Fill => {
            &[("library", &[0, 1, 2, 3], Standard), ("string", &[0, 3], Never), ("zero_line", &[3], Never)]
        }
    }
}

pub(super) fn point(method: &str, size: u64, cpus: &str) -> Point {
    Point::only()
        .with("method", method)
        .with("bytes", quantity::exact_size(Bytes::from_bytes(size)))
        .with("cpus", cpus)
}

/// Zeros are a separate point: some processors move them at twice the rate (E60).
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
    let main = if action == Action::Fill { "library" } else { "widest" };
    for &(method, standard, on_all) in rows(action) {
        let is_main = method == main;
        let wanted = |size: &usize| match profile {
            Profile::Quick => is_main && [0, 3].contains(size),
            Profile::Standard => standard.contains(size),
            Profile::Thorough => true,
        };
        let sizes = SIZES.iter().enumerate().filter(|(index, _)| wanted(index));
        all.extend(sizes.map(|(_, &size)| point(method, size, "1")));
        // L1 bandwidth scales with the CPUs for every method: the widest shows it.
        let first = (is_main && on_all.includes(profile) && profile != Profile::Quick).then_some(16 << 10);
        let memory = (on_all.includes(profile) && (is_main || profile != Profile::Quick)).then_some(MEMORY);
        all.extend(first.into_iter().chain(memory).map(|size| point(method, size, "all")));
    }
    all.extend(zeros(action).filter(|_| profile != Profile::Quick));
    all
}
