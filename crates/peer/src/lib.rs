//! The other end of a network measurement: the protocol, its server and its client.
//!
//! What arrives is understood by state machines that know no socket and no clock ([`Greeting`], [`Secured`],
//! [`Proofs`]): bytes go in, bytes and events come out. The server ([`serve`]) and the client ([`Client`]) move
//! bytes between them and the network, each step within a bound of time. `docs/PROTOCOL.md` is the contract.
//!
//! **Invariant:** no secret is on the wire, and nothing of a session is done before the client has proved itself.
//! **Invariant:** everything that the other side can make grow has a bound.
#![forbid(unsafe_code)]

mod client;
mod error;
mod frame;
mod greeting;
mod hello;
mod key;
mod latch;
mod message;
mod noise;
mod proof;
mod secured;
pub mod serve;
mod service;
pub mod services;
mod wire;

pub use client::{Client, Latched};
pub use error::{Error, Malformed};
pub use frame::{Inbox, MOST_MESSAGE};
pub use greeting::{Greeting, Knock, Knocked, Step};
pub use hello::{HELLO_BYTES, Hello, VERSIONS};
pub use key::{Key, PeerAddress};
pub use latch::{Counts, LANES, Lane, OWN};
pub use message::{Answer, Ask, Described, Transport};
pub use proof::{PROOF_BYTES, Proofs, REPLY_BYTES};
pub use secured::{Heard, Secured};
pub use service::{Door, Service, Session};
