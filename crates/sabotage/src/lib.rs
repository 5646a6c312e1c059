//! Operations with one mistake built in each, which a witness must catch.
//!
//! A witness that catches no sabotage is decoration. Every sabotage is the right operation of the same
//! kind but for its mistake, says what must catch it, and is measured by the whole program in the tests.
//!
//! **Invariant:** every kind of witness that an operation declares is named by a sabotage, but for those
//! in [`UNPROVOKED`].
#![forbid(unsafe_code)]

mod answers;
mod bandwidth;
mod bounds;
mod calls;
mod children;
mod clocks;
mod creation;
pub mod endless;
mod faults;
mod files;
mod instructions;
pub mod liar;
mod linearity;
mod memory;
mod network;
mod noise;
mod pages;
mod placement;
pub mod remote;
mod remote_files;
mod rings;
mod sabotage;
mod served;
mod services;
mod shares;
mod sleeps;
mod switches;

pub use sabotage::{Caught, End, Sabotage};

use measure::Operation;
use std::sync::LazyLock;

/// Every sabotage, by the witness that catches it.
pub static ALL: &[&Sabotage] = &[
    &answers::ERROR_PATH,
    &answers::BACKWARDS,
    &answers::HALF_OF_THE_CALLS,
    &answers::ONE_SUM_LESS,
    &linearity::GIVES_UP,
    &linearity::CONSTANT,
    &linearity::DELETED,
    &calls::CACHED,
    &calls::ERROR_PATH,
    &calls::UNASKED,
    &calls::EVERY_SECOND,
    &calls::SPAWNED,
    &calls::WAITED_TWICE,
    &calls::FORKED_BY_LIBRARY,
    &instructions::HALF_OF_THE_LOOP,
    &instructions::FEWER_ARGUMENTS,
    &instructions::FEWER_ADDS,
    &instructions::UNFENCED,
    &instructions::HALF_OF_THE_DIVISIONS,
    &switches::ALONE,
    &switches::TWO_AT_ONCE,
    &switches::SPINNING,
    &switches::OTHER_CPU,
    &switches::SLEEPS_IN_A_CALL,
    &switches::THREAD,
    &switches::REPLY_KEPT,
    &switches::NOBODY_TO_YIELD_TO,
    &children::NO_CHILD,
    &children::THREAD,
    &children::NO_THREAD,
    &children::TWO_THREADS,
    &children::NOT_KILLED,
    &creation::FORK_BECAME_VFORK,
    &creation::VFORK_BECAME_FORK,
    &creation::NO_PROGRAM,
    &creation::NO_THREAD,
    &creation::BASE_PAGES,
    &creation::NOT_WAITED_FOR,
    &creation::PRIVATE_STAMP,
    &placement::MOVED,
    &placement::SLEEPS,
    &services::TWO_OF_TEN,
    &services::NEVER_DELIVERED,
    &services::REFUSED_WRITE,
    &faults::FRESH_PAGES,
    &pages::SPARSE,
    &pages::NOTHING_READ,
    &pages::IN_MEMORY,
    &pages::CACHE_FULL,
    &pages::CACHE_SEEN,
    &pages::TOUCHED,
    &pages::FAULT_AROUND,
    &pages::CHILD_GONE,
    &pages::UNTOUCHED,
    &served::NO_FAULT,
    &served::CHILD_STAYS,
    &files::CACHED,
    &files::NOTHING_READ,
    &files::SPARSE,
    &files::IN_MEMORY,
    &files::HALF_CACHED,
    &files::STAYS,
    &files::SHALLOW,
    &files::ONE_PLACE,
    &files::NOTHING_WAITS,
    &files::NOT_SYNCED,
    &files::ALONE,
    &files::GUESSED,
    &remote_files::OWN_CACHE,
    &remote_files::SERVER_WARM,
    &remote_files::OTHER_DISK,
    &clocks::SHORT_CHAIN,
    &clocks::SLOW_ADDS,
    &clocks::STANDS_STILL,
    &rings::SHORT_RING,
    &rings::HALF_A_BUFFER,
    &rings::COUNTED_TWICE,
    &rings::LINE_STAYS,
    &sleeps::EARLY,
    &sleeps::LEFT_OUT,
    &sleeps::AWAKE,
    &sleeps::NO_LOAD,
    &noise::UNACCOUNTED,
    &noise::ASLEEP,
    &memory::TWO_LINES,
    &memory::BASE_PAGES,
    &memory::FEW_POINTS,
    &bandwidth::HALF_OF_THE_BLOCKS,
    &bandwidth::OTHER_WORDS,
    &bandwidth::ZEROS,
    &bandwidth::FITS_A_CACHE,
    &bandwidth::AS_LARGE_AS_THE_CACHE,
    &bandwidth::ONE_FOR_ALL,
    &bandwidth::NO_LOAD,
    &network::TWO_SEGMENTS,
    &network::REPLY_KEPT,
    &network::DROPPED,
    &network::NAGLE,
    &network::EARLY,
    &network::RAMP,
    &network::COPIED,
    &shares::RECEIVER,
    &shares::SENDER,
    &shares::WINDOW,
    &shares::BUFFER,
    &network::ONE_FLOW,
    &network::COUNTED_TWICE,
    &network::REUSED,
    &network::CROWDED,
    &network::UNCONNECTED,
    &bounds::BELOW_THE_FLOOR,
    &bounds::FASTER_THAN_ANY_CORE,
    &bounds::MORE_THAN_ALL,
];

/// Counters of witnesses that no sabotage of today can provoke, with the reason.
pub const UNPROVOKED: &[(&str, &str)] = &[(
    "pages.remote",
    "its points are left out where there is one memory node, and with them any sabotage of them",
)];

/// The right operations, those with mistakes, and the instruments of the tests.
pub fn operations() -> &'static [&'static Operation] {
    static LIST: LazyLock<Vec<&'static Operation>> = LazyLock::new(|| {
        let wrong = ALL.iter().filter_map(|sabotage| sabotage.operation());
        let instruments = [liar::operation(), endless::operation(), Some(remote::operation())];
        let instruments = instruments.into_iter().flatten();
        // They live as long as the program: it holds its list of operations to the end.
        let leaked = wrong
            .chain(instruments)
            .map(|operation| &*Box::leak(Box::new(operation)));
        operations::ALL.iter().copied().chain(leaked).collect()
    });
    &LIST
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use record::Profile;
    use std::collections::BTreeSet;

    #[test]
    fn every_sabotage_is_made_of_a_right_operation_at_one_of_its_points() {
        for sabotage in ALL {
            let right = operations::find(sabotage.of).unwrap();
            let points = (right.points)(Profile::Quick);
            assert!(
                points.iter().any(|point| point.text() == sabotage.point()),
                "{}",
                sabotage.id
            );
            assert_eq!((sabotage.points)(Profile::Quick).len(), 1, "{}", sabotage.id);
            assert!(!sabotage.mistake.is_empty(), "{}", sabotage.id);
            if let Caught::By(counter) = sabotage.caught_by {
                let point = (sabotage.points)(Profile::Quick).remove(0);
                let witnesses = right.witnesses_at(&point);
                let declared = witnesses.iter().any(|witness| witness.counter == counter);
                assert!(declared, "{} does not watch {counter}", sabotage.of);
            }
        }
    }

    #[test]
    fn ids_are_unique_and_none_is_an_operation_of_oscope() {
        let ids: BTreeSet<&str> = operations().iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), operations().len());
        assert_eq!(operations().len(), operations::ALL.len() + ALL.len() + 3);
        assert!(ALL.iter().all(|sabotage| sabotage.id.starts_with("sabotage.")));
    }

    /// The counter without what only names a call.
    fn kind(counter: &str) -> &str {
        if counter.starts_with("calls.") {
            "calls."
        } else {
            counter
        }
    }

    #[test]
    fn every_kind_of_witness_has_a_sabotage() {
        let declared: BTreeSet<String> = operations::ALL
            .iter()
            .flat_map(|operation| {
                (operation.points)(Profile::Quick)
                    .into_iter()
                    .map(move |point| (operation, point))
            })
            .flat_map(|(operation, point)| operation.witnesses_at(&point))
            .map(|witness| kind(&witness.counter).to_owned())
            .collect();
        let provoked: BTreeSet<String> = ALL
            .iter()
            .filter_map(|sabotage| match sabotage.caught_by {
                Caught::By(counter) => Some(kind(counter).to_owned()),
                Caught::Words(_) => None,
            })
            .chain(UNPROVOKED.iter().map(|(counter, _)| (*counter).to_owned()))
            .collect();
        let missing: Vec<&String> = declared.difference(&provoked).collect();
        assert!(
            missing.is_empty(),
            "no sabotage provokes these witnesses: {missing:?}"
        );
    }
}
