//! Transfers of one size over one connection, each confirmed after its last byte.

use super::Messages;
use crate::network::options::Options;
use crate::network::services::{Counter, Service, put};
use crate::network::session::{SEGMENT, Session};
use measure::{Bench, CpuTime, Result, parameters};
use quantity::Bytes;
use sys::{inet, tcp_info};

parameters! {
    /// Transfers of one size.
    pub struct Transfer {
        /// Of each.
        bytes: Bytes,
    }
}

/// Transfers.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<Transfer>()?.bytes.bytes();
    let session = Session::tcp(bench, Service::Confirm { bytes }, Options::MESSAGES)?;
    let mut messages = Messages::new(usize::try_from(bytes).unwrap_or(usize::MAX), bench.seed());
    let mut sent = 0;
    bench.each(CpuTime::with(session.server_clock()), &mut || {
        let message = messages.next_message();
        put(session.client(), message)?;
        let mut answer = [0];
        session.client().read_all(&mut answer)?;
        sent += message.len() as u64;
        Ok(u64::from(Some(&answer[0]) == message.last()))
    })?;
    let info = tcp_info::read(session.client())?;
    inet::shutdown_write(session.client())?;
    let counters = session.join_and_count(bench)?;
    bench.count("bytes.received_per_sent", counters.get(Counter::Bytes) as f64, sent as f64);
    let segments = (sent as f64 / SEGMENT).max(1.0);
    bench.count("retransmissions", f64::from(info.retransmissions), segments);
    Ok(())
}
