//! Two ends: the near one in the worker's hand, the far one wherever the point's path leads.

mod acceptor;
mod remote;

pub use acceptor::Acceptor;
pub use remote::address;

use super::options::{self, Options};
use super::peer_services::{DATAGRAMS, FLOWS, STREAMS};
use super::services::{self, Entry, Ledger, Limits, Service};
use crate::network::points::is_remote;
use measure::{Bench, Failure};
use remote::Peer;
use std::net::SocketAddr;
use sys::descriptor::Descriptor;
use sys::inet;
use sys::process::{Actor, Ended, report_child_error};
use sys::usage::CpuClock;

/// A service at the far end and the connection to it.
pub struct Session {
    near: Descriptor,
    ledger: Ledger<'static>,
    far: Far,
}

/// Who runs the service.
enum Far {
    /// A process beside this one.
    Here(Actor),
    /// A session of a peer.
    There(Box<Peer>),
}

impl Far {
    /// Its CPU time, where that can be read.
    fn clock(&self) -> Option<CpuClock> {
        match self {
            Self::Here(actor) => Some(CpuClock::of_process(actor.pid())),
            Self::There(_) => None,
        }
    }
}

/// What is missing where no address can be reached.
pub fn unreachable(error: sys::Error) -> Failure {
    if error.is_unreachable() {
        Failure::skipped(
            format!("{error}: there is no such address here"),
            "bring the loopback interface up (ip link set lo up), for version 6 also sysctl net.ipv6.conf.lo.disable_ipv6=0",
        )
    } else {
        error.into()
    }
}

/// Whether the point asks for version 6 of the internet protocol.
fn is_version_six(bench: &Bench<'_>) -> bool {
    bench.point().get("ip") == Some("6")
}

/// Bytes of data in the largest segment over loopback: its MTU of 65 536 less headers and time stamps.
pub const SEGMENT: f64 = 65_484.0;

/// Starts a process on this CPU that serves the TCP connection that it accepts; gives where to connect.
///
/// # Errors
/// When no process can be made or there is no loopback interface.
pub fn accept_and_serve(
    cpu: Option<u32>,
    service: Service,
    options: Options,
    six: bool,
    ledger: &Ledger<'_>,
) -> Result<(Actor, SocketAddr), Failure> {
    let listener = options.listen(six).map_err(unreachable)?;
    let actor = Actor::serve(cpu, || {
        let at = listener.accept()?;
        // Told before the connection is closed: the other end gives up when it sees that.
        services::serve(service, &at, Limits::OF_A_TRIAL, ledger)
            .inspect_err(|error| report_child_error(*error))
    })?;
    Ok((actor, listener.address()))
}

impl Session {
    /// Connects by TCP to a service that begins when the connection stands.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn tcp(bench: &Bench<'_>, service: Service, options: Options) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        if is_remote(bench.point()) {
            let mut peer = Peer::open(bench.peer()?, &STREAMS, service, options)?;
            let near = peer.stream(options)?;
            return Self::there(peer, near);
        }
        let ledger = Ledger::new()?;
        let six = is_version_six(bench);
        let (actor, address) = accept_and_serve(bench.peer_cpu(), service, options, six, &ledger)?;
        let near = options.connect(address).map_err(unreachable)?;
        let far = Far::Here(actor);
        Ok(Self { near, ledger, far })
    }

    /// Connects to a source that sends over so many flows at once; gives the ends of the others beside the first. On this
    /// machine the others have sources of their own, and none are given.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn flows(
        bench: &Bench<'_>,
        service: Service,
        options: Options,
        count: usize,
    ) -> Result<(Self, Vec<Descriptor>), Failure> {
        if count < 2 || !is_remote(bench.point()) {
            return Self::tcp(bench, service, options).map(|session| (session, Vec::new()));
        }
        sys::supervision::ignore_sigpipe();
        let mut peer = Peer::open(bench.peer()?, &FLOWS, service, options)?;
        let near = peer.stream(options)?;
        let others = (1..count)
            .map(|_| peer.stream(options))
            .collect::<Result<_, _>>()?;
        Ok((Self::there(peer, near)?, others))
    }

    /// In a session of the peer, from its start on.
    fn there(mut peer: Peer, near: Descriptor) -> Result<Self, Failure> {
        peer.start()?;
        let (ledger, far) = (Ledger::new()?, Far::There(Box::new(peer)));
        Ok(Self { near, ledger, far })
    }

    /// Exchanges UDP datagrams with a service.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn udp(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        if is_remote(bench.point()) {
            let mut peer = Peer::open(bench.peer()?, &DATAGRAMS, service, Options::MESSAGES)?;
            let near = peer.datagrams()?;
            return Self::there(peer, near);
        }
        let six = is_version_six(bench);
        let inet = inet::udp_pair(six).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::serve(bench.peer_cpu(), || {
            services::serve(service, &inet.far, Limits::OF_A_TRIAL, &ledger)
        })?;
        Ok(Self {
            near: inet.near,
            ledger,
            far: Far::Here(actor),
        })
    }

    /// The near end.
    pub fn near(&self) -> &Descriptor {
        &self.near
    }

    /// What the service has counted; of a peer it is known when the session has ended.
    pub fn ledger(&self) -> &Ledger<'static> {
        &self.ledger
    }

    /// Whether the service runs on another machine.
    pub fn is_remote(&self) -> bool {
        matches!(self.far, Far::There(_))
    }

    /// CPU time of both ends, of those that are here.
    pub fn clocks(&self) -> Vec<CpuClock> {
        [CpuClock::THREAD].into_iter().chain(self.far_clock()).collect()
    }

    /// CPU time of the far end; `None` where it is on another machine.
    pub fn far_clock(&self) -> Option<CpuClock> {
        self.far.clock()
    }

    /// Asks a service that sends to end after what it is sending.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn ask_to_end(&self) -> Result<(), Failure> {
        match self.far {
            Far::Here(_) => self.ledger.set(Entry::Stop, 1),
            Far::There(_) => inet::shutdown_write(&self.near)?,
        }
        Ok(())
    }

    /// Waits until the service has ended, which it was asked to, and gives what it counted.
    ///
    /// # Errors
    /// When it ended with an error.
    pub fn join(self) -> Result<Ledger<'static>, Failure> {
        let Self { near, ledger, far } = self;
        match far {
            Far::Here(actor) => match actor.join()? {
                Ended::Exited(0) => Ok(ledger),
                ended => Err(Failure::Failed(format!("the far end stopped: {ended:?}"))),
            },
            Far::There(peer) => {
                drop(near);
                peer.end_into(&ledger)?;
                Ok(ledger)
            }
        }
    }

    /// The same, and tells how congestion was controlled at both ends.
    ///
    /// # Errors
    /// As [`Session::join`].
    pub fn join_and_tell(self, bench: &mut Bench<'_>) -> Result<Ledger<'static>, Failure> {
        let near = options::congestion_of(&self.near);
        let ledger = self.join()?;
        options::tell_congestion(bench, near, &ledger);
        Ok(ledger)
    }
}
