//! Echo requests that the kernel answers itself.

use super::{Messages, length};
use crate::network::points;
use crate::network::workloads::session::{self, unreachable};
use measure::{Bench, Failure, Work};
use std::net::{IpAddr, Ipv4Addr};
use sys::icmp::Echo;

/// What would help where no socket for ICMP may be had.
fn may_not(error: sys::Error) -> Failure {
    if error.is_denied() {
        Failure::skipped(
            format!("{error}: this user may not send echo requests"),
            "run as root, or let your group: sysctl net.ipv4.ping_group_range='0 2147483647'",
        )
    } else {
        unreachable(error)
    }
}

/// Whom to ask: this machine, or the peer.
fn destination(bench: &Bench<'_>) -> Result<Ipv4Addr, Failure> {
    if !points::is_remote(bench.point()) {
        return Ok(Ipv4Addr::LOCALHOST);
    }
    match session::address(bench.peer()?)? {
        IpAddr::V4(address) => Ok(address),
        IpAddr::V6(_) => Err(Failure::skipped(
            "the peer is reached by version 6, and ping is sent by version 4",
            "name the peer by its address of version 4",
        )),
    }
}

/// Echo requests that the kernel answers itself.
pub fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = length(bench)? as usize;
    let id = std::process::id() as u16;
    let mut echo = Echo::new(destination(bench)?, bytes, id).map_err(may_not)?;
    let mut messages = Messages::new(bytes, bench.seed());
    let mut main = |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(echo.once(messages.next())?);
        }
        Ok(right)
    };
    bench.batches(Work::alone(&mut main))
}
