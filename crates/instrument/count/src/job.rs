//! What the guest is to count: a file in its initial file system.

use measure::Point;
use record::{Directory, PointId, Purpose, Request};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where the job lies in the guest, and where files are measured there.
pub const PATH: &str = "/job";
pub const DIRECTORY: &str = "/tmp";

/// What the guest is to count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The points, as workers are asked for them.
    pub requests: Vec<Request>,
    /// Whether a plugin waits for the kernel's symbols.
    pub has_plugin: bool,
}

/// Seed of what operations choose at random. The same in every boot: only the machine's seed differs.
const SEED: u64 = 1;

/// Time of an operation that spends time by itself, in nanoseconds of the virtual clock.
const SPEND_NS: u64 = 1_000_000;

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
