//! Block devices: size, model, transport, scheduler, queue.

use crate::facts::{Facts, Form, part_of_key};
use crate::tree::{self, Absent, Found, Tree};
use crate::{io_bus, parse};
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
    let transport = transport(tree, &folder);
    let has_disk = matches!(transport.as_deref(), Ok("ATA" | "SAS" | "USB"));
    facts.text(&format!("{group}.transport"), &folder, transport);
    // Multimedia cards name themselves, all others have a model.
    let model = tree::line(tree, &path("device/model"));
    let model = model.or_else(|absent| tree::line(tree, &path("device/name")).map_err(|_| absent));
    facts.text(&format!("{group}.model"), &path("device/model"), model);
    facts.files(&group, &folder, &FILES);
    io_bus::describe(facts, &group, &folder);
    if let Some(path) = port_rate(tree, &folder) {
        facts.file(&format!("{group}.interface_rate"), &path, Form::Line);
    }
    if has_disk {
        let about = "reports no size of a disk's own cache; hdparm -I prints it for many disks, as root";
        facts.number(
            &format!("{group}.cache_size"),
            Unit::Bytes,
            &folder,
            Err(Absent::silent("Linux", about)),
        );
    }
    if has_disk && tree::flag(tree, &path("queue/rotational")) == Ok(true) {
        describe_rotation(facts, &group, &path("device/vpd_pgb1"));
    }
}

/// The file with the rate of the ATA port that a device hangs on, if it does.
fn port_rate(tree: &dyn Tree, folder: &str) -> Option<String> {
    let target = tree.link(folder).ok()?;
    let port = target.split('/').filter_map(|part| part.strip_prefix("ata"));
    let port = port.into_iter().find(|number| number.parse::<u32>().is_ok())?.to_owned();
    Some(format!("/sys/class/ata_link/link{port}/sata_spd"))
}

/// How fast a disk turns, and how long a sector takes to come round.
fn describe_rotation(facts: &mut Facts, group: &str, path: &str) {
    let found = facts
        .tree
        .read(path)
        .and_then(|page| revolutions(&page).ok_or_else(|| Absent::silent(path, "gives no rate of rotation")));
    let half_a_turn = found.clone().map(|rate| 60e9 / rate / 2.0);
    facts.number(&format!("{group}.revolutions_per_minute"), Unit::One, path, found);
    facts.number(&format!("{group}.rotational_latency"), Unit::Nanoseconds, path, half_a_turn);
}

/// Revolutions a minute in a page of block device characteristics: the bytes 4 and 5 (SCSI Block Commands 4, 6.6.2). The
/// page is read as text, in which a byte that is none is another character: such a rate is unknown.
fn revolutions(page: &str) -> Option<f64> {
    let mut bytes = page.chars().skip(4).map(u32::from);
    let (high, low) = (bytes.next()?, bytes.next()?);
    // 0 is not reported, 1 a medium that does not rotate.
    (high < 0x80 && low < 0x80 && high > 0).then(|| f64::from(high * 256 + low))
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
    use crate::tree::testing::texts;

    #[test]
    fn disk_of_an_ata_port_has_its_rates() {
        let link = "../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda";
        let machine = texts(&[
            ("/sys/block/sda", link),
            ("/sys/block/sda/queue/rotational", "1\n"),
            ("/sys/block/sda/device/vpd_pgb1", "\0\u{fffd}\0<\u{1c} \0\u{2}"),
            ("/sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n"),
            ("/sys/bus/pci/devices/0000:00:17.0/current_link_speed", "Unknown\n"),
        ]);
        let mut facts = Facts::below(&machine);
        describe_one(&mut facts, "sda");
        let machine = facts.into_machine();
        assert_eq!(machine.text("storage.sda.interface_rate"), Some("6.0 Gbps"));
        assert_eq!(machine.number("storage.sda.revolutions_per_minute"), Some(7200.0));
        let half_a_turn = machine.number("storage.sda.rotational_latency").unwrap();
        assert!((half_a_turn / 4_166_667.0 - 1.0).abs() < 1e-6, "{half_a_turn}");
        assert_eq!(machine.text("storage.sda.bus"), None);
        for page in ["", "\0\u{fffd}\0<\0\u{1}", "\0\u{fffd}\0<:\u{fffd}"] {
            assert_eq!(revolutions(page), None, "{page:?}");
        }
    }

    #[test]
    fn numbered_names_are_virtual_devices() {
        assert!(is_kind("loop3", "loop"));
        assert!(is_kind("sr0", "sr"));
        assert!(!is_kind("sram", "sr"));
        assert!(!is_kind("loop", "loop"));
    }
}
