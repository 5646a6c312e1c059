//! Options of a connection, as data for both ends.

use super::services::{Counter, Counters, letters, name};
use measure::Bench;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination, Listener};

/// Congestion control of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Congestion {
    /// The system's default.
    Default,
    /// Loss-based: cubic, or reno where the user may not choose cubic. Without losses they are equal.
    ByLoss,
}

/// The options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// TCP_NODELAY.
    pub no_delay: bool,
    /// Congestion control.
    pub congestion: Congestion,
}

impl Options {
    /// For request and reply messages.
    pub const MESSAGES: Self = Self { no_delay: true, congestion: Congestion::ByLoss };

    /// Sets the options of a TCP socket before connect or listen: pacing persists when congestion control is changed later.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn apply_to(&self, socket: &Descriptor) -> sys::Result<()> {
        inet::set_no_delay(socket, self.no_delay)?;
        match self.congestion {
            Congestion::Default => Ok(()),
            Congestion::ByLoss => inet::control_by_loss(socket),
        }
    }

    /// A TCP socket that listens on loopback with these options.
    ///
    /// # Errors
    /// When there is no such address, or the kernel refuses.
    pub fn listen(&self, six: bool) -> sys::Result<Listener> {
        let listener = Listener::new(inet::loopback(six))?;
        self.apply_to(listener.descriptor())?;
        Ok(listener)
    }

    /// A TCP connection to this address with these options.
    ///
    /// # Errors
    /// When no socket listens there, or the kernel refuses.
    pub fn connect(&self, to: SocketAddr) -> sys::Result<Descriptor> {
        let socket = inet::tcp_socket(to.is_ipv6())?;
        self.apply_to(&socket)?;
        inet::connect(&socket, &Destination::from(to))?;
        Ok(socket)
    }
}

/// Counts the congestion control of both ends, read back at the end: pacing halves the rate over loopback.
pub fn count_congestion(bench: &mut Bench<'_>, client: u64, server: &Counters<'_>) {
    for (end, letters) in [("near", client), ("far", server.get(Counter::Congestion))] {
        match letters {
            0 => bench.cannot_count(&format!("congestion.{end}"), "the congestion control cannot be read"),
            letters => bench.count(&format!("congestion.{end}.{}", name(letters)), 1.0, 1.0),
        }
    }
}

/// The congestion control of the client's end; 0 where it cannot be read.
pub fn congestion_of(client: &Descriptor) -> u64 {
    inet::congestion_control(client).map_or(0, |name| letters(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_gets_loss_based_control_and_no_delay() {
        let listener = Options::MESSAGES.listen(false).unwrap();
        let client = Options::MESSAGES.connect(listener.address()).unwrap();
        for end in [client, listener.accept().unwrap()] {
            assert!(inet::no_delay(&end).unwrap());
            let control = inet::congestion_control(&end).unwrap();
            assert!(["cubic", "reno"].contains(&control.as_str()), "{control}");
        }
    }
}
