//! What the cards of the network run: it knows no operation.
//!
//! What the other end does lies in [`services`], over descriptors that are connected or listen already; what a peer does
//! of it in [`peer_services`]; where the other end is and how it is reached in [`session`].

pub(super) mod acknowledgements;
pub(super) mod connections;
pub mod messages;
pub mod options;
pub mod peer_services;
pub mod services;
pub mod session;
pub mod streams;
