//! The bus of a device: the link of PCI Express that it hangs on, and what this link carries one way.

use crate::facts::Facts;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

/// Every function on a PCI bus, by its address.
const FUNCTIONS: &str = "/sys/bus/pci/devices";

/// Lanes of this many transfers a second carry this share of them as data (PCI Express Base Specification: 8b/10b up to
/// revision 2, 128b/130b from 3 on; from 6 on flits of 256 bytes, 236 of them for packets).
const CODINGS: [(f64, f64); 3] = [(5e9, 0.8), (32e9, 128.0 / 130.0), (f64::INFINITY, 236.0 / 256.0)];

/// Describes the bus of the device that this link of sysfs leads to.
pub(crate) fn describe(facts: &mut Facts, group: &str, device: &str) {
    let tree = facts.tree;
    let address = address(tree, device);
    let source = match &address {
        Ok(address) => format!("{FUNCTIONS}/{address}/current_link_speed"),
        Err(_) => device.to_owned(),
    };
    let link = address.and_then(|address| Link::read(tree, &address));
    let text = link.as_ref().map(Link::text).map_err(Clone::clone);
    facts.text(&format!("{group}.bus"), &source, text);
    let bandwidth = link.map(|link| link.bytes_per_second());
    facts.number(&format!("{group}.bus_bandwidth"), Unit::BytesPerSecond, &source, bandwidth);
}

/// A link of PCI Express as it was trained.
struct Link {
    /// Transfers of a lane in a second.
    transfers: f64,
    lanes: f64,
}

impl Link {
    fn read(tree: &dyn Tree, address: &str) -> Found<Self> {
        let [speed, width] =
            ["speed", "width"].map(|what| format!("{FUNCTIONS}/{address}/current_link_{what}"));
        // `8.0 GT/s PCIe`; `Unknown` where the function has no link.
        let transfers = tree::parsed(tree::line(tree, &speed), &speed, "is no speed of a link", |text| {
            let number: f64 = text.split_once(" GT/s")?.0.parse().ok()?;
            Some(number * 1e9).filter(|transfers| *transfers > 0.0)
        })?;
        let lanes = tree::number(tree, &width)?;
        match lanes > 0.0 {
            true => Ok(Self { transfers, lanes }),
            false => Err(Absent::silent(&width, "reports no lane")),
        }
    }

    fn text(&self) -> String {
        let lanes = if self.lanes == 1.0 { "lane" } else { "lanes" };
        format!("PCI Express, {} GT/s, {} {lanes}", self.transfers / 1e9, self.lanes)
    }

    fn bytes_per_second(&self) -> f64 {
        let coding = CODINGS.iter().find(|(most, _)| self.transfers <= *most);
        self.transfers * self.lanes * coding.map_or(1.0, |(_, share)| *share) / 8.0
    }
}

/// The address of the function that is closest to a device: `0000:3b:00.0`.
fn address(tree: &dyn Tree, device: &str) -> Found<String> {
    let target = tree.link(device)?;
    let found = target.split('/').rev().find(|part| is_address(part));
    found.map(str::to_owned).ok_or_else(|| Absent::silent(device, "is on no PCI bus"))
}

/// Domain, bus, device and function in hexadecimal.
fn is_address(part: &str) -> bool {
    let is_hexadecimal = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let numbers: Vec<&str> = part.split([':', '.']).collect();
    matches!(numbers.as_slice(), [_, bus, device, _] if bus.len() == 2 && device.len() == 2)
        && part.contains('.')
        && numbers.iter().all(|number| is_hexadecimal(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::Texts;

    #[test]
    fn addresses_are_recognised_among_parts_of_a_path() {
        assert!(is_address("0000:3b:00.0") && is_address("10000:e1:00.0"));
        for other in ["pci0000:00", "0:0:0:0", "virtio0", "2:0:0.0", "nvme0n1", "0000:3b:00"] {
            assert!(!is_address(other), "{other}");
        }
    }

    #[test]
    fn link_carries_what_its_coding_leaves() {
        for (speed, width, expected) in [
            ("2.5 GT/s PCIe", "1", Some(250e6)),
            ("8.0 GT/s PCIe", "4", Some(8e9 * 4.0 * 128.0 / 130.0 / 8.0)),
            ("16.0 GT/s PCIe", "16", Some(16e9 * 16.0 * 128.0 / 130.0 / 8.0)),
            ("64.0 GT/s PCIe", "4", Some(64e9 * 4.0 * 236.0 / 256.0 / 8.0)),
            ("Unknown", "0", None),
            ("8.0 GT/s PCIe", "0", None),
        ] {
            let texts = Texts::new(|path| {
                let text = if path.ends_with("speed") { speed } else { width };
                path.starts_with("/sys/bus/pci/devices/0000:3b:00.0/").then(|| format!("{text}\n"))
            });
            let found = Link::read(&texts, "0000:3b:00.0").ok().map(|link| link.bytes_per_second().round());
            assert_eq!(found, expected.map(f64::round), "{speed} {width}");
        }
        let link = Link { transfers: 8e9, lanes: 4.0 };
        assert_eq!(link.text(), "PCI Express, 8 GT/s, 4 lanes");
    }
}
