//! Messages after the handshake: one response to each request.

use crate::{Counts, Transport};
use record::Machine;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A client's question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    /// The first of all, to the server itself: a session.
    Session {
        /// The program of the client: `oscope 0.1.0`.
        program: String,
    },
    /// What the peer is.
    Describe,
    /// To get a service ready: afterwards there is a port for its data.
    Open {
        /// Its name.
        service: String,
        /// What the service itself reads.
        parameters: Value,
    },
    /// To let the opened service begin with the connections that are there.
    Start,
    /// How far the service is.
    Counts,
    /// To wait for the service's end, for a while, and close its connections.
    Stop,
    /// To write out what waits and drop the page cache, where that is allowed.
    DropCaches,
    /// How many bytes its machine has read from devices.
    DeviceBytes,
    /// To end the session.
    End,
    /// A question that only newer clients ask.
    #[serde(other)]
    Unknown,
}

/// A peer's description of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Its program: `oscope 0.1.0`.
    pub program: String,
    /// The version of the protocol that is spoken.
    pub protocol: u16,
    /// The names of its services.
    pub services: Vec<String>,
    /// Whether it drops its page cache when it is asked to.
    #[serde(default)]
    pub drops_caches: bool,
    /// Its machine.
    pub machine: Machine,
}

/// The server's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Response {
    /// A session.
    Session {
        /// Its number.
        session: String,
        /// Its own key, for what follows.
        key: String,
    },
    /// What the peer is.
    Description(Box<Description>),
    /// The service is ready for its data.
    Opened {
        /// How its data are carried.
        transport: Transport,
        /// The port to which they go, at the address of the control connection.
        port: u16,
    },
    /// The service has begun.
    Started {
        /// The peer's clock when it had.
        clock_ns: u64,
    },
    /// How far the service is.
    Counts(Counts),
    /// The service is over, with what it had done.
    Stopped(Counts),
    /// How many bytes its machine has read from devices since it started.
    DeviceBytes {
        /// The bytes.
        bytes: u64,
    },
    /// It is done; there is no result.
    Done,
    /// Understood, but not done.
    Refused {
        /// Why, and what would help.
        reason: String,
    },
    /// Tried, but it went wrong.
    Failed {
        /// What went wrong.
        reason: String,
    },
    /// An answer that only newer servers give.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_requests_are_recognised() {
        let newer = r#"{"ask":"levitate","height":3}"#;
        assert_eq!(serde_json::from_str::<Request>(newer).unwrap(), Request::Unknown);
        let newer = r#"{"answer":"levitated","height":3}"#;
        assert_eq!(serde_json::from_str::<Response>(newer).unwrap(), Response::Unknown);
        let more = r#"{"ask":"start","in_a_new_field":true}"#;
        assert_eq!(serde_json::from_str::<Request>(more).unwrap(), Request::Start);
    }
}
