//! What is chosen for a connection, as data that both ends understand.

use serde::{Deserialize, Serialize};
use sys::descriptor::Descriptor;
use sys::inet;

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

    /// Chooses for a TCP socket.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn choose_for(&self, socket: &Descriptor) -> sys::Result<()> {
        inet::set_no_delay(socket, self.no_delay)?;
        match self.congestion {
            Congestion::Default => Ok(()),
            Congestion::ByLoss => inet::set_congestion_control(socket, "cubic")
                .or_else(|_| inet::set_congestion_control(socket, "reno")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_user_gets_a_control_by_loss_and_no_delay() {
        let pair = inet::tcp_pair(false).unwrap();
        Options::MESSAGES.choose_for(&pair.near).unwrap();
        assert!(inet::no_delay(&pair.near).unwrap());
        let control = inet::congestion_control(&pair.near).unwrap();
        assert!(["cubic", "reno"].contains(&control.as_str()), "{control}");
    }
}
