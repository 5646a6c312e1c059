//! What the kernel has counted up to a moment of all that may disturb a program, read cheaply: once in a second, for ever.

use crate::activity::Activity;
use crate::parse;
use crate::tree::Tree;

/// The resources whose pressure the kernel counts, and their files.
const PRESSURE: [&str; 3] = ["/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io"];

/// The counts at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// CPU times and quotas; of programs too where they were asked for.
    pub activity: Activity,
    /// Microseconds in which some task waited for a CPU, for memory, for a disk.
    waited_us: [Option<f64>; 3],
    /// Pages that tasks reclaimed themselves.
    reclaimed: f64,
    disk: Option<DiskCounts>,
}

/// Counts of a disk.
#[derive(Debug, Clone, PartialEq)]
struct DiskCounts {
    name: String,
    requests: f64,
    /// Milliseconds that all requests took together.
    took_ms: f64,
}

/// What a disk did between two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskActivity {
    /// Its name: `vda1`.
    pub name: String,
    /// Requests that were completed.
    pub requests: f64,
    /// Milliseconds that one took in the mean; `None` without requests.
    pub request_ms: Option<f64>,
}

impl Surroundings {
    /// Reads the counts, with those of the disk that has these numbers (`254:0`), and of every program if asked for.
    pub fn read(tree: &dyn Tree, disk: Option<&str>, with_programs: bool) -> Self {
        let stat = tree.read("/proc/vmstat").unwrap_or_default();
        let reclaimed = stat
            .lines()
            .filter(|line| line.starts_with("pgscan_direct ") || line.starts_with("pgsteal_direct "));
        Self {
            activity: if with_programs { Activity::read(tree) } else { Activity::of_cpus(tree) },
            waited_us: PRESSURE.map(|path| waited_us(&tree.read(path).ok()?)),
            reclaimed: reclaimed.filter_map(|line| parse::number(line.split_once(' ')?.1)).sum(),
            disk: disk.and_then(|numbers| disk_counts(&tree.read("/proc/diskstats").ok()?, numbers)),
        }
    }

    /// Seconds in which some task waited for a CPU, for memory, for a disk, since an earlier reading.
    pub fn waited_s_since(&self, earlier: &Self) -> [Option<f64>; 3] {
        std::array::from_fn(|at| Some((self.waited_us[at]? - earlier.waited_us[at]?).max(0.0) * 1e-6))
    }

    /// Pages that tasks scanned and reclaimed themselves since an earlier reading.
    pub fn reclaimed_since(&self, earlier: &Self) -> f64 {
        (self.reclaimed - earlier.reclaimed).max(0.0)
    }

    /// What the disk did since an earlier reading.
    pub fn disk_since(&self, earlier: &Self) -> Option<DiskActivity> {
        let (now, before) = (self.disk.as_ref()?, earlier.disk.as_ref()?);
        let requests = (now.requests - before.requests).max(0.0);
        let request_ms = (requests > 0.0).then(|| (now.took_ms - before.took_ms).max(0.0) / requests);
        Some(DiskActivity { name: now.name.clone(), requests, request_ms })
    }
}

/// The total of the line `some`.
fn waited_us(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|word| word.strip_prefix("total=")).and_then(parse::number)
}

/// Of the line of a device: completed reads, writes, discards and flushes, and the time of each
/// (`Documentation/admin-guide/iostats.rst`, fields 1, 4, 5, 8, 12, 15, 16, 17).
fn disk_counts(text: &str, numbers: &str) -> Option<DiskCounts> {
    let (major, minor) = numbers.split_once(':')?;
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [own_major, own_minor, name, fields @ ..] = words.as_slice() else { return None };
        if (*own_major, *own_minor) != (major, minor) {
            return None;
        }
        let sum = |places: [usize; 4]| -> f64 {
            places.iter().filter_map(|place| parse::number(fields.get(place - 1)?)).sum()
        };
        let (requests, took_ms) = (sum([1, 5, 12, 16]), sum([4, 8, 15, 17]));
        Some(DiskCounts { name: (*name).to_owned(), requests, took_ms })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        assert_eq!(
            waited_us("some avg10=1.0 avg60=0.5 avg300=0.1 total=1234\nfull avg10=0 total=9\n"),
            Some(1234.0)
        );
        assert_eq!(waited_us(""), None);
        let line = " 254  1 vda1 10 0 80 20 5 0 40 30 0 45 50 2 0 0 4 1 8\n";
        let counts = disk_counts(line, "254:1").unwrap();
        assert_eq!((counts.name.as_str(), counts.requests, counts.took_ms), ("vda1", 18.0, 62.0));
        assert_eq!(disk_counts(line, "254:0"), None);
        assert_eq!(disk_counts(line, "0"), None);
    }

    #[test]
    fn a_disk_without_requests_has_no_time_of_one() {
        let at = |requests, took_ms| Surroundings {
            disk: Some(DiskCounts { name: "vda".to_owned(), requests, took_ms }),
            ..Surroundings::default()
        };
        assert_eq!(at(5.0, 7.0).disk_since(&at(5.0, 7.0)).unwrap().request_ms, None);
        assert_eq!(at(9.0, 47.0).disk_since(&at(5.0, 7.0)).unwrap().request_ms, Some(10.0));
    }
}
