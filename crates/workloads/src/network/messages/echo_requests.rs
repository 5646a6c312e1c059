//! ICMP echo requests, answered by the kernel.

use super::{Messages, length};
use crate::network::points;
use crate::network::session::{self, unreachable};
use measure::{Bench, Failure, Result, Work};
use std::net::{IpAddr, Ipv4Addr};
use sys::icmp::Echo;

/// A skip where ICMP sockets are not permitted.
fn permission_error(error: sys::Error) -> Failure {
    if error.is_denied() {
        Failure::skipped(
            format!("{error}: this user may not send echo requests"),
            "run as root, or let your group: sysctl net.ipv4.ping_group_range='0 2147483647'",
        )
    } else {
        unreachable(error)
    }
}

/// The destination: this machine or the peer.
fn destination(bench: &Bench<'_>) -> Result<Ipv4Addr> {
    if !points::is_remote(bench.point()) {
        return Ok(Ipv4Addr::LOCALHOST);
    }
    match session::address(bench.peer()?)? {
        IpAddr::V4(address) => Ok(address),
        IpAddr::V6(_) => Err(Failure::skipped(
            "the peer has an IPv6 address, and ping uses IPv4",
            "name the peer by its IPv4 address",
        )),
    }
}

/// Batches of echo requests.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = length(bench)? as usize;
    let id = std::process::id() as u16;
    let mut echo = Echo::new(destination(bench)?, bytes, id).map_err(permission_error)?;
    let mut messages = Messages::new(bytes, bench.seed());
    let mut main = |n| {
        let mut correct = 0;
        for _ in 0..n {
            correct += u64::from(echo.once(messages.next_message())?);
        }
        Ok(correct)
    };
    bench.batches(Work::new(&mut main))
}
