//! How the data of a session are carried.

use serde::{Deserialize, Serialize};

/// How data are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Connections that begin with a proof.
    Tcp,
    /// A socket whose first datagram is a proof.
    Udp,
    /// Connections that the service accepts by itself, from the address of the client only.
    Accepted,
}

impl Transport {
    /// The protocol that carries the data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp | Self::Accepted => "tcp",
            Self::Udp => "udp",
        }
    }
}
