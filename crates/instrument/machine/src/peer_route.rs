//! The link by which another machine is reached, and its speed where that is a limit.

use crate::facts::Facts;
use crate::network;
use crate::parse;
use crate::tree::{Absent, Found, Tree};
use record::{Fact, Machine, Unit};
use std::net::IpAddr;

const ROUTES: &str = "/proc/net/route";
const ROUTES_OF_SIX: &str = "/proc/net/ipv6_route";

/// Facts about the link to a peer at this address, of a described machine. `own` is the address of this end, as the kernel
/// chooses it.
pub fn describe_peer_link(
    tree: &dyn Tree,
    machine: &Machine,
    peer: IpAddr,
    own: Option<IpAddr>,
) -> Vec<Fact> {
    let mut facts = Facts::below(tree);
    let (source, link) = match peer {
        _ if own == Some(peer) || peer.is_loopback() => ("the peer's address", Ok("lo".to_owned())),
        IpAddr::V4(peer) => (ROUTES, link_by(tree, ROUTES, u128::from(u32::from(peer)), of_four)),
        IpAddr::V6(peer) => (ROUTES_OF_SIX, link_by(tree, ROUTES_OF_SIX, u128::from(peer), of_six)),
    };
    let path = link.as_ref().map(|link| network::speed_path(link));
    let speed = link.as_ref().map_err(Clone::clone).and_then(|link| limit(tree, machine, link));
    facts.text("network.peer.link", source, link.clone());
    let path = path.as_deref().unwrap_or(source);
    facts.number("network.peer.speed", Unit::BytesPerSecond, path, speed);
    facts.into_machine().facts
}

/// The speed of a link, unless more may pass than it says.
fn limit(tree: &dyn Tree, machine: &Machine, link: &str) -> Found<f64> {
    let path = network::speed_path(link);
    let why = match machine.text("environment.hypervisor") {
        _ if !network::has_device(tree, link) => "a virtual device: its speed is no limit",
        Some("none") => return network::speed(tree, &path),
        Some(_) => "a device of a hypervisor, which may carry more than it says",
        None => "whether a hypervisor emulates the device is unknown",
    };
    Err(Absent::silent(&path, why))
}

/// A destination, the bits of it that must agree, the metric and the link.
type Route = (u128, u128, u32, String);

/// The link of the longest destination that agrees with an address; of several the one with the lowest metric.
fn link_by(tree: &dyn Tree, path: &str, address: u128, parse: fn(&str) -> Option<Route>) -> Found<String> {
    let text = tree.read(path)?;
    let routes = text.lines().filter_map(parse);
    let fits = routes.filter(|(destination, mask, ..)| address & mask == *destination);
    let best = fits.max_by_key(|(_, mask, metric, _)| (mask.count_ones(), u32::MAX - metric));
    best.map(|(.., link)| link).ok_or_else(|| Absent::silent(path, "has no route to the peer"))
}

fn hexadecimal(text: &str) -> Option<u32> {
    parse::hexadecimal(text).and_then(|number| u32::try_from(number).ok())
}

/// A line of `/proc/net/route`: addresses are the bytes on the wire as one number of this processor, which is little-endian.
fn of_four(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [address, mask] = [1, 7].map(|at| hexadecimal(fields.get(at)?).map(u32::swap_bytes));
    let metric = fields.get(6)?.parse().ok()?;
    let link = (*fields.first()?).to_owned();
    Some((u128::from(address?), u128::from(mask?), metric, link))
}

/// A line of `/proc/net/ipv6_route`.
fn of_six(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let destination = u128::from_str_radix(fields.first()?, 16).ok()?;
    let length = u32::from_str_radix(fields.get(1)?, 16).ok()?;
    let mask = u128::MAX.checked_shl(128 - length.min(128)).unwrap_or(0);
    let metric = hexadecimal(fields.get(5)?)?;
    // Routes to addresses of this machine are through lo; the default one of the kernel there leads nowhere.
    let link = (*fields.get(9)?).to_owned();
    (link != "lo").then_some((destination, mask, metric, link))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::texts;
    use record::FactValue;

    /// A default route by eth0, a network by eth1, one by a bridge.
    const SERVER: &[(&str, &str)] = &[
        (
            ROUTES,
            "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n\
             eth0 00000000 0101A8C0 0003 0 0 100 00000000 0 0 0\n\
             eth1 0000000A 00000000 0001 0 0 0 000000FF 0 0 0\n\
             br0 000011AC 00000000 0001 0 0 0 0000FFFF 0 0 0\n",
        ),
        (
            ROUTES_OF_SIX,
            "20010db8000000000000000000000000 20 00000000000000000000000000000000 00 \
             00000000000000000000000000000000 00000100 00000001 00000000 00000001 eth1\n\
             00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
             00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo\n",
        ),
        ("/sys/class/net/eth0/speed", "1000\n"),
        ("/sys/class/net/eth1/speed", "10000\n"),
        ("/sys/class/net/br0/speed", "10000\n"),
        ("/sys/class/net/eth0", "../../devices/pci0000:00/0000:00:1f.6/net/eth0"),
        ("/sys/class/net/eth1", "../../devices/pci0000:00/0000:00:1f.6/net/eth0"),
        ("/sys/class/net/br0", "../../devices/virtual/net/br0"),
        ("/sys/class/net/lo", "../../devices/virtual/net/lo"),
    ];

    fn on(hypervisor: &str) -> Machine {
        let value = FactValue::Text { text: hypervisor.to_owned() };
        let key = "environment.hypervisor".to_owned();
        let source = "test".to_owned();
        Machine { facts: vec![Fact { key, value, source, within: None, assumed: false }] }
    }

    fn link_to(peer: &str, own: Option<&str>, hypervisor: &str) -> (Option<String>, Option<f64>) {
        let own = own.map(|own| own.parse().unwrap());
        let facts = describe_peer_link(&texts(SERVER), &on(hypervisor), peer.parse().unwrap(), own);
        let found = Machine { facts };
        let name = found.text("network.peer.link").map(str::to_owned);
        (name, found.number("network.peer.speed"))
    }

    #[test]
    fn route_with_the_longest_prefix_is_chosen() {
        for (address, link, speed) in [
            ("192.0.2.7", Some("eth0"), Some(125e6)),
            ("10.1.2.3", Some("eth1"), Some(1.25e9)),
            ("2001:db8::7", Some("eth1"), Some(1.25e9)),
            ("fe80::1", None, None),
        ] {
            assert_eq!(link_to(address, None, "none"), (link.map(str::to_owned), speed));
        }
    }

    #[test]
    fn speed_of_a_virtual_or_emulated_link_is_unknown() {
        assert_eq!(link_to("172.17.0.2", None, "none"), (Some("br0".to_owned()), None));
        assert_eq!(link_to("192.0.2.7", None, "KVM"), (Some("eth0".to_owned()), None));
        let own = link_to("192.0.2.7", Some("192.0.2.7"), "none");
        assert_eq!(own, (Some("lo".to_owned()), None));
    }
}
