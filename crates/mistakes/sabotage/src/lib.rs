//! Operations with one mistake built in each, which a witness must catch.
//!
//! A witness that catches no sabotage is decoration. Every sabotage is the right operation of the same
//! kind but for its mistake, says what must catch it, and is measured by the whole program in the tests.
//!
//! **Invariant:** every kind of witness that an operation declares is named by a sabotage, but for those
//! in [`UNPROVOKED`], and at every point a positive witness of these kinds says that the work was done.
#![forbid(unsafe_code)]

mod answers;
mod bandwidth;
mod bounds;
mod calls;
mod children;
mod clocks;
mod contention;
mod coverage;
mod creation;
mod durability;
pub mod endless;
mod files;
mod heap;
mod idle;
mod instructions;
pub mod liar;
mod library;
mod linearity;
mod list;
mod memory;
mod messaging;
mod network;
mod noise;
mod pages;
mod placement;
mod probes;
pub mod remote;
mod remote_files;
mod rings;
mod sabotage;
mod scaling;
mod schedule;
mod seams;
mod served;
mod services;
mod shares;
mod shootdown;
mod sleeps;
mod switches;

pub use coverage::{Coverage, by_kind, coverage, kind};
pub use list::{UNPROVOKED, all};
pub use sabotage::{Caught, End, Sabotage};

use measure::Operation;
use std::sync::LazyLock;

/// The right operations, those with mistakes, and the instruments of the tests.
pub fn operations() -> &'static [&'static Operation] {
    static LIST: LazyLock<Vec<&'static Operation>> = LazyLock::new(|| {
        let wrong = all().filter_map(Sabotage::operation);
        let instruments = [liar::operation(), endless::operation(), Some(remote::operation())];
        let instruments = instruments.into_iter().flatten();
        // They live as long as the program: it holds its list of operations to the end.
        let leaked = wrong.chain(instruments).map(|operation| &*Box::leak(Box::new(operation)));
        flawed::all_operations().iter().copied().chain(leaked).collect()
    });
    &LIST
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Profile;
    use std::collections::BTreeSet;

    #[test]
    fn every_sabotage_is_made_of_a_right_operation_at_one_of_its_points() {
        for sabotage in all() {
            let (id, text) = sabotage.right();
            let right = flawed::find(id).unwrap();
            let points = right.points_of(Profile::Quick);
            let point = points.iter().find(|point| point.text() == text);
            let point = point.unwrap_or_else(|| panic!("{}: no point {}", sabotage.id, sabotage.of));
            assert!(!sabotage.mistake.is_empty(), "{}", sabotage.id);
            if let Caught::By(counter) = sabotage.caught_by {
                let witnesses = right.witnesses_at(point);
                let declared = witnesses.iter().any(|witness| witness.counter == counter);
                assert!(declared, "{} does not watch {counter}", sabotage.of);
            }
        }
    }

    #[test]
    fn ids_are_unique_and_none_is_an_operation_of_oscope() {
        let ids: BTreeSet<&str> = operations().iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), operations().len());
        assert_eq!(operations().len(), flawed::all_operations().len() + all().count() + 3);
        assert!(all().all(|sabotage| sabotage.id.starts_with("sabotage.")));
    }
}
