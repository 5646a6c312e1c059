//! The file server, as far as a peer on it tells and does.

use measure::{Bench, Failure};
use peer::{Client, Error, PeerAddress};

/// The counter of bytes that the server's devices have read.
pub const DEVICE_BYTES: &str = "server.device_bytes";

/// A peer on the file server, or why there is none.
pub struct Server {
    peer: Result<Client, String>,
    before: u64,
}

fn failed(error: &Error) -> Failure {
    match error {
        Error::Refused(reason) => Failure::skipped(
            format!("the file server's cache cannot be emptied: {reason}"),
            "start `oscope serve --allow-drop-caches` on the file server as root, and name it by --peer and --key",
        ),
        other => Failure::Failed(format!("the peer on the file server: {other}")),
    }
}

impl Server {
    /// The peer that the run has, if it has one.
    pub fn of(bench: &Bench<'_>) -> Self {
        let none = || "no peer on the file server tells what is read there".to_owned();
        let program = format!("oscope {}", env!("CARGO_PKG_VERSION"));
        let peer = bench.peer().map_err(|_| none()).and_then(|link| {
            let client = PeerAddress::of(link).and_then(|address| Client::connect(&address, &program));
            client.map_err(|error| error.to_string())
        });
        Self { peer, before: 0 }
    }

    /// Lets it write out what waits and empty its cache.
    ///
    /// # Errors
    /// When there is no peer, or it may not.
    pub fn empty(&mut self) -> Result<(), Failure> {
        match &mut self.peer {
            Ok(client) => client.drop_caches().map_err(|error| failed(&error)),
            Err(reason) => Err(Failure::Failed(reason.clone())),
        }
    }

    fn device_bytes(&mut self) -> Result<u64, String> {
        let client = self.peer.as_mut().map_err(|reason| reason.clone())?;
        client.device_bytes().map_err(|error| error.to_string())
    }

    /// Counts from now on.
    pub fn begin(&mut self) {
        match self.device_bytes() {
            Ok(bytes) => self.before = bytes,
            Err(reason) => self.peer = Err(reason),
        }
    }

    /// Says how many bytes its devices have read for each that was asked for, and ends the session.
    pub fn tell(mut self, bench: &mut Bench<'_>, asked: f64) {
        match self.device_bytes() {
            Ok(now) => bench.count(DEVICE_BYTES, now.saturating_sub(self.before) as f64, asked),
            Err(reason) => bench.cannot_count(DEVICE_BYTES, reason),
        }
        if let Ok(client) = self.peer {
            // The session is over also when its end is not heard.
            let _ = client.end();
        }
    }
}
