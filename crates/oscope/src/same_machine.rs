//! Whether two descriptions are of one machine, with the same kernel and the same libraries.

use record::{FactValue, Machine};

/// Facts by which two machines differ.
pub const OF_MACHINES: [&str; 3] = ["processor.architecture", "processor.model", "cpus.online"];

/// Facts by which two kernels differ.
pub const OF_KERNELS: [&str; 3] = ["kernel.version", "kernel.release", "kernel.config.sum"];

/// Facts of the processes that do the work, which stay while a run lasts. What an administrator can change meanwhile is no reason
/// to refuse a record.
pub const OF_WORKERS: [&str; 3] = ["libc.variables", "libc.preload", "libc.version"];

/// The fact by which two machines, or two kernels, differ, if one does.
pub fn of_another_machine(before: &Machine, now: &Machine) -> Option<&'static str> {
    differing(before, now, &OF_MACHINES).or_else(|| differing(before, now, &OF_KERNELS))
}

/// The first of these facts that is known of both machines, and is not the same: a program of another version may not have
/// recorded it.
pub fn differing(before: &Machine, now: &Machine, keys: &[&'static str]) -> Option<&'static str> {
    let known = |machine: &Machine, key: &str| {
        let value = machine.get(key).map(|fact| fact.value.clone());
        value.filter(|value| !matches!(value, FactValue::Unknown { .. }))
    };
    keys.iter()
        .copied()
        .find(|key| known(before, key).zip(known(now, key)).is_some_and(|(before, now)| before != now))
}
