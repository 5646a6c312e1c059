//! Two ends: the near one in the worker's hand, the far one wherever the point's path leads.

use super::far::{self, Entry, Ledger, Limits, Service};
use super::{Options, points};
use measure::{Bench, Failure};
use std::net::SocketAddr;
use sys::descriptor::Descriptor;
use sys::inet::{self, Listener};
use sys::process::{Actor, Ended};
use sys::usage::CpuClock;

/// A service at the far end and the connection to it.
pub struct Session {
    near: Descriptor,
    ledger: Ledger,
    actor: Actor,
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

/// Whether the point leads to this machine; others need a peer.
fn must_be_loopback(bench: &Bench<'_>) -> Result<(), Failure> {
    match bench.point().get("path") {
        Some(points::LOOPBACK) => Ok(()),
        _ => Err(Failure::Failed("no way leads to the other end".to_owned())),
    }
}

/// How long the other process may take to see the end of a connection, in looks: some ten seconds.
const LOOKS: u32 = 50_000_000;

/// A process that accepts connections.
pub struct Acceptor {
    address: SocketAddr,
    ledger: Ledger,
    actor: Actor,
}

impl Acceptor {
    /// Accepts where the point's path leads.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn new(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        must_be_loopback(bench)?;
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
        let actor = Actor::spawn(cpu, || {
            i32::from(far::serve(service, listener.descriptor(), Limits::OF_A_TRIAL, &ledger).is_err())
        })?;
        Ok(Self {
            address: listener.address(),
            ledger,
            actor,
        })
    }

    /// Waits until it has seen so many connections end.
    ///
    /// # Errors
    /// When it never does.
    pub fn until_ended(&self, count: u64) -> Result<(), Failure> {
        for _ in 0..LOOKS {
            if self.ledger.get(Entry::Turns) >= count {
                return Ok(());
            }
            sys::sleep::give_way()?;
        }
        Err(Failure::Failed(
            "the other process never saw the connection end".to_owned(),
        ))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has counted.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Its CPU time.
    pub fn clock(&self) -> CpuClock {
        CpuClock::of_process(self.actor.pid())
    }
}

impl Session {
    /// Connects by TCP to a service that begins when the connection stands.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn tcp(bench: &Bench<'_>, service: Service, options: Options) -> Result<Self, Failure> {
        must_be_loopback(bench)?;
        sys::lifeline::outlive_connections();
        let six = points::is_version_six(bench.point());
        let listener = Listener::new(inet::loopback(six)).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::spawn(bench.peer_cpu(), || {
            let served = listener.accept().and_then(|at| {
                options.choose_for(&at)?;
                far::serve(service, &at, Limits::OF_A_TRIAL, &ledger)
            });
            i32::from(served.is_err())
        })?;
        let near = inet::connected(listener.address()).map_err(unreachable)?;
        options.choose_for(&near)?;
        Ok(Self { near, ledger, actor })
    }

    /// Exchanges UDP datagrams with a service.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn udp(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        must_be_loopback(bench)?;
        let six = points::is_version_six(bench.point());
        let inet = inet::udp_pair(six).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::spawn(bench.peer_cpu(), || {
            i32::from(far::serve(service, &inet.far, Limits::OF_A_TRIAL, &ledger).is_err())
        })?;
        Ok(Self {
            near: inet.near,
            ledger,
            actor,
        })
    }

    /// The near end.
    pub fn near(&self) -> &Descriptor {
        &self.near
    }

    /// What the service has counted.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// CPU time of both ends.
    pub fn clocks(&self) -> Vec<CpuClock> {
        vec![CpuClock::THREAD, self.far_clock()]
    }

    /// CPU time of the far end.
    pub fn far_clock(&self) -> CpuClock {
        CpuClock::of_process(self.actor.pid())
    }

    /// Waits until the service has ended, which it was asked to, and gives what it counted.
    ///
    /// # Errors
    /// When it ended with an error.
    pub fn join(self) -> Result<Ledger, Failure> {
        match self.actor.join()? {
            Ended::Exited(0) => Ok(self.ledger),
            ended => Err(Failure::Failed(format!("the far end stopped: {ended:?}"))),
        }
    }
}
