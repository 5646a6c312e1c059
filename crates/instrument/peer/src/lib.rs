//! The other end of a network measurement: the protocol, its server and its client.
//!
//! What arrives is understood by state machines that know no socket and no clock ([`ServerHandshake`], [`Secured`],
//! [`Proofs`]): bytes go in, bytes and events come out. The server ([`serve`]) and the client ([`Client`]) move
//! bytes between them and the network, each step within a bound of time. `docs/PROTOCOL.md` is the contract.
//!
//! **Invariant:** no secret is on the wire, and nothing of a session is done before the client has proved itself.
//! **Invariant:** everything that the other side can make grow has a bound.
#![forbid(unsafe_code)]

mod client;
mod counters;
mod error;
mod frame;
mod greeting;
mod handshake;
mod key;
mod malformed;
mod message;
mod noise;
mod proof;
mod secured;
pub mod serve;
mod service;
pub mod services;
mod transport;
mod wire;

pub use client::{Client, CountsSnapshot};
pub use counters::{Counts, LANES, Lane, OWN};
pub use error::Error;
pub use frame::{FrameBuffer, MAX_MESSAGE};
pub use greeting::{GREETING_BYTES, Greeting, VERSIONS};
pub use handshake::{ClientHandshake, ClientStep, ServerHandshake, ServerStep};
pub use key::{Key, PeerAddress, listening_address};
pub use malformed::Malformed;
pub use message::{Description, Request, Response};
pub use proof::{PROOF_BYTES, Proofs, REPLY_BYTES};
pub use secured::{Received, Secured};
pub use service::{ClientListener, Service, Session};
pub use transport::Transport;
