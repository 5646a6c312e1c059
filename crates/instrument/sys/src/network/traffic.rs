//! Bytes that came over the network, as the kernel's internet protocols count them.

use std::fs;

/// Counters of version 4 and of version 6 of the protocol, in the network namespace of this process. They are kept by
/// the kernel itself: those of some cards stand still for seconds.
const VERSION_FOUR: &str = "/proc/self/net/netstat";
const VERSION_SIX: &str = "/proc/self/net/snmp6";

/// Bytes of all packets that have come since this network namespace is there, over the loopback interface too; `None`
/// where the kernel does not count.
pub fn bytes_received() -> Option<u64> {
    let four = fs::read_to_string(VERSION_FOUR).ok()?;
    // Without version 6 nothing comes by it.
    let six = fs::read_to_string(VERSION_SIX).unwrap_or_default();
    Some(of_version_four(&four)? + of_version_six(&six))
}

/// A line of names, and below it a line of their values.
fn of_version_four(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with("IpExt:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let at = names.split(' ').position(|name| name == "InOctets")?;
    values.split(' ').nth(at)?.parse().ok()
}

/// A name and its value in each line.
fn of_version_six(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("Ip6InOctets"));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    #[test]
    fn what_is_sent_to_oneself_is_counted() {
        let is_counted = fs::read_to_string(VERSION_FOUR).is_ok_and(|text| text.contains(" InOctets "));
        if !programs::has("counter of received bytes", is_counted) {
            return;
        }
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let before = bytes_received().unwrap();
        for _ in 0..16 {
            socket.send_to(&[7; 1000], socket.local_addr().unwrap()).unwrap();
            socket.recv(&mut [0; 1000]).unwrap();
        }
        assert!(bytes_received().unwrap() >= before + 16_000);
    }

    #[test]
    fn both_versions_are_read() {
        let four = "TcpExt: A B\nTcpExt: 1 2\nIpExt: InNoRoutes InOctets X\nIpExt: 3 400 5\n";
        assert_eq!(of_version_four(four), Some(400));
        assert_eq!(of_version_four("TcpExt: A\nTcpExt: 1\n"), None);
        let six = "Ip6InReceives    \t12\nIp6InOctets     \t99\n";
        assert_eq!((of_version_six(six), of_version_six("")), (99, 0));
    }
}
