//! Where the server of a session runs, and what its address may be.

use super::remote::Peer;
use measure::{Bench, Failure};
use sys::process::Actor;
use sys::usage::CpuClock;

/// Where the service runs.
pub enum Server {
    /// A local process.
    Process(Actor),
    /// A session of a peer.
    Peer(Box<Peer>),
}

impl Server {
    /// Its CPU time, if local.
    pub fn clock(&self) -> Option<CpuClock> {
        match self {
            Self::Process(actor) => Some(CpuClock::of_process(actor.pid())),
            Self::Peer(_) => None,
        }
    }
}

/// A skip where an address cannot be reached.
pub fn unreachable(error: sys::Error) -> Failure {
    if error.is_unreachable() {
        Failure::skipped(
            format!("{error}: the address is not available"),
            "bring the loopback interface up (ip link set lo up), for IPv6 also sysctl net.ipv6.conf.lo.disable_ipv6=0",
        )
    } else {
        error.into()
    }
}

/// Whether the point uses IPv6.
pub fn is_version_six(bench: &Bench<'_>) -> bool {
    bench.point().get("ip") == Some("6")
}
