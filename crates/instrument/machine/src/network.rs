//! Network links: speed, driver, MTU. No addresses.

use crate::facts::{Facts, Form, part_of_key};
use crate::tree::{self, Absent, Found, Tree};
use crate::{identifiers, io_bus};
use record::Unit;

const FOLDER: &str = "/sys/class/net";

/// `speed` is in megabits per second (kernel, `Documentation/ABI/testing/sysfs-class-net`).
const BYTES_PER_MEGABIT: f64 = 125_000.0;

/// Links beyond this many are not described.
const MOST_LINKS: usize = 32;

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    let links = tree.list(FOLDER).map(|names| {
        names
            .into_iter()
            .filter(|name| name == "lo" || has_device(tree, name))
            .take(MOST_LINKS)
            .collect::<Vec<_>>()
    });
    // Some names hold the link's MAC address.
    let names =
        links.clone().map(|names| names.iter().map(|name| identifiers::without_identifiers(name)).collect());
    facts.list("network.links", FOLDER, names);
    for link in links.unwrap_or_default() {
        describe_one(facts, &link);
    }
}

/// Bridges, tunnels and the like are virtual devices; the others have hardware, real or emulated.
pub(crate) fn has_device(tree: &dyn Tree, name: &str) -> bool {
    tree.link(&format!("{FOLDER}/{name}")).is_ok_and(|target| !target.contains("/devices/virtual/"))
}

fn describe_one(facts: &mut Facts, link: &str) {
    let tree = facts.tree;
    let (group, folder) = (format!("network.{}", part_of_key(link)), format!("{FOLDER}/{link}"));
    if link != "lo" {
        let (path, driver) = (speed_path(link), format!("{folder}/device/driver"));
        facts.number(&format!("{group}.speed"), Unit::BytesPerSecond, &path, speed(tree, &path));
        facts.text(
            &format!("{group}.driver"),
            &driver,
            tree.link(&driver).map(|target| target.rsplit('/').next().unwrap_or_default().to_owned()),
        );
        facts.file(&format!("{group}.duplex"), &format!("{folder}/duplex"), Form::Line);
        io_bus::describe(facts, &group, &folder);
    }
    let files = [("mtu", "mtu", Form::Number(Unit::Bytes)), ("state", "operstate", Form::Line)];
    facts.files(&group, &folder, &files);
}

/// The file that holds the speed of a link.
pub(crate) fn speed_path(link: &str) -> String {
    format!("{FOLDER}/{link}/speed")
}

pub(crate) fn speed(tree: &dyn Tree, path: &str) -> Found<f64> {
    let megabits = tree::number(tree, path)?;
    if megabits > 0.0 {
        return Ok(megabits * BYTES_PER_MEGABIT);
    }
    let why = "speed unknown, as usual for virtual links and links that are down";
    Err(Absent::silent(path, &format!("the driver reports {megabits}: {why}")))
}
