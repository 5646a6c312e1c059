//! Datagrams counted at the receiver.

use super::bottleneck;
use super::windows::{WINDOWS, Watch, count_rate};
use crate::network::messages::length;
use crate::network::services::{Counter, Service};
use crate::network::session::Session;
use measure::{Bench, Result};

/// Delivered datagrams.
///
/// # Errors
/// When the server cannot be reached, or is lost.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = length(bench)?;
    let session = Session::udp(bench, Service::Datagrams { bytes })?;
    let mut buffer = vec![1; bytes as usize];
    let (mut received, mut correct, mut last) = (0_u64, 0_u64, 0);
    let watch = Watch::new(&session, false);
    let spend = bench.spend_ns();
    let flow = bench.watched(|| {
        watch.flow(spend, WINDOWS, &mut || {
            session.client().read_all(&mut buffer)?;
            let number = buffer.first_chunk().map_or(0, |first| u64::from_ne_bytes(*first));
            correct += u64::from(number > last);
            last = number;
            received += 1;
            Ok(received * u64::from(bytes))
        })
    })?;
    session.ask_to_end()?;
    let counters = session.join()?;
    bench.count("answers", correct as f64, received as f64);
    bench.count("datagrams.received_per_sent", received as f64, counters.get(Counter::Turns) as f64);
    count_rate(bench, &flow);
    bottleneck::count_cpus(bench, &flow);
    bench.values(flow.rates);
    Ok(())
}
