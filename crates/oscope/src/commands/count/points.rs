//! Which points are counted: those of one machine without a peer, whose work is done in batches.

use crate::Operations;
use crate::select::{self, Selected};
use count::{Architecture, Skipped};
use measure::How;
use record::{Need, PointId, Profile, Skip};

/// What is counted where nothing is named: warm paths of the kernel by one task, and between two on one CPU.
const SELECTION: &str = "
    clock.read.monotonic.syscall syscall signal
    fault.anonymous.* fault.efault fault.copy_on_write fault.reuse fault.dontneed* fault.zero_then_write fault.file.minor
    mapping network.round_trip.*.self network.round_trip.icmp network.connection
    switch.process.pipe switch.process.eventfd switch.process.futex switch.process.yield switch.thread ipc.*.round_trip
    process.create.fork_wait process.create.fork.parent process.create.fork.run process.create.vfork_wait
    process.create.vfork_exec process.create.posix_spawn process.end thread.create.raw
    file.read.cached file.write.buffered file.stat file.rename file.create file.delete directory.lookup";

/// Points that can be counted, and those that cannot with the reason.
pub struct Points {
    pub counted: Vec<Selected>,
    pub skipped: Vec<Skipped>,
}

/// The points that are meant.
pub fn points(
    operations: Operations,
    words: &[String],
    profile: Profile,
    cpus: u32,
    architecture: Architecture,
) -> anyhow::Result<Points> {
    let selected = match words {
        [] => select_known(operations, profile)?,
        words => select::select(operations, words, profile, false)?,
    };
    let (mut counted, mut skipped) = (Vec::new(), Vec::new());
    for (operation, point) in selected {
        let needs = operation.all_needs(&point);
        let unmet = needs.iter().find_map(|need| unmet(need, cpus, architecture));
        let unbatched = (operation.how == How::Values).then_some((
            "its operation watches time or gives values, and has no batches",
            "use 'oscope run'",
        ));
        match unbatched.or(unmet) {
            None => counted.push((operation, point)),
            Some((reason, remedy)) => skipped.push(Skipped {
                id: operation.point_id(&point),
                why: Skip { reason: reason.to_owned(), remedy: remedy.to_owned() },
                failed: false,
            }),
        }
    }
    // With a selection of their own, users want to know why something is missing.
    if words.is_empty() {
        skipped.clear();
    }
    Ok(Points { counted, skipped })
}

fn select_known(operations: Operations, profile: Profile) -> anyhow::Result<Vec<Selected>> {
    let words: Vec<String> = SELECTION.split_whitespace().map(str::to_owned).collect();
    select::select(operations, &words, profile, false)
}

/// Bytes that a point may need: a quarter of the emulated machine.
const MAX_MEMORY: u64 = 512 << 20;

/// Why a need is not met in the emulated machine, and what helps.
fn unmet(need: &Need, cpus: u32, architecture: Architecture) -> Option<(&'static str, &'static str)> {
    match need {
        Need::SecondCpu if cpus < 2 => Some(("needs a second CPU", "use --smp 2")),
        Need::SiblingCpu | Need::RemoteCpu => Some((
            "needs a CPU that shares the core, or one on another node: the emulated machine has neither",
            "",
        )),
        Need::Peer | Need::RemoteDirectory | Need::ServerCache => {
            Some(("needs another machine, and the emulated one has no network", "use 'oscope run --peer'"))
        }
        Need::Memory { bytes } if *bytes > MAX_MEMORY => {
            Some(("needs more memory than a quarter of the emulated machine's", "use 'oscope run'"))
        }
        Need::Architecture { name } if name != architecture.name() => {
            Some(("is an operation of another architecture", ""))
        }
        _ => None,
    }
}

/// Whether a point is one of two CPUs, whose count is approximate.
pub fn is_approximate(id: &PointId) -> bool {
    ["cpu=other", "cpu=sibling", "cpu=node"].iter().any(|placement| id.point.contains(placement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_points_can_all_be_counted_but_those_of_two_cpus() {
        let all = |profile, cpus| {
            points(flawed::all_operations(), &[], profile, cpus, Architecture::X86).unwrap().counted.len()
        };
        let usual = all(Profile::Quick, 1);
        assert!(usual > 100, "{usual}");
        assert!(all(Profile::Quick, 2) > usual && all(Profile::Thorough, 1) > usual);
    }

    #[test]
    fn what_cannot_be_counted_has_a_reason() {
        let words = ["network path=remote".to_owned(), "noise.gaps".to_owned()];
        let found = points(flawed::all_operations(), &words, Profile::Quick, 1, Architecture::X86).unwrap();
        assert!(found.counted.is_empty() && !found.skipped.is_empty());
        assert!(found.skipped.iter().all(|skipped| !skipped.why.reason.is_empty()));
    }
}
