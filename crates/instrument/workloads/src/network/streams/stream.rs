//! The parameters of a stream.

use crate::network::options::{Congestion, Options};
use crate::network::services::Method;
use measure::{choice, parameters};

choice! {
    /// The algorithm of congestion control.
    pub enum CongestionControl {
        /// The system's default.
        Default = "default",
    }
}

parameters! {
    /// A stream.
    pub struct Stream {
        /// How bytes are sent.
        method: Method = Method::Plain,
        /// Loss-based without.
        congestion: Option<CongestionControl> = None,
        /// Parallel streams; one without.
        flows: Option<u64> = None,
    }
}

impl Stream {
    pub(super) fn options(self) -> Options {
        let congestion = match self.congestion {
            Some(CongestionControl::Default) => Congestion::Default,
            None => Congestion::ByLoss,
        };
        Options { no_delay: false, congestion }
    }
}
