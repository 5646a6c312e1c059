//! Memory: amounts, page sizes, nodes, modules.

use crate::facts::{Facts, Form};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const MEMINFO: &str = "/proc/meminfo";
const NODES: &str = "/sys/devices/system/node";
const HUGE: &str = "/sys/kernel/mm/hugepages";
const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage";
const MODULES: &str = "oscope/memory_modules";

/// Nodes beyond this many are not described; the largest machines have 64 or fewer.
const MOST_NODES: usize = 64;

pub(crate) fn describe(facts: &mut Facts) {
    for (key, line) in [
        ("memory.total", "MemTotal"),
        ("memory.available", "MemAvailable"),
        ("memory.free", "MemFree"),
        ("memory.cached", "Cached"),
        ("memory.swap", "SwapTotal"),
        ("memory.huge_page_size", "Hugepagesize"),
    ] {
        let found = meminfo(facts.tree, line);
        facts.number(key, Unit::Bytes, &format!("{MEMINFO} {line}"), found);
    }
    let reserved = tree::value(facts.tree, MEMINFO, "HugePages_Total").and_then(|text| {
        parse::number(&text).ok_or_else(|| Absent::silent(MEMINFO, "HugePages_Total is not a number"))
    });
    let source = format!("{MEMINFO} HugePages_Total");
    facts.number("memory.huge_pages_reserved", Unit::One, &source, reserved);
    facts.file("memory.page_size", "oscope/page_size", Form::Number(Unit::Bytes));
    let sizes = huge_page_sizes(facts.tree);
    facts.list("memory.huge_page_sizes", HUGE, sizes);
    describe_transparent(facts);
    nodes(facts);
    modules(facts);
}

/// When memory is backed by huge pages unasked.
pub(crate) fn describe_transparent(facts: &mut Facts) {
    for (key, file) in [
        ("memory.transparent_huge_pages", "enabled"),
        ("memory.transparent_huge_pages_defrag", "defrag"),
        ("memory.transparent_huge_pages_shared", "shmem_enabled"),
    ] {
        let path = format!("{TRANSPARENT}/{file}");
        let found = selected(facts.tree, &path);
        facts.text(key, &path, found);
    }
}

/// Bytes of a line of `/proc/meminfo`.
pub(crate) fn meminfo(tree: &dyn Tree, line: &str) -> Found<f64> {
    let text = tree::value(tree, MEMINFO, line)?;
    parse::kibibytes(&text)
        .filter(|bytes| *bytes >= 0.0)
        .ok_or_else(|| Absent::silent(MEMINFO, &format!("'{line}' is not in kB")))
}

/// The word in brackets of a file that lists what could be chosen.
fn selected(tree: &dyn Tree, path: &str) -> Found<String> {
    tree::parsed(tree::line(tree, path), path, "has no selected word", |line| {
        parse::selected(line).map(str::to_owned)
    })
}

fn huge_page_sizes(tree: &dyn Tree) -> Found<Vec<String>> {
    let names = tree.list(HUGE)?;
    Ok(names.iter().filter_map(|name| name.strip_prefix("hugepages-").map(str::to_owned)).collect())
}

fn nodes(facts: &mut Facts) {
    let tree = facts.tree;
    let path = format!("{NODES}/online");
    let nodes = tree::cpu_list(tree, &path);
    let count = nodes.as_ref().map(|nodes| nodes.len() as f64).map_err(Clone::clone);
    facts.number("memory.nodes", Unit::One, &path, count);
    for node in nodes.unwrap_or_default().into_iter().take(MOST_NODES) {
        let (group, folder) = (format!("memory.node{node}"), format!("{NODES}/node{node}"));
        let files = [("cpus", "cpulist", Form::Line), ("distances", "distance", Form::Line)];
        facts.files(&group, &folder, &files);
        let path = format!("{folder}/meminfo");
        let total = tree::parsed(tree.read(&path), &path, "has no line 'MemTotal' in kB", node_total);
        facts.number(&format!("{group}.total"), Unit::Bytes, &path, total);
    }
}

/// `Node 0 MemTotal:       24684092 kB`.
fn node_total(text: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, total) = lines.find(|(name, _)| name.ends_with(" MemTotal"))?;
    parse::kibibytes(total)
}

/// Modules as the firmware lists them: `DIMM_A1: 17179869184 bytes DDR4, 3200 MT/s, runs at 2933 MT/s`.
fn modules(facts: &mut Facts) {
    let tree = facts.tree;
    let found = tree::parsed(tree.read(MODULES), MODULES, "lists no installed module", |text| {
        let modules: Vec<String> = text.lines().filter_map(module).collect();
        (!modules.is_empty()).then_some(modules)
    });
    facts.list("memory.modules", "SMBIOS type 17, /sys/firmware/dmi/tables/DMI", found);
    let bandwidth =
        tree::parsed(tree.read(MODULES), MODULES, "gives no speed of every module", bus_bandwidth);
    let source = "memory.modules: 8 bytes a transfer, each module on a channel of its own";
    facts.number("memory.bus_bandwidth", Unit::BytesPerSecond, source, bandwidth);
}

/// What the modules can transfer together, in bytes a second, if each has a channel of its own; `None` where the speed of one
/// is not known.
fn bus_bandwidth(text: &str) -> Option<f64> {
    const BYTES: f64 = 8.0;
    let installed = text.lines().filter(|line| module(line).is_some());
    let rates = installed.map(|line| {
        let mut speeds = line.split('\t').skip(3).filter_map(|rate| rate.parse::<f64>().ok());
        let (rated, configured) = (speeds.next()?, speeds.next()?);
        let rate = if configured > 0.0 { configured } else { rated };
        (rate > 0.0).then_some(rate * 1e6 * BYTES)
    });
    let rates: Option<Vec<f64>> = rates.collect();
    rates.filter(|rates| !rates.is_empty()).map(|rates| rates.iter().sum())
}

fn module(line: &str) -> Option<String> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [locator, bytes, kind, rated, configured, ..] = parts.as_slice() else { return None };
    let [rated, configured] = [(rated, ""), (configured, "runs at ")].map(|(rate, words)| match *rate {
        "0" => String::new(),
        rate => format!(", {words}{rate} MT/s"),
    });
    Some(format!("{locator}: {bytes} bytes {kind}{rated}{configured}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_module_is_described() {
        assert_eq!(
            module("DIMM_A1\t17179869184\tDDR4\t3200\t2933").as_deref(),
            Some("DIMM_A1: 17179869184 bytes DDR4, 3200 MT/s, runs at 2933 MT/s")
        );
        assert_eq!(module("A\t1\tDDR5\t0\t0").as_deref(), Some("A: 1 bytes DDR5"));
        assert_eq!(module("A\t1"), None);
    }

    #[test]
    fn modules_together_have_the_bandwidth_of_their_channels() {
        let two = "A\t1\tDDR4\t3200\t2933\nB\t1\tDDR4\t3200\t0";
        assert_eq!(bus_bandwidth(two), Some((2933.0 + 3200.0) * 8e6));
        assert_eq!(bus_bandwidth("A\t1\tDDR4\t3200\t2933\nB\t1\tDDR4\t0\t0"), None);
        assert_eq!(bus_bandwidth(""), None);
    }
}
