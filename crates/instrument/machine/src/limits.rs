//! Limits on this process: memory, CPUs, processes, files.

use crate::cgroup;
use crate::facts::Facts;
use crate::memory::meminfo;
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const LIMITS: &str = "/proc/self/limits";

/// Version 1 says "no limit" with the largest multiple of a page below 2^63.
const UNLIMITED_BYTES: f64 = 9.0e18;

/// Names of resource limits, which are padded to a column in `/proc/self/limits`.
const RESOURCES: [(&str, &str, Unit); 5] = [
    ("limit.open_files", "Max open files", Unit::One),
    ("limit.locked_memory", "Max locked memory", Unit::Bytes),
    ("limit.stack", "Max stack size", Unit::Bytes),
    ("limit.address_space", "Max address space", Unit::Bytes),
    ("limit.file_size", "Max file size", Unit::Bytes),
];

/// A limit and the file that sets it.
type Limit = (f64, String);

pub(crate) fn describe(facts: &mut Facts) {
    describe_groups(facts);
    memory(facts);
    processes(facts);
    for (key, name, unit) in RESOURCES {
        let found = resource(facts.tree, name);
        facts.number(key, unit, &format!("{LIMITS} {name}"), found);
    }
}

/// What control groups limit: memory and CPU time.
pub(crate) fn describe_groups(facts: &mut Facts) {
    let memory = group_memory(facts.tree);
    put(facts, "limit.memory_group", Unit::Bytes, &memory);
    let [soft, swap] = ["memory.high", "memory.swap.max"]
        .map(|file| tightest(facts.tree, "memory", &[file], |tree, path| tree::number(tree, path).ok()));
    put(facts, "limit.memory_high", Unit::Bytes, &soft);
    put(facts, "limit.swap_group", Unit::Bytes, &swap);
    cpus(facts);
    let weight = tightest(facts.tree, "cpu", &["cpu.weight", "cpu.shares"], |tree, path| {
        tree::number(tree, path).ok()
    });
    put(facts, "limit.cpu_weight", Unit::One, &weight);
}

fn put(facts: &mut Facts, key: &str, unit: Unit, limit: &Found<Limit>) {
    match limit {
        Ok((value, source)) => facts.number(key, unit, source, Ok(*value)),
        Err(absent) => facts.number(key, unit, "control groups", Err(absent.clone())),
    }
}

/// The tightest of the limits that the files `name` of the groups set.
fn tightest(
    tree: &dyn Tree,
    controller: &str,
    names: &[&str],
    reading: impl Fn(&dyn Tree, &str) -> Option<f64>,
) -> Found<Limit> {
    let folders = cgroup::folders(tree, controller)?;
    let paths = folders.iter().flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}")));
    let limits = paths.filter_map(|path| Some((reading(tree, &path)?, path)));
    let tightest = limits.min_by(|a, b| a.0.total_cmp(&b.0));
    tightest.ok_or_else(|| Absent::silent("control groups", &format!("have no limit on {controller}")))
}

fn group_memory(tree: &dyn Tree) -> Found<Limit> {
    tightest(tree, "memory", &["memory.max", "memory.limit_in_bytes"], |tree, path| {
        let bytes = tree::number(tree, path).ok()?;
        (0.0..UNLIMITED_BYTES).contains(&bytes).then_some(bytes)
    })
}

/// The tighter of a group's limit and another one.
fn tighter(group: Found<Limit>, other: Found<Limit>) -> Found<Limit> {
    match (group, other) {
        (Ok(group), Ok(other)) if group.0 < other.0 => Ok(group),
        (Ok(group), Err(_)) => Ok(group),
        (_, other) => other,
    }
}

/// `limit.memory`: what can be used now, bounded by the groups and by what is available.
fn memory(facts: &mut Facts) {
    let group = group_memory(facts.tree);
    let available = meminfo(facts.tree, "MemAvailable");
    let available = available.map(|bytes| (bytes, "/proc/meminfo MemAvailable".to_owned()));
    put(facts, "limit.memory", Unit::Bytes, &tighter(group, available));
}

/// `limit.cpus`: the quota of the groups, or the CPUs that are allowed.
fn cpus(facts: &mut Facts) {
    let quota = tightest(facts.tree, "cpu", &["cpu.max", "cpu.cfs_quota_us"], cpu_quota);
    let found = match facts.machine().number("cpus.allowed") {
        Some(allowed) => tighter(quota, Ok((allowed, "cpus.allowed; no group sets a quota".to_owned()))),
        None => quota,
    };
    put(facts, "limit.cpus", Unit::One, &found);
}

/// `150000 100000` in version 2; in version 1 the period is in a file of its own.
fn cpu_quota(tree: &dyn Tree, path: &str) -> Option<f64> {
    let line = tree::line(tree, path).ok()?;
    let mut words = line.split_whitespace();
    let quota = parse::number(words.next()?)?;
    let period = match path.strip_suffix("cpu.cfs_quota_us") {
        Some(folder) => tree::number(tree, &format!("{folder}cpu.cfs_period_us")).ok()?,
        None => parse::number(words.next()?)?,
    };
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// `limit.processes`: the tighter of the groups' and the user's limit.
fn processes(facts: &mut Facts) {
    let group = tightest(facts.tree, "pids", &["pids.max"], |tree, path| {
        tree::number(tree, path).ok().filter(|count| *count >= 0.0)
    });
    let name = "Max processes";
    let user = resource(facts.tree, name).map(|count| (count, format!("{LIMITS} {name}")));
    put(facts, "limit.processes", Unit::One, &tighter(group, user));
}

/// The soft limit of a resource.
fn resource(tree: &dyn Tree, name: &str) -> Found<f64> {
    let text = tree.read(LIMITS)?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name));
    match rest.and_then(|rest| rest.split_whitespace().next()) {
        Some("unlimited") => Err(Absent::silent(name, "unlimited")),
        Some(word) => {
            parse::number(word).ok_or_else(|| Absent::silent(LIMITS, &format!("'{name}' is not a number")))
        }
        None => Err(Absent::silent(LIMITS, &format!("has no line '{name}'"))),
    }
}
