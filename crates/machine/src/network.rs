//! Network links: speed, driver, MTU. No addresses.

use crate::facts::{Facts, part_of_key};
use crate::identifiers;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const FOLDER: &str = "/sys/class/net";

/// `speed` is in megabits per second (kernel, `Documentation/ABI/testing/sysfs-class-net`).
const BYTES_PER_MEGABIT: f64 = 125_000.0;

/// Links beyond this many are not described.
const MOST_LINKS: usize = 32;

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    let links = tree.list(FOLDER).map(|names| {
        let real = |name: &String| name == "lo" || has_device(tree, name);
        names.into_iter().filter(real).take(MOST_LINKS).collect::<Vec<_>>()
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
    let key = |part: &str| format!("network.{}.{part}", part_of_key(link));
    let path = |file: &str| format!("{FOLDER}/{link}/{file}");
    if link != "lo" {
        facts.number(&key("speed"), Unit::BytesPerSecond, &speed_path(link), speed(tree, &speed_path(link)));
        facts.text(&key("driver"), &path("device/driver"), driver(tree, link));
        facts.line(&key("duplex"), &path("duplex"));
    }
    facts.amount(&key("mtu"), Unit::Bytes, &path("mtu"));
    facts.line(&key("state"), &path("operstate"));
}

/// The file that holds the speed of a link.
pub(crate) fn speed_path(link: &str) -> String {
    format!("{FOLDER}/{link}/speed")
}

pub(crate) fn speed(tree: &dyn Tree, path: &str) -> Found<f64> {
    let megabits = tree::number(tree, path)?;
    if megabits > 0.0 {
        Ok(megabits * BYTES_PER_MEGABIT)
    } else {
        Err(Absent::silent(
            path,
            &format!(
                "the driver reports {megabits}: speed unknown, as usual for virtual links and links that are down"
            ),
        ))
    }
}

fn driver(tree: &dyn Tree, link: &str) -> Found<String> {
    let target = tree.link(&format!("{FOLDER}/{link}/device/driver"))?;
    Ok(target.rsplit('/').next().unwrap_or(&target).to_owned())
}
