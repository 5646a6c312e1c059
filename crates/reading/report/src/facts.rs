//! Facts about a machine as text: one fact alone, and all of them in a few lines.

use crate::style::Paint;
use crate::table::Cell;
use crate::wording::{count, joined, many};
use analysis::distinct;
use quantity::{Quantity, show};
use record::{Fact, FactValue, Machine, PeerEnd, Unit};

/// The value of a fact; `None` when it is unknown.
pub fn value(fact: &Fact) -> Option<String> {
    let is_known = !matches!(fact.value, FactValue::Unknown { .. });
    is_known.then(|| value_text(&fact.value))
}

/// A value in words.
pub(crate) fn value_text(value: &FactValue) -> String {
    match value {
        FactValue::Text { text } => text.clone(),
        FactValue::Number { value, unit } => number(*value, *unit),
        FactValue::List { items } if items.is_empty() => "none".to_owned(),
        FactValue::List { items } => items.join(", "),
        FactValue::Flag { set } => if *set { "yes" } else { "no" }.to_owned(),
        FactValue::Unknown { .. } => "unknown".to_owned(),
    }
}

/// What is said of a fact: its value, or, of lesser importance, why it is unknown.
pub(crate) fn said(fact: &Fact) -> Cell {
    match &fact.value {
        FactValue::Unknown { reason } => Cell::new(format!("unknown: {reason}"), Paint::Faint),
        _ => value(fact).unwrap_or_default().into(),
    }
}

pub(crate) fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::One => count(value),
        Unit::Bytes => show(value, None, Quantity::Size),
        Unit::Hertz => show(value, None, Quantity::Frequency),
        Unit::Nanoseconds => show(value, None, Quantity::Latency),
        Unit::Cycles => format!("{} cycles", count(value)),
        Unit::BytesPerSecond => show(value, None, Quantity::Bandwidth),
    }
}

/// The group of a fact and its name in that group.
pub(crate) fn group_and_name(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or((key, key))
}

/// The machine in a few labelled lines, made of what is known; lines of which nothing is known are absent.
pub(crate) fn summary(machine: &Machine) -> Vec<(&'static str, String)> {
    let lines = [
        ("processor", processor(machine).to_vec()),
        ("caches", caches(machine)),
        ("by class", vec![first(machine, &["cache.by_class"])]),
        ("memory", memory(machine)),
        ("kernel", kernel(machine).into_iter().chain([mitigations(machine, true)]).collect()),
        ("system", system(machine)),
        ("modules", modules(machine)),
        ("disks", devices(machine, "storage", &["size", "transport", "model"])),
        ("links", devices(machine, "network", &["speed", "driver"])),
        ("runs in", surroundings(machine)),
        ("clock", clock(machine)),
        ("files in", directory(machine, "directory")),
        ("remote dir", directory(machine, REMOTE)),
    ];
    lines
        .into_iter()
        .map(|(label, parts)| (label, line(parts)))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// The processor's name, as far as it is known.
pub(crate) fn model(machine: &Machine) -> String {
    let known = first(machine, &["processor.model", "family.name", "processor.vendor"]);
    known.unwrap_or_else(|| "an unknown processor".to_owned())
}

/// How the keys of facts about the remote directory begin.
const REMOTE: &str = "remote";

/// Where files were measured, in a line; `None` where none were.
pub fn directory_line(machine: &Machine) -> Option<String> {
    Some(line(directory(machine, "directory"))).filter(|line| !line.is_empty())
}

/// Where files on a remote file system were measured, in a line; `None` where none were.
pub fn remote_line(machine: &Machine) -> Option<String> {
    Some(line(directory(machine, REMOTE))).filter(|line| !line.is_empty())
}

/// What is known of these parts.
pub(crate) fn line(parts: Vec<Option<String>>) -> String {
    joined(parts.into_iter().flatten(), ", ")
}

/// Where files are measured: the directory, its file system, and what that lies on.
fn directory(machine: &Machine, group: &str) -> Vec<Option<String>> {
    let text = |key: &str| first(machine, &[&format!("{group}.{key}")]);
    let source = text("source").filter(|_| group == REMOTE);
    // Of a device that is none in the end (a loop file, memory), both are said.
    let device = text("device").or_else(|| text("lies_on"));
    let in_the_end = text("lies_on").filter(|words| text("device").is_some() && words != "a block device");
    let [virtually, rotational] = ["virtual", "rotational"].map(|key| {
        let is_set = machine.flag(&format!("{group}.{key}")) == Some(true);
        is_set.then(|| key.to_owned())
    });
    vec![
        text("path"),
        labelled(
            "",
            text("file_system"),
            &text("mount_options").map_or_else(String::new, |options| format!(" ({options})")),
        ),
        labelled("protocol ", text("protocol"), ""),
        labelled("from ", source, ""),
        labelled("on ", device, ""),
        in_the_end,
        virtually,
        rotational,
        labelled("scheduler ", text("scheduler"), ""),
        labelled("", text("requests"), " requests in its queue"),
    ]
}

/// The value of the first of these facts that is known.
pub(crate) fn first(machine: &Machine, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| value(machine.get(key)?))
}

pub(crate) fn labelled(before: &str, text: Option<String>, after: &str) -> Option<String> {
    text.map(|text| format!("{before}{text}{after}"))
}

/// What the recognition of a family says where the model number is of another one.
const MASKED: &str = "taken for";

pub(crate) fn processor(machine: &Machine) -> [Option<String>; 5] {
    let model = first(machine, &["processor.model", "processor.vendor", "processor.architecture"]);
    let is_masked = machine.text("family.recognized_by").is_some_and(|by| by.contains(MASKED));
    let family = first(machine, &["family.name"]).filter(|family| {
        // Some models already say of which family they are.
        !model.as_ref().is_some_and(|model| model.contains(family.as_str()))
    });
    let family = family.map(|family| if is_masked { format!("probably {family}") } else { family });
    let frequency = first(machine, &["processor.frequency", "processor.frequency_max"]);
    let cores = machine.number("cpus.cores").map(|cores| many(cores as usize, "core"));
    [model, family, frequency, cpus(machine), cores]
}

/// How many of the CPUs that are online the run may use; lists where nobody counted.
fn cpus(machine: &Machine) -> Option<String> {
    let allowed = first(machine, &["cpus.allowed", "cpus.allowed_list"]);
    let online = first(machine, &["cpus.online", "cpus.online_list"]);
    let are_counted = machine.number("cpus.allowed").is_some() && machine.number("cpus.online").is_some();
    match (allowed, online) {
        (Some(allowed), Some(online)) if are_counted => Some(format!("{allowed} of {online} CPUs allowed")),
        (Some(allowed), Some(online)) => Some(format!("CPUs {online} online, {allowed} allowed")),
        (Some(allowed), None) => Some(format!("CPUs allowed: {allowed}")),
        (None, Some(online)) => Some(format!("CPUs online: {online}")),
        (None, None) => None,
    }
}

/// The caches as reported, but for the last one, which is one of the others, and what a guest owns of it, which is a guess.
pub(crate) fn caches(machine: &Machine) -> Vec<Option<String>> {
    let sizes = machine.facts.iter().map(|fact| {
        let level = fact.key.strip_prefix("cache.")?.strip_suffix(".size")?;
        let name = level.strip_prefix('l').map(|level| format!("L{level}"))?;
        Some(format!("{name} {}", value(fact)?)).filter(|_| level != "last")
    });
    let mut parts: Vec<_> = sizes.collect();
    let line = ["cache.l1d.line", "cache.l1.line"];
    parts.push(labelled("lines of ", first(machine, &line), ""));
    parts
}

fn memory(machine: &Machine) -> Vec<Option<String>> {
    vec![
        first(machine, &["memory.total"]),
        labelled("", first(machine, &["memory.available"]), " available"),
        labelled("limited to ", first(machine, &["limit.memory_group"]), ""),
        labelled("pages of ", first(machine, &["memory.page_size"]), ""),
    ]
}

pub(crate) fn kernel(machine: &Machine) -> [Option<String>; 2] {
    // The version alone is the number and the day of the build.
    let release = first(machine, &["kernel.release", "kernel.version"]);
    let system = first(machine, &["kernel.system"]).map_or_else(String::new, |system| format!("{system} "));
    // Behind the colon is where the model comes from, which the description has.
    let preemption = first(machine, &["kernel.preemption"]);
    let preemption = preemption.and_then(|model| Some(model.split(':').next()?.to_owned()));
    [labelled(&system, release, ""), labelled("preemption ", preemption, "")]
}

/// How many weaknesses of the processor the kernel works around, and how many it leaves open, or which.
pub(crate) fn mitigations(machine: &Machine, are_named: bool) -> Option<String> {
    let (mut active, mut open) = (0, Vec::new());
    for fact in &machine.facts {
        let Some(name) = fact.key.strip_prefix("mitigation.") else {
            continue;
        };
        let text = value(fact).unwrap_or_default().to_lowercase();
        if text.starts_with("vulnerable") {
            open.push(name);
        } else if text.starts_with("mitigation") {
            active += 1;
        }
    }
    let known = machine.facts.iter().any(|fact| fact.key.starts_with("mitigation.") && value(fact).is_some());
    let working = format!("{} active", many(active, "mitigation"));
    match (known, open.is_empty()) {
        (false, _) => None,
        (true, true) => Some(working),
        (true, false) if are_named => Some(format!("{working}, vulnerable: {}", open.join(" "))),
        (true, false) => Some(format!("{working}, vulnerable to {}", open.len())),
    }
}

/// The distribution, its C library, and the compiler of the program.
fn system(machine: &Machine) -> Vec<Option<String>> {
    let library = first(machine, &["libc.version"]);
    let library = library.map(|name| name.trim_end_matches('.').replace(" stable release", ""));
    let compiler = labelled("oscope by ", first(machine, &["program.compiler"]), "");
    vec![first(machine, &["distribution.name"]), library, compiler]
}

/// The modules of memory, and what they can transfer.
fn modules(machine: &Machine) -> Vec<Option<String>> {
    let together = first(machine, &["memory.bus_bandwidth"]);
    vec![
        value_or_reason(machine, "memory.modules"),
        labelled("", together, " together, if each has a channel"),
    ]
}

/// The value of a fact, or why it is not known; `None` where nobody asked.
fn value_or_reason(machine: &Machine, key: &str) -> Option<String> {
    let fact = machine.get(key)?;
    Some(match &fact.value {
        FactValue::Unknown { reason } => format!("not reported ({reason})"),
        _ => value(fact)?,
    })
}

/// Facts of a device that are said where they are known, each with what is said behind it.
const WHERE_KNOWN: [(&str, &str); 5] = [
    ("bus", ""),
    ("bus_bandwidth", " one way"),
    ("interface_rate", " at its port"),
    ("revolutions_per_minute", " revolutions a minute"),
    ("rotational_latency", " for half a turn"),
];

/// The devices of a group, each with these of its facts, or why one is not known.
fn devices(machine: &Machine, group: &str, parts: &[&str]) -> Vec<Option<String>> {
    let names = machine.facts.iter().filter_map(|fact| {
        let key = fact.key.strip_prefix(group)?.strip_prefix('.')?;
        Some(key.rsplit_once('.')?.0).filter(|name| *name != "lo")
    });
    let devices = distinct(names).into_iter().map(|name| {
        let parts = parts.iter().filter_map(|part| {
            let text = value_or_reason(machine, &format!("{group}.{name}.{part}"))?;
            Some(match text.strip_prefix("not reported") {
                Some(why) => format!("{part} not reported{why}"),
                None => text,
            })
        });
        let known = WHERE_KNOWN.iter().filter_map(|(part, after)| {
            labelled("", first(machine, &[&format!("{group}.{name}.{part}")]), after)
        });
        Some(format!("{name}: {}", joined(parts.chain(known), ", ")))
    });
    devices.collect()
}

fn surroundings(machine: &Machine) -> Vec<Option<String>> {
    let all = [
        ("environment.hypervisor", "bare metal", ""),
        ("environment.container", "no container", "container: "),
    ];
    let named = all.map(|(key, none, before)| match machine.text(key)? {
        "none" => Some(none.to_owned()),
        name => Some(format!("{before}{name}")),
    });
    named.to_vec()
}

fn clock(machine: &Machine) -> Vec<Option<String>> {
    let invariant = machine.flag("processor.invariant_counter");
    vec![
        first(machine, &["kernel.clocksource"]),
        invariant.map(|set| if set { "invariant counter" } else { "counter not invariant" }.to_owned()),
        labelled("governor ", first(machine, &["power.governor"]), ""),
    ]
}

/// The other end of a run: where it is, and in what its machine differs from this one.
pub(crate) fn other_end(peer: &PeerEnd, own: &Machine) -> Vec<(&'static str, String)> {
    let here = summary(own);
    let differing: Vec<_> = summary(&peer.machine).into_iter().filter(|line| !here.contains(line)).collect();
    let like = if differing.is_empty() { ", on a machine like this one" } else { "" };
    let words = format!("{}, {}, protocol {}{like}", peer.address, peer.program, peer.protocol);
    let lines = differing.into_iter().map(|(label, text)| ("", format!("{label}: {text}")));
    [("peer", words)].into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: &str, text: &str) -> Fact {
        Fact {
            key: key.to_owned(),
            value: FactValue::Text { text: text.to_owned() },
            source: "test".to_owned(),
            within: None,
            assumed: false,
        }
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_has_no_lines() {
        assert!(summary(&Machine::default()).is_empty());
        let unknown = Fact {
            key: "processor.model".to_owned(),
            value: FactValue::Unknown { reason: "no /proc".to_owned() },
            source: "/proc/cpuinfo".to_owned(),
            within: None,
            assumed: false,
        };
        assert!(summary(&Machine { facts: vec![unknown] }).is_empty());
    }

    #[test]
    fn open_weaknesses_are_named() {
        let facts = vec![
            text("mitigation.meltdown", "Not affected"),
            text("mitigation.mds", "Vulnerable: Clear CPU buffers attempted, no microcode"),
            text("mitigation.spectre_v2", "Mitigation: Enhanced IBRS"),
        ];
        let expected = "1 mitigation active, vulnerable: mds".to_owned();
        assert_eq!(summary(&Machine { facts }), [("kernel", expected)]);
    }

    #[test]
    fn cpus_are_counted_or_listed() {
        let listed = vec![text("cpus.online", "0-3"), text("cpus.allowed", "0-1")];
        let expected = "CPUs 0-3 online, 0-1 allowed".to_owned();
        assert_eq!(summary(&Machine { facts: listed }), [("processor", expected)]);
    }

    fn machine(kernel: &str) -> Machine {
        Machine { facts: vec![text("cpus.online", "0-3"), text("kernel.release", kernel)] }
    }

    #[test]
    fn peer_machine_is_described_by_its_differences() {
        let peer = PeerEnd {
            drops_caches: false,
            address: "10.0.0.2:7".to_owned(),
            program: "oscope 1".to_owned(),
            protocol: 1,
            machine: machine("7.0"),
        };
        let expected =
            [("peer", "10.0.0.2:7, oscope 1, protocol 1".to_owned()), ("", "kernel: 7.0".to_owned())];
        assert_eq!(other_end(&peer, &machine("6.0")), expected);
        let same = other_end(&peer, &machine("7.0"));
        assert_eq!(
            same,
            [("peer", "10.0.0.2:7, oscope 1, protocol 1, on a machine like this one".to_owned())]
        );
    }
}
