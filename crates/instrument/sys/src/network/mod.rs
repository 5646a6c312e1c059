//! Sockets, packets and what the kernel counts of them.

pub mod datagram_batch;
mod destination;
pub mod icmp;
pub mod inet;
pub mod interface;
pub mod nfs_requests;
pub mod packet;
pub mod socket;
pub mod tcp_info;
pub mod traffic;
pub mod zero_copy;
