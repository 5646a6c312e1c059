//! ICMP echo requests, answered by the kernel.

use super::{Messages, length};
use crate::network::points;
use crate::network::session::{self, unreachable};
use measure::{Bench, Failure, Result, Work};
use std::net::{IpAddr, Ipv4Addr};
use sys::icmp::Echo;
use sys::remedies::Context;

/// Timeout of the first answer, in milliseconds.
const ANSWER_MS: u32 = 3_000;

/// The failure of a socket for echo requests to this address.
fn socket_error(error: sys::Error, to: Ipv4Addr) -> Failure {
    match error.call {
        "connect" => unreachable((to, 0).into())(error),
        _ => no_answer(error),
    }
}

/// The failure of an echo request.
fn no_answer(error: sys::Error) -> Failure {
    Failure::of_call(error, Context::EchoRequests)
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
    let to = destination(bench)?;
    let mut echo = Echo::new(to, bytes, id).map_err(|error| socket_error(error, to))?;
    echo.expect_answer(ANSWER_MS).map_err(no_answer)?;
    let mut messages = Messages::new(bytes, bench.seed());
    bench.batches(Work::new(&mut |n| {
        let mut correct = 0;
        for _ in 0..n {
            correct += u64::from(echo.once(messages.next_message()).map_err(no_answer)?);
        }
        Ok(correct)
    }))
}
