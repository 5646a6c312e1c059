//! Machines that oscope was run on: what each is, and what its points came out as.

use crate::data::{ReferenceError, rows};
use serde::{Deserialize, Serialize};

/// What a point came out as on a machine, in the base unit of its quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPoint {
    /// The operation's id.
    pub operation: String,
    /// Its parameters.
    pub point: String,
    /// `measured`, `noisy`, `contradicted`, `skipped` or `failed`.
    pub verdict: String,
    /// The typical value, where there is one.
    pub typical: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// State of the cores: `quiet`, `shared` or `mixed`; empty where it is not known.
    pub state: String,
}

/// A machine of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredMachine {
    /// The name of its folder.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What it is, as `oscope dump` writes it.
    pub dump: &'static str,
    points: &'static str,
}

impl MeasuredMachine {
    /// Its points.
    ///
    /// # Errors
    /// When the data that the program carries cannot be read; a test shows that it can.
    pub fn points(&self) -> Result<Vec<MeasuredPoint>, ReferenceError> {
        rows(self.points)
    }
}

macro_rules! corpus {
    ($($name:literal: $about:literal),* $(,)?) => {
        &[$(MeasuredMachine {
            name: $name,
            about: $about,
            dump: include_str!(concat!("../data/machines-measured/", $name, "/machine.json")),
            points: include_str!(concat!("../data/machines-measured/", $name, "/points.csv")),
        }),*]
    };
}

/// Every machine of the corpus; `cargo xtask corpus add` writes the folder of one, its name goes in here.
pub static CORPUS: &[MeasuredMachine] = corpus![
    "zen3-guest": "AMD Zen 3 (server), KVM guest, 2 CPUs, 23.5 GiB, Linux 6.18",
    "zen3-guest-2": "AMD Zen 3 (server), KVM guest, 2 CPUs, 23.5 GiB, Linux 6.18",
    "xeon-guest": "Intel Granite Rapids, KVM guest, 2 CPUs, 23.5 GiB, Linux 6.18",
    "zen5-guest": "AMD Zen 5 (server), KVM guest, 2 CPUs, 23.5 GiB, Linux 6.18, Debian 12",
    "zen5-guest-2": "AMD Zen 5 (server), KVM guest, 2 CPUs, 23.5 GiB, Linux 6.18, Debian 12",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/machines-measured");
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let folders: BTreeSet<String> = entries
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = CORPUS.iter().map(|machine| machine.name.to_owned()).collect();
        assert_eq!(folders, listed);
    }

    #[test]
    fn every_point_with_a_number_lies_in_its_interval() {
        for machine in CORPUS {
            let points = machine.points().unwrap();
            assert!(points.len() > 100, "{}", machine.name);
            let mut ids = BTreeSet::new();
            for point in points {
                assert!(ids.insert((point.operation.clone(), point.point.clone())), "{point:?}");
                let has_number = ["measured", "noisy"].contains(&point.verdict.as_str());
                assert_eq!(point.typical.is_some(), has_number, "{point:?}");
                let (low, high) = (point.low.or(point.typical), point.high.or(point.typical));
                assert!(low <= point.typical && point.typical <= high, "{point:?}");
            }
        }
    }
}
