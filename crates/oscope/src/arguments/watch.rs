//! What is typed behind `oscope watch`.

use super::values::{duration, percent};
use clap::{Args, ValueEnum};
use quantity::{Bytes, parse_bytes};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Watch a few points all the time.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// What to watch, as for `run` [default: channels: a system call, wake-ups, a pipe to another CPU, loads from three sizes,
    /// write and fsync, a TCP round trip]
    pub selection: Vec<String>,
    /// Share of one CPU's time that the watch may use, its workers included
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "1%")]
    pub budget_cpu: f64,
    /// Least change of a channel that is an event; three readings must show it
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "20%")]
    pub threshold: f64,
    /// Seconds between two lines, and between two writes of the text file
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub interval: Duration,
    /// How long to watch, for example 10m or 8h [default: until it is interrupted]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub lasting: Option<Duration>,
    /// Lines in place of the screen [default: words where standard output is no terminal]
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<LineForm>,
    /// Serve metrics for Prometheus at http://ADDR:PORT/metrics, and the health of the watch at /healthz
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// Write metrics to oscope.prom in this directory, for node_exporter's textfile collector
    #[arg(long, value_name = "DIR")]
    pub textfile: Option<PathBuf>,
    /// Keep a trial of each channel in a minute in this directory, as records of an hour each: `oscope compare DIR --at 03:12`
    /// [default: beside a screen, `watch` in the state directory, which has records of runs]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Keep no trial, also beside a screen
    #[arg(long, conflicts_with = "keep")]
    pub no_keep: bool,
    /// Most bytes of the records that are kept; the oldest is removed when they are more
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64MiB", conflicts_with = "no_keep")]
    pub keep_size: Bytes,
    /// CPU on which to read [default: as for `run`]
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// CPU of the second actor at cpu=other [default: as for `run`]
    #[arg(long, value_name = "CPU")]
    pub peer_cpu: Option<u32>,
    /// Directory in which files are read and written [default: as for `run`]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Lines of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineForm {
    /// Words, one line for each interval and for each event
    Text,
    /// The same as JSON
    Jsonl,
}

/// Least size of a ring: eight records with their beginnings.
const LEAST_SIZE: u64 = 1 << 20;

fn size(text: &str) -> Result<Bytes, String> {
    let size = parse_bytes(text).map_err(|error| error.to_string())?;
    if size.bytes() < LEAST_SIZE { Err("at least 1MiB".to_owned()) } else { Ok(size) }
}
