//! Block devices: size, model, transport, scheduler, queue.

use crate::facts::{Facts, Form, part_of_key};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const FOLDER: &str = "/sys/block";

/// `/sys/block/*/size` counts sectors of 512 bytes whatever the device's own blocks are
/// (kernel, `Documentation/ABI/stable/sysfs-block`).
const SECTOR_BYTES: f64 = 512.0;

/// Devices beyond this many are not described.
const MOST_DEVICES: usize = 64;

/// Devices that are files or memory, not storage.
const VIRTUAL_KINDS: [&str; 5] = ["loop", "ram", "zram", "fd", "sr"];

/// Parts of a device's sysfs path, and the transport of each.
const TRANSPORTS: [(&str, &str); 10] = [
    ("/nvme", "NVMe"),
    ("/virtio", "virtio"),
    ("/vbd-", "Xen"),
    ("/usb", "USB"),
    ("/ata", "ATA"),
    ("/end_device-", "SAS"),
    ("/mmc", "MMC"),
    ("/session", "iSCSI"),
    ("/rport-", "Fibre Channel"),
    ("/VMBUS", "Hyper-V"),
];

pub(crate) fn describe(facts: &mut Facts) {
    let devices = facts.tree.list(FOLDER).map(|names| {
        names
            .into_iter()
            .filter(|name| !VIRTUAL_KINDS.iter().any(|kind| is_kind(name, kind)))
            .take(MOST_DEVICES)
            .collect::<Vec<_>>()
    });
    facts.list("storage.devices", FOLDER, devices.clone());
    for device in devices.unwrap_or_default() {
        describe_one(facts, &device);
    }
}

/// `loop3` is a `loop`; `sram` is no `sr`.
pub(crate) fn is_kind(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Facts that files of a device hold.
const FILES: [(&str, &str, Form); 5] = [
    ("rotational", "queue/rotational", Form::Flag),
    ("scheduler", "queue/scheduler", Form::Selected),
    ("block_size", "queue/logical_block_size", Form::Number(Unit::Bytes)),
    ("write_cache", "queue/write_cache", Form::Line),
    ("read_ahead_kib", "queue/read_ahead_kb", Form::Number(Unit::One)),
];

fn describe_one(facts: &mut Facts, device: &str) {
    let tree = facts.tree;
    let (group, folder) = (format!("storage.{}", part_of_key(device)), format!("{FOLDER}/{device}"));
    let path = |file: &str| format!("{folder}/{file}");
    let size = tree::number(tree, &path("size")).map(|sectors| sectors * SECTOR_BYTES);
    facts.number(&format!("{group}.size"), Unit::Bytes, &path("size"), size);
    facts.text(&format!("{group}.transport"), &folder, transport(tree, &folder));
    // Multimedia cards name themselves, all others have a model.
    let model = tree::line(tree, &path("device/model"));
    let model = model.or_else(|absent| tree::line(tree, &path("device/name")).map_err(|_| absent));
    facts.text(&format!("{group}.model"), &path("device/model"), model);
    facts.files(&group, &folder, &FILES);
}

/// The sysfs path of the device names the bus, closest last.
fn transport(tree: &dyn Tree, path: &str) -> Found<String> {
    let target = tree.link(path)?;
    if target.contains("/devices/virtual/") {
        return Ok("virtual (made of other devices)".to_owned());
    }
    let known = parse::beside(&TRANSPORTS, |part| target.contains(part));
    known.ok_or_else(|| Absent::silent(path, "is on an unknown bus"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_are_virtual_devices() {
        assert!(is_kind("loop3", "loop"));
        assert!(is_kind("sr0", "sr"));
        assert!(!is_kind("sram", "sr"));
        assert!(!is_kind("loop", "loop"));
    }
}
