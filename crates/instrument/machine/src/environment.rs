//! Where the program runs: on what board, under what hypervisor, in what container, with what rights.

use crate::cgroup::CONTAINERS;
use crate::facts::{Facts, Form};
use crate::hypervisor;
use crate::mounts::{MOUNTS, MountLine};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const STATUS: &str = "/proc/self/status";
const CGROUP: &str = "/proc/self/cgroup";

/// What the firmware says of the machine. Its serial numbers and UUID are not read.
const FIRMWARE: [(&str, &str, Form); 7] = [
    ("vendor", "sys_vendor", Form::Line),
    ("product", "product_name", Form::Line),
    ("board_vendor", "board_vendor", Form::Line),
    ("board", "board_name", Form::Line),
    ("firmware_vendor", "bios_vendor", Form::Line),
    ("firmware_version", "bios_version", Form::Line),
    ("firmware_date", "bios_date", Form::Line),
];

/// The PID namespace that the kernel begins with (`PID_NS_INIT_INO` of linux/nsfs.h); no container has it unless it was
/// asked to share it.
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";
const PID_NAMESPACE: &str = "/proc/self/ns/pid";

/// Files that container runtimes leave, and images of machines that were made from those of containers.
const MARKS: [(&str, &str); 2] = [("/.dockerenv", "Docker"), ("/run/.containerenv", "Podman")];

/// Capabilities that decide what can be measured, by their number in `linux/capability.h`.
const CAPABILITIES: [(u32, &str); 10] = [
    (12, "net_admin"),
    (13, "net_raw"),
    (14, "ipc_lock"),
    (17, "sys_rawio"),
    (19, "sys_ptrace"),
    (21, "sys_admin"),
    (23, "sys_nice"),
    (24, "sys_resource"),
    (38, "perfmon"),
    (39, "bpf"),
];

pub(crate) fn describe(facts: &mut Facts) {
    facts.files("environment", "/sys/class/dmi/id", &FIRMWARE);
    let path = "/proc/device-tree/model";
    let board = tree::line(facts.tree, path).map(|name| name.trim_end_matches('\0').to_owned());
    facts.text("environment.board_model", path, board);
    hypervisor::describe(facts);
    let (source, found) = container(facts.tree);
    facts.text("environment.container", &source, found);
    rights(facts);
}

/// The container by name, `none` when nothing hints at one. Namespaces and control groups decide; files that a runtime
/// leaves only name it.
fn container(tree: &dyn Tree) -> (String, Found<String>) {
    let groups = tree.read(CGROUP);
    let by_group =
        groups.as_ref().ok().and_then(|groups| parse::beside(&CONTAINERS, |word| groups.contains(word)));
    if let Some(name) = by_group {
        return (CGROUP.to_owned(), Ok(name));
    }
    let mark = MARKS.iter().find(|(path, _)| tree.read(path).is_ok());
    match (tree.link(PID_NAMESPACE), mark) {
        (Ok(namespace), _) if namespace == FIRST_PID_NAMESPACE => {
            (format!("{CGROUP}, {PID_NAMESPACE}"), Ok("none".to_owned()))
        }
        (Ok(_), mark) => {
            let (path, name) = mark.unwrap_or(&(PID_NAMESPACE, "some container"));
            ((*path).to_owned(), Ok((*name).to_owned()))
        }
        (Err(_), Some((path, name))) => ((*path).to_owned(), Ok((*name).to_owned())),
        (Err(_), None) => by_root(tree, groups.map(|_| ())),
    }
}

/// By the root, where the kernel does not show the namespaces.
fn by_root(tree: &dyn Tree, groups: Found<()>) -> (String, Found<String>) {
    if let Err(absent) = groups {
        return (CGROUP.to_owned(), Err(absent));
    }
    let mounts = tree.read(MOUNTS).unwrap_or_default();
    if mounts.lines().any(is_overlay_root) {
        return (format!("{MOUNTS}: the root is an overlay"), Ok("some container".to_owned()));
    }
    (format!("{CGROUP}, {MOUNTS}"), Ok("none".to_owned()))
}

fn is_overlay_root(line: &str) -> bool {
    MountLine::parse(line).is_some_and(|mount| mount.point == "/" && mount.kind.starts_with("overlay"))
}

fn rights(facts: &mut Facts) {
    let tree = facts.tree;
    let uid = status(tree, "Uid", |text| {
        // Real, effective, saved and file system's; the effective one matters.
        parse::number(text.split_whitespace().nth(1)?)
    });
    facts.number("environment.uid", Unit::One, &source("Uid"), uid);
    let capabilities = status(tree, "CapEff", |text| {
        let set = parse::hexadecimal(text)?;
        let held = CAPABILITIES.iter().filter(|(bit, _)| set >> bit & 1 == 1);
        Some(held.map(|(_, name)| (*name).to_owned()).collect())
    });
    facts.list("environment.capabilities", &source("CapEff"), capabilities);
    const MODES: [(&str, &str); 3] = [("0", "off"), ("1", "strict"), ("2", "filter")];
    let seccomp = status(tree, "Seccomp", |text| parse::beside(&MODES, |mode| *mode == text));
    facts.text("environment.seccomp", &source("Seccomp"), seccomp);
    let no_new = status(tree, "NoNewPrivs", |text| parse::number(text).map(|flag| flag != 0.0));
    facts.flag("environment.no_new_privileges", &source("NoNewPrivs"), no_new);
    let traced = status(tree, "TracerPid", |text| parse::number(text).map(|pid| pid != 0.0));
    facts.flag("environment.traced", &source("TracerPid"), traced);
}

fn source(key: &str) -> String {
    format!("{STATUS} {key}")
}

fn status<T>(tree: &dyn Tree, key: &str, reading: impl FnOnce(&str) -> Option<T>) -> Found<T> {
    let text = tree::value(tree, STATUS, key)?;
    reading(&text).ok_or_else(|| Absent::silent(STATUS, &format!("'{key}' is not as documented")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::texts;

    #[test]
    fn tracer_is_known_by_its_number_in_the_status_of_the_process() {
        for (line, expected) in
            [("TracerPid:\t77\n", Some(true)), ("TracerPid:\t0\n", Some(false)), ("", None)]
        {
            let tree = texts(&[(STATUS, line)]);
            let mut facts = Facts::below(&tree);
            rights(&mut facts);
            assert_eq!(facts.into_machine().flag("environment.traced"), expected, "{line}");
        }
    }
}
