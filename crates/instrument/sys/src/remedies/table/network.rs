//! Connections: of this machine with itself, to a peer; echo requests and captured packets.

use crate::remedies::conditions::Condition;
use crate::remedies::context::Context;
use crate::remedies::row::{ANY, DENIED, Row};
use libc::{
    EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH,
    EINPROGRESS, EINVAL, EMSGSIZE, ENETDOWN, ENETUNREACH, EPERM, EPROTONOSUPPORT, ETIMEDOUT,
};

/// The errors of an address that cannot be reached.
const UNREACHABLE: &[i32] =
    &[EADDRNOTAVAIL, EAFNOSUPPORT, ENETUNREACH, ENETDOWN, EHOSTUNREACH, EHOSTDOWN, EACCES, EINVAL];

/// Connections of this machine with itself.
const LOOPBACK: &[Context] = &[Context::Loopback, Context::LoopbackSix];

pub(super) const ROWS: &[Row] = &[
    // Connections of this machine with itself.
    Row {
        contexts: LOOPBACK,
        errnos: UNREACHABLE,
        condition: Some(Condition::LoopbackDown),
        meaning: "the loopback interface is down",
        remedy: "bring the loopback interface up: ip link set lo up",
        ..ANY
    },
    Row {
        contexts: &[Context::LoopbackSix],
        errnos: UNREACHABLE,
        condition: Some(Condition::NoIpv6),
        meaning: "this kernel has no IPv6",
        remedy: "load the module ipv6, or boot without ipv6.disable=1",
        ..ANY
    },
    Row {
        contexts: &[Context::LoopbackSix],
        errnos: UNREACHABLE,
        condition: Some(Condition::SmallMtu),
        meaning: "the MTU of the loopback interface is {found} bytes, and IPv6 needs at least 1280",
        remedy: "raise the MTU and add the address again: ip link set lo mtu 65536 && ip -6 address add ::1/128 dev lo",
        ..ANY
    },
    Row {
        contexts: &[Context::LoopbackSix],
        errnos: UNREACHABLE,
        condition: Some(Condition::Ipv6Disabled),
        meaning: "IPv6 is disabled on the loopback interface",
        remedy: "enable it: sysctl net.ipv6.conf.lo.disable_ipv6=0",
        ..ANY
    },
    Row {
        contexts: &[Context::LoopbackSix],
        errnos: UNREACHABLE,
        condition: Some(Condition::NoLoopbackSixAddress),
        meaning: "the loopback interface has no address ::1",
        remedy: "add the address: ip -6 address add ::1/128 dev lo",
        ..ANY
    },
    Row {
        contexts: &[Context::Loopback],
        errnos: UNREACHABLE,
        condition: Some(Condition::NoLoopbackAddress),
        meaning: "the loopback interface has no address 127.0.0.1",
        remedy: "add the address: ip address add 127.0.0.1/8 dev lo",
        ..ANY
    },
    // The kernel chooses the port: of an address that exists, the ports are used up.
    Row {
        contexts: &[
            Context::Any,
            Context::Loopback,
            Context::LoopbackSix,
            Context::PeerControl,
            Context::PeerData,
        ],
        calls: &["connect"],
        errnos: &[EADDRNOTAVAIL],
        condition: Some(Condition::PortRange),
        meaning: "every local port ({found}) is in use or waits for a minute after its connection (TIME_WAIT)",
        remedy: "run again after a minute, or allow more ports: sysctl net.ipv4.ip_local_port_range='32768 60999'",
        ..ANY
    },
    Row {
        contexts: LOOPBACK,
        calls: &["bind", "listen"],
        errnos: &[EADDRINUSE],
        condition: Some(Condition::PortRange),
        meaning: "every local port ({found}) is in use",
        remedy: "end programs that hold ports (ss -tan), or allow more: sysctl net.ipv4.ip_local_port_range='32768 60999'",
        ..ANY
    },
    Row {
        calls: &["bind", "listen"],
        errnos: &[EADDRINUSE],
        meaning: "another program listens at this address and port",
        remedy: "name another port, or port 0 to let the kernel choose",
        ..ANY
    },
    // A peer.
    Row {
        contexts: &[Context::PeerControl],
        errnos: &[ECONNREFUSED],
        meaning: "nothing listens at this port, or a firewall rejects it",
        remedy: "start `oscope serve --listen ADDRESS:PORT` there, and name the address that it prints",
        ..ANY
    },
    Row {
        contexts: &[Context::PeerControl],
        errnos: &[ETIMEDOUT, EINPROGRESS, EAGAIN],
        meaning: "no answer: the machine is off, the address is another's, or a firewall drops the connection",
        remedy: "try `ping` and the address that `oscope serve` prints, and let the port pass the firewalls between the two",
        ..ANY
    },
    Row {
        contexts: &[Context::PeerControl],
        errnos: DENIED,
        meaning: "a firewall or a route of this machine forbids the connection",
        remedy: "let the peer's port pass (nft list ruleset, ip route get ADDRESS)",
        ..ANY
    },
    Row {
        contexts: &[Context::PeerData],
        errnos: &[ETIMEDOUT, EINPROGRESS, EAGAIN],
        meaning: "the peer's control port answers and its data port does not: a firewall drops the data",
        remedy: "let TCP and UDP from this machine pass to all ports from which the peer's kernel chooses \
                 (sysctl net.ipv4.ip_local_port_range there)",
        ..ANY
    },
    Row {
        contexts: &[Context::PeerData],
        errnos: &[ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, EACCES, EPERM],
        meaning: "the peer's control port answers and its data port is refused: a firewall rejects the data",
        remedy: "let TCP and UDP from this machine pass to all ports from which the peer's kernel chooses \
                 (sysctl net.ipv4.ip_local_port_range there)",
        ..ANY
    },
    Row {
        calls: &["connect", "bind", "sendto", "write"],
        errnos: &[EADDRNOTAVAIL],
        meaning: "no interface of this machine has this address",
        remedy: "use an address that `ip address` lists, and not as tentative",
        ..ANY
    },
    Row {
        calls: &["connect", "bind", "sendto", "write"],
        errnos: &[ENETUNREACH, EHOSTUNREACH, EHOSTDOWN, ENETDOWN],
        meaning: "no route leads to this address, or its machine does not answer on the link",
        remedy: "look at `ip route get ADDRESS` and `ip neighbour`, and bring the interface up",
        ..ANY
    },
    Row {
        contexts: &[Context::PeerControl],
        calls: &["connect", "bind"],
        errnos: &[EINVAL],
        meaning: "a link-local address needs the interface, or the address cannot be reached from this one",
        remedy: "write the interface behind the address: [fe80::1%eth0]:4000",
        ..ANY
    },
    Row {
        errnos: &[EMSGSIZE],
        meaning: "the message is larger than a datagram may be here",
        remedy: "raise the MTU of the interface, or measure smaller messages",
        ..ANY
    },
    Row {
        contexts: &[Context::EchoRequests],
        calls: &["socket"],
        errnos: &[EPERM, EACCES, EPROTONOSUPPORT],
        meaning: "this user may not send echo requests",
        remedy: "run as root, or let your group: sysctl net.ipv4.ping_group_range='0 2147483647'",
        ..ANY
    },
    Row {
        contexts: &[Context::EchoRequests],
        errnos: &[EAGAIN, ETIMEDOUT, EPERM, EACCES],
        meaning: "no answer to an echo request: a firewall drops ICMP, or the machine is set to ignore it",
        remedy: "let ICMP echo requests and replies pass the firewalls, and set net.ipv4.icmp_echo_ignore_all=0 there",
        ..ANY
    },
    Row {
        contexts: &[Context::Packets],
        errnos: DENIED,
        meaning: "this user may not capture packets",
        remedy: "run as root, or give the program the capability: setcap cap_net_raw+ep",
        ..ANY
    },
];
