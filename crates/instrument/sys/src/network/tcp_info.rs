//! What the kernel knows of one TCP connection: segments, retransmissions, bytes, its own round-trip time.

use crate::descriptor::Descriptor;
use crate::{Result, inet};

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
    /// Bytes that came in order.
    pub bytes_received: u64,
    /// Bytes that the other end has acknowledged.
    pub bytes_acknowledged: u64,
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
    let raw: libc::tcp_info = inet::get(socket, (libc::IPPROTO_TCP, libc::TCP_INFO))?;
    Ok(TcpInfo {
        state: raw.tcpi_state,
        retransmissions: raw.tcpi_total_retrans,
        data_segments_in: raw.tcpi_data_segs_in,
        data_segments_out: raw.tcpi_data_segs_out,
        segments_out: raw.tcpi_segs_out,
        bytes_received: raw.tcpi_bytes_received,
        bytes_acknowledged: raw.tcpi_bytes_acked,
        rtt_us: raw.tcpi_rtt,
        least_rtt_us: raw.tcpi_min_rtt,
        busy_us: raw.tcpi_busy_time,
        receive_window_limited_us: raw.tcpi_rwnd_limited,
        send_buffer_limited_us: raw.tcpi_sndbuf_limited,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inet::{set_no_delay, tcp_pair};

    #[test]
    fn bytes_and_segments_are_counted() {
        let pair = tcp_pair(false).unwrap();
        set_no_delay(&pair.client, true).unwrap();
        let mut bytes = [0; 100];
        let before = read(&pair.client).unwrap().bytes_acknowledged;
        for _ in 0..7 {
            pair.client.write_all(&[3; 100]).unwrap();
            pair.server.read_all(&mut bytes).unwrap();
        }
        let (client, server) = (read(&pair.client).unwrap(), read(&pair.server).unwrap());
        assert_eq!((client.state, server.state), (1, 1));
        assert_eq!((client.data_segments_out, server.data_segments_in), (7, 7));
        assert_eq!(server.bytes_received, 700);
        // An answer acknowledges what came before it.
        pair.server.write_all(&[1]).unwrap();
        pair.client.read_all(&mut [0]).unwrap();
        assert_eq!(read(&pair.client).unwrap().bytes_acknowledged - before, 700);
        assert_eq!((client.retransmissions, client.data_segments_in), (0, 0));
    }
}
