//! Datagrams counted at the receiver.

use super::Endpoint;
use super::bottleneck;
use super::windows::{Flow, WINDOWS, Watch, count_rate};
use crate::network::points;
use crate::network::services::{Counter, Service};
use crate::network::session::Session;
use measure::{Bench, Result, choice, parameters};
use quantity::{Bytes, exact_size};
use sys::datagram_batch::DatagramBatch;
use sys::inet;

choice! {
    /// What the kernel does for several datagrams.
    pub enum Offload {
        /// A write has them all (UDP_SEGMENT), and a read gives those that came together (UDP_GRO).
        Segment = "segment",
    }
}

parameters! {
    /// Datagrams.
    pub struct Datagrams {
        /// Of each.
        bytes: Bytes,
        /// How many a call sends, and how many it receives at most; one by write and read without.
        batch: Option<u64> = None,
        /// What the kernel does for several.
        offload: Option<Offload> = None,
        /// Whose CPU time is measured.
        endpoint: Option<Endpoint> = None,
    }
}

/// Delivered datagrams.
///
/// # Errors
/// When the server cannot be reached, or is lost.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let (service, receiving) = sent_and_received(bench)?;
    deliver(bench, service, receiving, |bench, flow| bench.values(flow.rates.clone()))
}

/// CPU time of both ends per datagram that was delivered.
///
/// # Errors
/// As [`run`].
pub fn run_cpu(bench: &mut Bench<'_>) -> Result<()> {
    let point: Datagrams = bench.parameters()?;
    let (service, receiving) = sent_and_received(bench)?;
    let bytes = size(bench)?;
    let mut base = points::path_of(bench.point()).with("bytes", exact_size(point.bytes));
    if let Some(batch) = point.batch {
        base = base.with("batch", batch);
    }
    deliver(bench, service, receiving, |bench, flow| {
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

/// How datagrams are received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiving {
    /// One by a read.
    Single,
    /// At most as many by recvmmsg.
    Several(u32),
    /// Those that came together by a read (UDP_GRO).
    Together,
}

/// Bytes of a datagram.
fn size(bench: &Bench<'_>) -> Result<u32> {
    Ok(u32::try_from(bench.parameters::<Datagrams>()?.bytes.bytes()).unwrap_or(u32::MAX))
}

/// How the datagrams of the point are sent and received.
fn sent_and_received(bench: &Bench<'_>) -> Result<(Service, Receiving)> {
    let (point, bytes) = (bench.parameters::<Datagrams>()?, size(bench)?);
    let batch = point.batch.map_or(1, |batch| u32::try_from(batch).unwrap_or(u32::MAX));
    let segmented = point.offload == Some(Offload::Segment);
    let receiving = match batch {
        _ if segmented => Receiving::Together,
        1 => Receiving::Single,
        batch => Receiving::Several(batch),
    };
    Ok((Service::Datagrams { bytes, batch, segmented }, receiving))
}

/// The longest read of datagrams that came together.
const LONGEST: usize = 1 << 16;

/// Receives what the service sends.
///
/// # Errors
/// As [`run`].
pub fn deliver(
    bench: &mut Bench<'_>,
    service: Service,
    receiving: Receiving,
    report: impl FnOnce(&mut Bench<'_>, &Flow),
) -> Result<()> {
    let bytes = size(bench)?;
    let session = Session::udp(bench, service)?;
    let mut buffer = vec![1; bytes as usize];
    let mut several = DatagramBatch::new(1, bytes as usize);
    match receiving {
        Receiving::Single => {}
        Receiving::Several(batch) => several = DatagramBatch::new(batch as usize, bytes as usize),
        Receiving::Together => {
            inet::set_received_together(session.client())?;
            buffer = vec![1; LONGEST];
        }
    }
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
            match receiving {
                Receiving::Several(_) => {
                    let came = several.receive(session.client())?;
                    several.received(came).for_each(|(came, datagram)| take(came, datagram));
                }
                Receiving::Single => {
                    session.client().read_all(&mut buffer)?;
                    take(buffer.len(), &buffer);
                }
                Receiving::Together => {
                    let came = sys::Error::check("read", session.client().read(&mut buffer))?;
                    let all = buffer.get(..came).unwrap_or_default();
                    all.chunks(bytes as usize).for_each(|datagram| take(datagram.len(), datagram));
                }
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
