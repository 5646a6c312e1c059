//! The file server, through a peer on it.

use measure::{Bench, Failure, Result};
use peer::{Client, Error, PeerAddress};

/// The counter of bytes read by the server's devices.
pub const DEVICE_BYTES: &str = "server.device_bytes";

/// A peer on the file server, or the reason for none.
pub struct Server {
    peer: Result<Client, String>,
    before: u64,
}

fn failed(error: &Error) -> Failure {
    match error {
        Error::Refused(reason) => Failure::skipped(
            format!("the file server's page cache cannot be dropped: {reason}"),
            "start `oscope serve --allow-drop-caches` on the file server as root, and name it by --peer and --key",
        ),
        other => Failure::failed(format!("the peer on the file server: {other}")),
    }
}

impl Server {
    /// The peer of the run, if any.
    pub fn connect(bench: &Bench<'_>) -> Self {
        let program = format!("oscope {}", env!("CARGO_PKG_VERSION"));
        let peer = bench
            .peer()
            .map_err(|_| "no peer on the file server counts its device reads".to_owned())
            .and_then(|link| {
                let client =
                    PeerAddress::from_link(link).and_then(|address| Client::connect(&address, &program));
                client.map_err(|error| error.to_string())
            });
        Self { peer, before: 0 }
    }

    /// Writes back and drops the server's page cache.
    ///
    /// # Errors
    /// When there is no peer, or it does not permit it.
    pub fn drop_cache(&mut self) -> Result<()> {
        match &mut self.peer {
            Ok(client) => client.drop_caches().map_err(|error| failed(&error)),
            Err(reason) => Err(Failure::failed(reason.clone())),
        }
    }

    fn device_bytes(&mut self) -> Result<u64, String> {
        let client = self.peer.as_mut().map_err(|reason| reason.clone())?;
        client.device_bytes().map_err(|error| error.to_string())
    }

    /// Starts counting.
    pub fn start(&mut self) {
        match self.device_bytes() {
            Ok(bytes) => self.before = bytes,
            Err(reason) => self.peer = Err(reason),
        }
    }

    /// Counts bytes read by its devices per requested byte, and ends the session.
    pub fn count(mut self, bench: &mut Bench<'_>, requested: f64) {
        let bytes = self.device_bytes().map(|now| now.saturating_sub(self.before) as f64);
        bench.try_count(DEVICE_BYTES, bytes, requested);
        if let Ok(client) = self.peer {
            // The session ends even if the message is lost.
            let _ = client.end();
        }
    }
}
