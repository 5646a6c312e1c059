//! What the kernel knows of one TCP connection: segments, retransmissions, bytes, its own round-trip time.

use crate::descriptor::Descriptor;
use crate::{Result, inet};

/// `struct tcp_info` of linux/tcp.h as far as it is used here; an older kernel fills less, the rest stays zero.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Raw {
    state: u8,
    bytes_of_flags: [u8; 7],
    timeouts_and_sizes: [u32; 4],
    in_flight: [u32; 5],
    ages: [u32; 4],
    path_mtu: u32,
    receive_threshold: u32,
    rtt: u32,
    rtt_deviation: u32,
    send_threshold: u32,
    send_window: u32,
    advertised: u32,
    reordering: u32,
    receive_rtt: u32,
    receive_space: u32,
    total_retransmissions: u32,
    pacing_rate: u64,
    most_pacing_rate: u64,
    bytes_acked: u64,
    bytes_received: u64,
    segments_out: u32,
    segments_in: u32,
    not_sent: u32,
    least_rtt: u32,
    data_segments_in: u32,
    data_segments_out: u32,
    delivery_rate: u64,
    busy_us: u64,
    receive_window_limited_us: u64,
    send_buffer_limited_us: u64,
}

/// What the kernel counted of a connection since it began, and its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// The state's number (1 is established).
    pub state: u8,
    /// Segments that were sent again.
    pub retransmissions: u32,
    /// Segments with data that came.
    pub data_segments_in: u32,
    /// Segments with data that went.
    pub data_segments_out: u32,
    /// All segments that went, acknowledgements included.
    pub segments_out: u32,
    /// Bytes that the other end has acknowledged.
    pub bytes_acked: u64,
    /// Bytes that came in order.
    pub bytes_received: u64,
    /// The smoothed round-trip time in whole microseconds.
    pub rtt_us: u32,
    /// The least round-trip time seen, in whole microseconds.
    pub least_rtt_us: u32,
    /// Time with data on its way, in microseconds.
    pub busy_us: u64,
    /// Time for which the other end's window held data back, in microseconds.
    pub receive_window_limited_us: u64,
    /// Time for which this end's buffer held the program back, in microseconds.
    pub send_buffer_limited_us: u64,
}

/// Asks the kernel.
///
/// # Errors
/// When the descriptor is no TCP socket, or the call is denied.
pub fn read(socket: &Descriptor) -> Result<TcpInfo> {
    let mut raw = Raw::default();
    inet::fill(socket, (libc::IPPROTO_TCP, libc::TCP_INFO), &mut raw)?;
    Ok(TcpInfo {
        state: raw.state,
        retransmissions: raw.total_retransmissions,
        data_segments_in: raw.data_segments_in,
        data_segments_out: raw.data_segments_out,
        segments_out: raw.segments_out,
        bytes_acked: raw.bytes_acked,
        bytes_received: raw.bytes_received,
        rtt_us: raw.rtt,
        least_rtt_us: raw.least_rtt,
        busy_us: raw.busy_us,
        receive_window_limited_us: raw.receive_window_limited_us,
        send_buffer_limited_us: raw.send_buffer_limited_us,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::inet::{set_no_delay, tcp_pair};

    #[test]
    fn the_fields_lie_where_the_kernel_puts_them() {
        use std::mem::offset_of;
        assert_eq!(offset_of!(Raw, rtt), 68);
        assert_eq!(offset_of!(Raw, total_retransmissions), 100);
        assert_eq!(offset_of!(Raw, bytes_acked), 120);
        assert_eq!(offset_of!(Raw, data_segments_in), 152);
        assert_eq!(offset_of!(Raw, send_buffer_limited_us), 184);
    }

    #[test]
    fn bytes_and_segments_are_counted() {
        let pair = tcp_pair(false).unwrap();
        set_no_delay(&pair.client, true).unwrap();
        let mut bytes = [0; 100];
        for _ in 0..7 {
            pair.client.write_all(&[3; 100]).unwrap();
            pair.server.read_all(&mut bytes).unwrap();
        }
        let (client, server) = (read(&pair.client).unwrap(), read(&pair.server).unwrap());
        assert_eq!((client.state, server.state), (1, 1));
        assert_eq!((client.data_segments_out, server.data_segments_in), (7, 7));
        assert_eq!(server.bytes_received, 700);
        assert_eq!((client.retransmissions, client.data_segments_in), (0, 0));
    }
}
