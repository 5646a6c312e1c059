//! Datagrams counted at the receiver.

use super::Endpoint;
use super::bottleneck;
use super::windows::{Flow, WINDOWS, Watch, count_rate};
use crate::network::points;
use crate::network::services::{Counter, Service};
use crate::network::session::Session;
use measure::{Bench, Result, parameters};
use quantity::{Bytes, exact_size};
use sys::datagram_batch::DatagramBatch;

parameters! {
    /// Datagrams.
    pub struct Datagrams {
        /// Of each.
        bytes: Bytes,
        /// How many a call sends, and how many it receives at most; one by write and read without.
        batch: Option<u64> = None,
        /// Whose CPU time is measured.
        endpoint: Option<Endpoint> = None,
    }
}

/// Delivered datagrams.
///
/// # Errors
/// When the server cannot be reached, or is lost.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let (bytes, batch) = size(bench)?;
    deliver(bench, Service::Datagrams { bytes, batch }, batch, |bench, flow| bench.values(flow.rates.clone()))
}

/// CPU time of both ends per datagram that was delivered.
///
/// # Errors
/// As [`run`].
pub fn run_cpu(bench: &mut Bench<'_>) -> Result<()> {
    let point: Datagrams = bench.parameters()?;
    let (bytes, batch) = size(bench)?;
    let mut base = points::path_of(bench.point()).with("bytes", exact_size(point.bytes));
    if let Some(batch) = point.batch {
        base = base.with("batch", batch);
    }
    deliver(bench, Service::Datagrams { bytes, batch }, batch, |bench, flow| {
        for (endpoint, nanos) in Endpoint::ALL.iter().zip(flow.cpu_per_byte()) {
            bench.value_or_absent(
                base.clone().with("endpoint", endpoint.name()),
                nanos.map(|nanos| nanos * f64::from(bytes)),
                "the CPU time of this endpoint cannot be read",
                "allow clock_gettime for CPU-time clocks",
            );
        }
    })
}

/// Bytes of a datagram, and datagrams of a call.
fn size(bench: &Bench<'_>) -> Result<(u32, u32)> {
    let point: Datagrams = bench.parameters()?;
    let [bytes, batch] = [point.bytes.bytes(), point.batch.unwrap_or(1)]
        .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    Ok((bytes, batch))
}

/// Receives what the service sends, at most `batch` datagrams by a call.
///
/// # Errors
/// As [`run`].
pub fn deliver(
    bench: &mut Bench<'_>,
    service: Service,
    batch: u32,
    report: impl FnOnce(&mut Bench<'_>, &Flow),
) -> Result<()> {
    let (bytes, _) = size(bench)?;
    let session = Session::udp(bench, service)?;
    let mut buffer = vec![1; bytes as usize];
    let mut several = DatagramBatch::new(batch as usize, bytes as usize);
    let (mut received, mut correct, mut calls, mut last) = (0_u64, 0_u64, 0_u64, 0);
    let watch = Watch::new(&session, false);
    let spend = bench.spend_ns();
    let flow = bench.watched(|| {
        watch.flow(spend, WINDOWS, &mut || {
            calls += 1;
            let mut take = |came: usize, bytes_of: &[u8]| {
                let number = bytes_of.first_chunk().map_or(0, |first| u64::from_ne_bytes(*first));
                correct += u64::from(number > last && came == bytes as usize);
                last = number;
                received += 1;
            };
            if batch > 1 {
                let came = several.receive(session.client())?;
                several.received(came).for_each(|(came, datagram)| take(came, datagram));
            } else {
                session.client().read_all(&mut buffer)?;
                take(buffer.len(), &buffer);
            }
            Ok(received * u64::from(bytes))
        })
    })?;
    session.ask_to_end()?;
    let counters = session.join()?;
    bench.count("answers", correct as f64, received as f64);
    bench.count("datagrams.received_per_sent", received as f64, counters.get(Counter::Turns) as f64);
    bench.count("datagrams.received_per_call", received as f64, calls as f64);
    let [sent, sending] = [Counter::Turns, Counter::Calls].map(|counter| counters.get(counter) as f64);
    bench.count("datagrams.sent_per_call", sent, sending);
    count_rate(bench, &flow);
    bottleneck::count_cpus(bench, &flow);
    report(bench, &flow);
    Ok(())
}
