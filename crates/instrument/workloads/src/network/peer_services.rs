//! The services that a peer offers, one per session.

use super::options::Options;
use super::services::{self, Counter, Counters, Limits, Service};
use peer::{Error, Session, Transport};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use sys::descriptor::Descriptor;
use sys::{inet, poll};

/// A request to a peer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ServiceRequest {
    /// The service.
    pub service: Service,
    /// Options of its connections.
    pub options: Options,
}

/// Services over one stream.
pub static STREAMS: peer::Service = peer::Service {
    name: "network.stream",
    transport: Transport::Tcp,
    run: |session| {
        let request = request(session)?;
        let ([connection], true) = (session.connections.as_slice(), request.service.is_stream()) else {
            return Err(wrong_connection());
        };
        request.options.apply_to(connection)?;
        serve(session, request.service, connection)
    },
};

/// Parallel streams, each from its own source.
pub static FLOWS: peer::Service = peer::Service {
    name: "network.flows",
    transport: Transport::Tcp,
    run: |session| {
        let request = request(session)?;
        let fits = matches!(request.service, Service::Source { .. }) && !session.connections.is_empty();
        if !fits || session.connections.len() > MAX_FLOWS {
            return Err(wrong_connection());
        }
        for connection in &session.connections {
            request.options.apply_to(connection)?;
        }
        serve_flows(session, request.service)
    },
};

/// Flows of one session: each takes two threads of the service.
const MAX_FLOWS: usize = 32;

/// Services over datagrams. None sends more than it receives.
pub static DATAGRAMS: peer::Service = peer::Service {
    name: "network.datagrams",
    transport: Transport::Udp,
    run: |session| {
        let request = request(session)?;
        let (Service::EchoDatagrams { .. }, Some(socket)) = (request.service, &session.socket) else {
            return Err(wrong_connection());
        };
        serve(session, request.service, socket)
    },
};

/// Services that accept connections.
pub static ACCEPTS: peer::Service = peer::Service {
    name: "network.accept",
    transport: Transport::Accepted,
    run: |session| {
        let request = request(session)?;
        let Some(listener) = &session.listener else {
            return Err(wrong_connection());
        };
        let lane = session.lane(0)?;
        let counters = Counters::within(lane.own());
        session.pin();
        session.ready()?;
        let mut accept = || {
            services::timed_accept(
                listener.number(),
                &mut || listener.accept().map_err(|_| LISTENER_CLOSED),
                &counters,
            )
        };
        match request.service {
            Service::Accept { bytes } => {
                services::connections(&mut accept, bytes, limits(session), &counters)?;
            }
            Service::AcceptTransfers { bytes } => {
                services::transfers(&mut accept, bytes, limits(session), &counters)?;
            }
            _ => return Err(wrong_connection()),
        }
        Ok(())
    },
};

/// The error of a closed listener; the session has the details.
const LISTENER_CLOSED: sys::Error = sys::Error { call: "accept", errno: 0 };

fn wrong_connection() -> Error {
    Error::Failed("this service does not support this kind of connection".to_owned())
}

fn request(session: &Session<'_>) -> Result<ServiceRequest, Error> {
    let parsed = ServiceRequest::deserialize(session.parameters);
    parsed.map_err(|error| Error::Failed(format!("invalid service request: {error}")))
}

fn limits(session: &Session<'_>) -> Limits {
    Limits { bytes: session.max_bytes(), ..Limits::OF_A_TRIAL }
}

/// Runs a service over a descriptor. A source stops when the client has shut down its side.
fn serve(session: &Session<'_>, service: Service, connection: &Descriptor) -> Result<(), Error> {
    let lane = session.lane(0)?;
    let counters = Counters::within(lane.own());
    session.pin();
    session.ready()?;
    if matches!(service, Service::Source { .. }) {
        Ok(send_until_shutdown(service, connection, limits(session), &counters)?)
    } else {
        Ok(services::serve(service, connection, limits(session), &counters)?)
    }
}

/// Milliseconds between two checks for the end of a service.
const POLL_MS: i32 = 50;
const POLL: Duration = Duration::from_millis(POLL_MS as u64);

/// Runs a source until the client has shut down its side.
fn send_until_shutdown(
    service: Service,
    connection: &Descriptor,
    limits: Limits,
    counters: &Counters<'_>,
) -> sys::Result<()> {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if has_ended(connection) {
                    counters.set(Counter::Stop, 1);
                    return;
                }
            }
        });
        let served = services::serve(service, connection, limits, counters);
        done.store(true, Ordering::Relaxed);
        // The client drains the stream to its end.
        let _ = inet::shutdown_write(connection);
        served
    })
}

/// Whether the client has shut down its side, after a short wait. Nothing is sent to a source, so readable means the end of
/// the stream.
fn has_ended(connection: &Descriptor) -> bool {
    let mut end = [poll::Entry::reading(connection.number())];
    match poll::wait(&mut end, POLL_MS) {
        Ok(0) => false,
        Ok(_) if end.iter().any(poll::Entry::is_readable) => true,
        Ok(_) => {
            // Zero-copy notifications also wake the poll.
            std::thread::sleep(POLL);
            false
        }
        Err(_) => true,
    }
}

/// Parallel sources, actors pinned round-robin. The session's counters receive the sums at the end.
fn serve_flows(session: &Session<'_>, service: Service) -> Result<(), Error> {
    let lane = session.lane(0)?;
    let all = Counters::within(lane.own());
    let share =
        |limits: Limits| Limits { bytes: limits.bytes / session.connections.len().max(1) as u64, ..limits };
    let limits = share(limits(session));
    session.ready()?;
    let all_counters: Vec<Counters<'_>> = std::thread::scope(|scope| {
        let actors: Vec<_> = session.connections.iter().enumerate().collect();
        let actors = actors.into_iter().map(|(actor, connection)| {
            scope.spawn(move || {
                session.pin_actor(actor);
                let counters = Counters::new()?;
                send_until_shutdown(service, connection, limits, &counters).map(|()| counters)
            })
        });
        let actors: Vec<_> = actors.collect();
        let ended = actors.into_iter().map(|actor| actor.join().unwrap_or(Err(ACTOR_PANICKED)));
        ended.collect::<sys::Result<_>>()
    })?;
    for counters in &all_counters {
        for entry in Counter::SUMMED {
            all.add(entry, counters.get(entry));
        }
        all.set(Counter::Congestion, counters.get(Counter::Congestion));
    }
    Ok(())
}

/// The error of an actor that panicked.
const ACTOR_PANICKED: sys::Error = sys::Error { call: "an actor of the service", errno: 0 };
