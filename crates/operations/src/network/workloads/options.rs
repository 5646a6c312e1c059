//! What is chosen for a connection, as data that both ends understand.

use super::services::{Entry, Ledger, letters, name};
use measure::Bench;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination, Listener};

/// How a connection's congestion is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Congestion {
    /// As the system does for every connection.
    Default,
    /// By losses alone: cubic, or reno where the user may not choose that. Without a loss they do the same.
    ByLoss,
}

/// What is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Small segments go at once (TCP_NODELAY).
    pub no_delay: bool,
    /// Congestion control.
    pub congestion: Congestion,
}

impl Options {
    /// For messages that are answered.
    pub const MESSAGES: Self = Self {
        no_delay: true,
        congestion: Congestion::ByLoss,
    };

    /// Chooses for a TCP socket: one that will connect or listen, whose connections begin with what it has, since a
    /// control that paces by a clock goes on pacing when another is chosen later.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn choose_for(&self, socket: &Descriptor) -> sys::Result<()> {
        inet::set_no_delay(socket, self.no_delay)?;
        match self.congestion {
            Congestion::Default => Ok(()),
            Congestion::ByLoss => inet::control_by_loss(socket),
        }
    }

    /// A TCP socket that listens on this machine, whose connections are as chosen.
    ///
    /// # Errors
    /// When there is no such address, or the kernel refuses.
    pub fn listen(&self, six: bool) -> sys::Result<Listener> {
        let listener = Listener::new(inet::loopback(six))?;
        self.choose_for(listener.descriptor())?;
        Ok(listener)
    }

    /// A TCP connection to this address, as chosen.
    ///
    /// # Errors
    /// When nobody listens there, or the kernel refuses.
    pub fn connect(&self, to: SocketAddr) -> sys::Result<Descriptor> {
        let socket = inet::tcp_socket(to.is_ipv6())?;
        self.choose_for(&socket)?;
        inet::connect(&socket, &Destination::from(to))?;
        Ok(socket)
    }
}

/// How the congestion of a connection was controlled at both ends, read back when it was over, as evidence: a control
/// that paces by a clock halves the rate of loopback.
pub(super) fn tell_congestion(bench: &mut Bench<'_>, near: u64, far: &Ledger<'_>) {
    for (end, letters) in [("near", near), ("far", far.get(Entry::Congestion))] {
        match letters {
            0 => bench.cannot_count(&format!("congestion.{end}"), "it cannot be read".to_owned()),
            letters => bench.count(&format!("congestion.{end}.{}", name(letters)), 1.0, 1.0),
        }
    }
}

/// How the congestion of a connection is controlled at the near end; 0 where that cannot be read.
pub(super) fn congestion_of(near: &Descriptor) -> u64 {
    inet::congestion_control(near).map_or(0, |name| letters(&name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_user_gets_a_control_by_loss_and_no_delay() {
        let listener = Options::MESSAGES.listen(false).unwrap();
        let near = Options::MESSAGES.connect(listener.address()).unwrap();
        for end in [near, listener.accept().unwrap()] {
            assert!(inet::no_delay(&end).unwrap());
            let control = inet::congestion_control(&end).unwrap();
            assert!(["cubic", "reno"].contains(&control.as_str()), "{control}");
        }
    }
}
