//! Two ends: the near one in the worker's hand, the far one wherever the point's path leads.

use super::far::{self, Entry, Ledger, Limits, Service};
use super::remote::{ACCEPTS, DATAGRAMS, FLOWS, Peer, STREAMS};
use super::{Options, points};
use measure::{Bench, Failure, Path};
use std::net::SocketAddr;
use std::time::Duration;
use sys::descriptor::Descriptor;
use sys::inet::{self, Listener};
use sys::process::{Actor, Ended, confess};
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

/// Whether the point leads to a peer.
fn is_remote(bench: &Bench<'_>) -> bool {
    bench.point().path() == Some(Path::Remote)
}

/// How long the other process may take to see the end of a connection, in looks: some ten seconds.
const LOOKS: u32 = 50_000_000;

/// A process that accepts connections.
pub struct Acceptor {
    address: SocketAddr,
    ledger: Ledger<'static>,
    far: Far,
}

/// How often a peer is asked how many connections it has seen end, each time a round trip and a pause later.
const QUESTIONS: u32 = 2_000;

impl Acceptor {
    /// Accepts where the point's path leads.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn new(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        if is_remote(bench) {
            return Self::there(bench, service);
        }
        Self::on(bench.peer_cpu(), points::is_version_six(bench.point()), service)
    }

    /// Accepts on this machine, in a process on this CPU.
    ///
    /// # Errors
    /// When no process or port can be had.
    pub fn on(cpu: Option<u32>, six: bool, service: Service) -> Result<Self, Failure> {
        sys::lifeline::outlive_connections();
        let listener = Listener::new(inet::loopback(six)).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::serve(cpu, || {
            far::serve(service, listener.descriptor(), Limits::OF_A_TRIAL, &ledger)
        })?;
        Ok(Self {
            address: listener.address(),
            ledger,
            far: Far::Here(actor),
        })
    }

    /// Accepts in a session of the peer.
    fn there(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        sys::lifeline::outlive_connections();
        let mut peer = Peer::open(bench.peer()?, &ACCEPTS, service, Options::MESSAGES)?;
        let address = peer.door()?;
        peer.start()?;
        Ok(Self {
            address,
            ledger: Ledger::new()?,
            far: Far::There(Box::new(peer)),
        })
    }

    /// Waits until it has seen so many connections end.
    ///
    /// # Errors
    /// When it never does.
    pub fn until_ended(&mut self, count: u64) -> Result<(), Failure> {
        match &mut self.far {
            Far::Here(_) => {
                for _ in 0..LOOKS {
                    if self.ledger.get(Entry::Turns) >= count {
                        return Ok(());
                    }
                    sys::sleep::give_way()?;
                }
            }
            Far::There(peer) => {
                for _ in 0..QUESTIONS {
                    peer.counts_into(&self.ledger)?;
                    if self.ledger.get(Entry::Turns) >= count {
                        return Ok(());
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        Err(Failure::Failed(
            "the other process never saw the connection end".to_owned(),
        ))
    }

    /// Ends the session of a peer; the kernel ends a process of this machine when it is let go.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn end(self) -> Result<(), Failure> {
        match self.far {
            Far::Here(_) => Ok(()),
            Far::There(peer) => peer.leave(),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has counted.
    pub fn ledger(&self) -> &Ledger<'static> {
        &self.ledger
    }

    /// Its CPU time; `None` where it is on another machine.
    pub fn clock(&self) -> Option<CpuClock> {
        self.far.clock()
    }
}

impl Session {
    /// Connects by TCP to a service that begins when the connection stands.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn tcp(bench: &Bench<'_>, service: Service, options: Options) -> Result<Self, Failure> {
        sys::lifeline::outlive_connections();
        if is_remote(bench) {
            let mut peer = Peer::open(bench.peer()?, &STREAMS, service, options)?;
            let near = peer.stream(options)?;
            return Self::there(peer, near);
        }
        let six = points::is_version_six(bench.point());
        let listener = options.listen(six).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::serve(bench.peer_cpu(), || {
            let at = listener.accept()?;
            // Told before the connection is closed: the other end gives up when it sees that.
            far::serve(service, &at, Limits::OF_A_TRIAL, &ledger).inspect_err(|error| confess(*error))
        })?;
        let near = options.connect(listener.address()).map_err(unreachable)?;
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
        if count < 2 || !is_remote(bench) {
            return Self::tcp(bench, service, options).map(|session| (session, Vec::new()));
        }
        sys::lifeline::outlive_connections();
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
        if is_remote(bench) {
            let mut peer = Peer::open(bench.peer()?, &DATAGRAMS, service, Options::MESSAGES)?;
            let near = peer.datagrams()?;
            return Self::there(peer, near);
        }
        let six = points::is_version_six(bench.point());
        let inet = inet::udp_pair(six).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::serve(bench.peer_cpu(), || {
            far::serve(service, &inet.far, Limits::OF_A_TRIAL, &ledger)
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
            Far::There(_) => inet::end_sending(&self.near)?,
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
}
