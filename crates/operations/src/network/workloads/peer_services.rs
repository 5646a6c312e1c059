//! What a peer does for its clients, each service in a session of its own.

use super::options::Options;
use super::services::{self, Entry, Ledger, Limits, Service};
use peer::{Error, Session, Transport};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use sys::descriptor::Descriptor;
use sys::{inet, poll};

/// What is asked of a peer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Asked {
    /// What the other end does.
    pub service: Service,
    /// What is chosen for its connections.
    pub options: Options,
}

/// Services over one stream.
pub static STREAMS: peer::Service = peer::Service {
    name: "network.stream",
    transport: Transport::Tcp,
    run: |session| {
        let asked = asked(session)?;
        if matches!(
            asked.service,
            Service::EchoDatagrams { .. } | Service::Datagrams { .. } | Service::Accept { .. }
        ) {
            return Err(unfit());
        }
        let [connection] = session.connections.as_slice() else {
            return Err(unfit());
        };
        asked.options.choose_for(connection)?;
        serve(session, asked.service, connection)
    },
};

/// Several streams at once, from a source each.
pub static FLOWS: peer::Service = peer::Service {
    name: "network.flows",
    transport: Transport::Tcp,
    run: |session| {
        let asked = asked(session)?;
        let fits = matches!(asked.service, Service::Source { .. }) && !session.connections.is_empty();
        if !fits || session.connections.len() > MOST_FLOWS {
            return Err(unfit());
        }
        for connection in &session.connections {
            asked.options.choose_for(connection)?;
        }
        serve_flows(session, asked.service)
    },
};

/// Flows of one session: each takes two threads of its service.
const MOST_FLOWS: usize = 32;

/// Services over datagrams. None sends more than it is sent.
pub static DATAGRAMS: peer::Service = peer::Service {
    name: "network.datagrams",
    transport: Transport::Udp,
    run: |session| {
        let asked = asked(session)?;
        let (Service::EchoDatagrams { .. }, Some(socket)) = (asked.service, &session.socket) else {
            return Err(unfit());
        };
        serve(session, asked.service, socket)
    },
};

/// Services that accept connections.
pub static ACCEPTS: peer::Service = peer::Service {
    name: "network.accept",
    transport: Transport::Accepted,
    run: |session| {
        let asked = asked(session)?;
        let (Service::Accept { bytes }, Some(listener)) = (asked.service, &session.listener) else {
            return Err(unfit());
        };
        let lane = session.lane(0)?;
        let ledger = Ledger::within(lane.own());
        session.pin();
        session.ready()?;
        let mut accept = || listener.accept().map_err(|_| GONE);
        services::connections(&mut accept, bytes, limits(session), &ledger)?;
        Ok(())
    },
};

/// The error of a listener that is closed, which the session knows more of.
const GONE: sys::Error = sys::Error {
    call: "accept",
    errno: 0,
};

fn unfit() -> Error {
    Error::Failed("the service cannot be done over such a connection".to_owned())
}

fn asked(session: &Session<'_>) -> Result<Asked, Error> {
    let parsed = Asked::deserialize(session.parameters);
    parsed.map_err(|error| Error::Failed(format!("the service is not understood: {error}")))
}

fn limits(session: &Session<'_>) -> Limits {
    Limits {
        bytes: session.max_bytes(),
        ..Limits::OF_A_TRIAL
    }
}

/// Runs a service over a descriptor. Who sends without being asked stops when the other end has stopped sending.
fn serve(session: &Session<'_>, service: Service, at: &Descriptor) -> Result<(), Error> {
    let lane = session.lane(0)?;
    let ledger = Ledger::within(lane.own());
    session.pin();
    session.ready()?;
    if matches!(service, Service::Source { .. }) {
        Ok(send_until_told(service, at, limits(session), &ledger)?)
    } else {
        Ok(services::serve(service, at, limits(session), &ledger)?)
    }
}

/// Milliseconds between two looks at whether a service is over.
const LOOK_MS: i32 = 50;
const LOOK: Duration = Duration::from_millis(LOOK_MS as u64);

/// Runs a source until the other end has stopped sending.
fn send_until_told(
    service: Service,
    at: &Descriptor,
    limits: Limits,
    ledger: &Ledger<'_>,
) -> sys::Result<()> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if has_ended(at) {
                    ledger.set(Entry::Stop, 1);
                    return;
                }
            }
        });
        let served = services::serve(service, at, limits, ledger);
        over.store(true, Ordering::Relaxed);
        // The other end reads what is left until the end of the stream.
        let _ = inet::shutdown_write(at);
        served
    })
}

/// Whether the other end has stopped sending; waits for it a while. Nothing is ever sent to a source: what can be read is
/// the end of the stream.
fn has_ended(at: &Descriptor) -> bool {
    let mut end = [poll::Entry::reading(at.number())];
    match poll::wait(&mut end, LOOK_MS) {
        Ok(0) => false,
        Ok(_) if end.iter().any(poll::Entry::is_readable) => true,
        Ok(_) => {
            // The kernel tells the sender of pages that it has sent, which wakes whoever waits.
            std::thread::sleep(LOOK);
            false
        }
        Err(_) => true,
    }
}

/// Several sources at once, each an actor on a CPU of its turn. The first ledger is the session's, and at the end has what
/// all of them did.
fn serve_flows(session: &Session<'_>, service: Service) -> Result<(), Error> {
    let lane = session.lane(0)?;
    let all = Ledger::within(lane.own());
    let shares = |limits: Limits| Limits {
        bytes: limits.bytes / session.connections.len().max(1) as u64,
        ..limits
    };
    let limits = shares(limits(session));
    session.ready()?;
    let ledgers: Vec<Ledger<'_>> = std::thread::scope(|scope| {
        let actors: Vec<_> = session.connections.iter().enumerate().collect();
        let actors = actors.into_iter().map(|(actor, at)| {
            scope.spawn(move || {
                session.pin_actor(actor);
                let ledger = Ledger::new()?;
                send_until_told(service, at, limits, &ledger).map(|()| ledger)
            })
        });
        let actors: Vec<_> = actors.collect();
        let ended = actors
            .into_iter()
            .map(|actor| actor.join().unwrap_or(Err(BROKEN)));
        ended.collect::<sys::Result<_>>()
    })?;
    for ledger in &ledgers {
        for entry in Entry::OF_ALL_FLOWS {
            all.add(entry, ledger.get(entry));
        }
        all.set(Entry::Congestion, ledger.get(Entry::Congestion));
    }
    Ok(())
}

/// The error of an actor that did not come to its end.
const BROKEN: sys::Error = sys::Error {
    call: "an actor of the service",
    errno: 0,
};
