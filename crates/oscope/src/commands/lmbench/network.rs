//! Programs of lmbench about sockets and streams, on this machine.

use super::answer::{Answer, Program, exactly, megabytes, micro, rate};
use super::line::{Words, size};
use crate::exit::usage;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "lat_tcp",
        options: "sSm:",
        answers: |words| round_trip(words, "TCP latency using", "tcp"),
        examples: &["localhost", "-m 1k localhost"],
        remark: LOCAL,
    },
    Program {
        name: "lat_udp",
        options: "sSm:",
        answers: |words| round_trip(words, "UDP latency using", "udp"),
        examples: &["localhost"],
        remark: LOCAL,
    },
    Program { name: "lat_connect", options: "sS", answers: connect, examples: &["localhost"], remark: LOCAL },
    Program {
        name: "lat_unix_connect",
        options: "sS",
        answers: |words| {
            let is_client = words.option('s').is_none() && words.option('S').is_none();
            let answer = micro("UNIX connection cost", "network.connection.unix path=loopback cpu=same");
            Ok(if is_client { vec![answer] } else { Vec::new() })
        },
        examples: &[""],
        remark: "Both ends on one CPU, with a round trip of 1 byte and an abstract name.",
    },
    Program {
        name: "bw_tcp",
        options: "sSm:M:",
        answers: tcp,
        examples: &["localhost", "-m 64k localhost"],
        remark: "Both ends on one CPU, in writes of 128 KiB whatever -m says; -s and -S do nothing.",
    },
    Program {
        name: "bw_udp",
        options: "sSm:",
        answers: udp,
        examples: &["localhost"],
        remark: "What arrived; lmbench counts what it requested.",
    },
    Program {
        name: "bw_pipe",
        options: "m:M:",
        answers: |words| stream(words, "Pipe bandwidth", "ipc.bandwidth.pipe"),
        examples: &["", "-m 4k"],
        remark: "Both ends on one CPU.",
    },
    Program {
        name: "bw_unix",
        options: "m:M:",
        answers: |words| stream(words, "AF_UNIX sock stream bandwidth", "ipc.bandwidth.unix_stream"),
        examples: &["", "-m 4k"],
        remark: "Both ends on one CPU.",
    },
];

/// Of the round trips.
const LOCAL: &str = "Both ends on one CPU of this machine; -s and -S do nothing, as no server is needed.";

/// Bytes of a write, unless a line says others.
const TRANSFER: u64 = 64 << 10;

/// The host, which is this one; `None` where a line starts or stops a server.
fn host(words: &Words) -> anyhow::Result<Option<&str>> {
    if words.option('s').is_some() || words.option('S').is_some() {
        return Ok(None);
    }
    let host = words.word(0, "a host")?;
    if ["localhost", "127.0.0.1", "::1"].contains(&host) {
        return Ok(Some(host));
    }
    Err(usage(format!(
        "{host}: start `oscope serve` there, and measure by `oscope run --peer {host}:PORT network`"
    )))
}

fn round_trip(words: &Words, label: &str, protocol: &str) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.option('m').map_or(Ok(1), size)?;
    Ok(host(words)?
        .map(|host| {
            let point = format!("network.round_trip.{protocol} path=loopback cpu=same bytes={bytes}B");
            micro(format!("{label} {host}"), point)
        })
        .into_iter()
        .collect())
}

fn connect(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let point = "network.connection.connect path=loopback cpu=same";
    Ok(host(words)?
        .map(|host| micro(format!("TCP/IP connection cost to {host}"), point))
        .into_iter()
        .collect())
}

/// Bytes of a write of the TCP stream, whatever a line says.
const WRITE: u64 = 128 << 10;

fn tcp(words: &Words) -> anyhow::Result<Vec<Answer>> {
    words.option('m').map(size).transpose()?;
    if host(words)?.is_none() {
        return Ok(Vec::new());
    }
    Ok(vec![Answer::from_point("network.bandwidth.tcp path=loopback cpu=same", |value| {
        format!("{:.6} {:.2} MB/sec\n", megabytes(exactly(WRITE)), megabytes(value.typical))
    })])
}

fn udp(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.option('m').map_or(Ok(8 << 10), size)?;
    let point = format!("network.bandwidth.udp path=loopback cpu=same bytes={bytes}B");
    Ok(host(words)?
        .map(|host| rate(format!("socket UDP bandwidth using {host}"), point))
        .into_iter()
        .collect())
}

fn stream(words: &Words, label: &str, operation: &str) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.option('m').map_or(Ok(TRANSFER), size)?;
    Ok(vec![rate(label, format!("{operation} bytes={bytes}B cpu=same"))])
}
