//! What the guest is to count: a file in its initial file system.

use measure::Point;
use record::{Directory, PointId, Purpose, Request};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use sys::chase::shuffled;

/// Where the job lies in the guest, and where files are measured there.
pub const PATH: &str = "/job";
pub const DIRECTORY: &str = "/tmp";

/// What the guest is to count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The points, as workers are asked for them.
    pub requests: Vec<Request>,
    /// Their indices in the order of this boot.
    #[serde(default)]
    pub order: Vec<u32>,
    /// Whether a plugin waits for the kernel's symbols.
    pub has_plugin: bool,
}

/// Seed of what operations choose at random. The same in every boot: only the machine's seed differs.
const SEED: u64 = 1;

/// Time of an operation that spends time by itself, in nanoseconds of the virtual clock.
const SPEND_NS: u64 = 1_000_000;

/// The order of the points in the boot with this seed: each boot has another, because a point finds lists of the kernel as those
/// before it left them, so that what depends on them is in the noise floor. All orders are equally long as text.
pub fn order(points: usize, seed: u32) -> Vec<u32> {
    shuffled(0..u32::try_from(points).unwrap_or(u32::MAX), seed.into())
}

/// The request for a point: on the first CPU, its second actor on the same or the second one.
pub fn request(id: PointId, point: &Point) -> Request {
    let folder = PathBuf::from(DIRECTORY).join("run");
    let directory = Directory {
        path: DIRECTORY.into(),
        test_file: folder.join("test-file"),
        folder,
        over_network: false,
        in_memory: true,
    };
    Request {
        cpu: Some(0),
        peer_cpu: Some(u32::from(point.has_two_cpus())),
        seed: SEED,
        spend_ns: SPEND_NS,
        directory: Some(directory),
        ..measure::worker::request(Purpose::Trial, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_boot_counts_all_points_in_an_order_of_its_own() {
        let [first, again, second] = [1, 1, 2].map(|seed| order(100, seed));
        assert_eq!(first, again);
        assert_ne!(first, second);
        for mut order in [first, second] {
            order.sort_unstable();
            assert!(order.into_iter().eq(0..100));
        }
    }
}
