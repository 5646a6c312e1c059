//! Datagrams that are counted where they arrive.

use super::bottleneck;
use super::windows::{Watch, tell_pace};
use crate::network::workloads::messages::length;
use crate::network::workloads::services::{Entry, Service};
use crate::network::workloads::session::Session;
use measure::{Bench, Failure};

/// Datagrams that arrive.
///
/// # Errors
/// When there is no way to the other end, or it is lost.
pub fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = length(bench)?;
    let session = Session::udp(bench, Service::Datagrams { bytes })?;
    let mut buffer = vec![1; bytes as usize];
    let (mut came, mut right, mut last) = (0_u64, 0_u64, 0);
    let watch = Watch::new(&session, false);
    let spend = bench.spend_ns();
    let flow = bench.watched(|| {
        watch.flow(spend, &mut || {
            session.near().read_all(&mut buffer)?;
            let number = buffer.first_chunk().map_or(0, |first| u64::from_ne_bytes(*first));
            right += u64::from(number > last);
            last = number;
            came += 1;
            Ok(came * u64::from(bytes))
        })
    })?;
    session.ask_to_end()?;
    let ledger = session.join()?;
    bench.count("answers", right as f64, came as f64);
    bench.count(
        "datagrams.received_per_sent",
        came as f64,
        ledger.get(Entry::Turns) as f64,
    );
    tell_pace(bench, &flow);
    bottleneck::tell_cpus(bench, &flow);
    bench.values(flow.rates);
    Ok(())
}
