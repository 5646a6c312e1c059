//! Connections of this machine with itself that carry more than a byte, or no internet protocol: a file by HTTP, and Unix stream
//! sockets.

use super::messages::{Framing, Messages, receive, send};
use super::services::{self, Counter, Limits, MAX_REQUEST, REQUEST, body_of};
use super::session::{Acceptor, unreachable};
use measure::{Bench, Result, Timed, parameters};
use quantity::Bytes;
use sys::descriptor::close;
use sys::inet::{self, Destination, Listener};
use sys::send_file::MemoryFile;
use sys::{random, socket};

parameters! {
    /// A file.
    pub struct ServedFile {
        /// Its length.
        bytes: Bytes,
    }
}

/// Requests of one file by HTTP, each over a connection of its own.
///
/// # Errors
/// When a connection fails.
pub fn http_requests(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<ServedFile>()?.bytes.bytes() as usize;
    let content: Vec<u8> = (0..bytes as u64).map(|at| random::word(bench.seed(), at) as u8).collect();
    let file = MemoryFile::new(&content)?;
    let address = inet::loopback(false);
    let listener = Listener::new(address).map_err(unreachable(address))?;
    let to = Destination::from(listener.address());
    let acceptor = Acceptor::serving(to, bench.peer_cpu(), |counters| {
        services::serve_file(&mut || listener.accept(), &file, bytes, counters)
    })?;
    // Where the process is lost, connections are reset and not left waiting.
    drop(listener);
    let mut answer = vec![0; bytes + MAX_REQUEST];
    let (mut acceptor, mut made) = (acceptor, 0);
    acceptor.each(bench, &mut |clock, to| {
        let began = clock.start();
        let connection = inet::tcp_socket(false)?;
        inet::connect(&connection, to)?;
        connection.write_all(REQUEST)?;
        let mut filled = 0;
        while let Some(room) = answer.get_mut(filled..).filter(|room| !room.is_empty()) {
            match sys::Error::check("read", connection.read(room))? {
                0 => break,
                came => filled += came,
            }
        }
        close(connection)?;
        let ticks = Some(clock.stop() - began);
        made += 1;
        let is_right = answer.get(..filled).and_then(body_of) == Some(&content);
        Ok(Timed { ticks, answers: u64::from(is_right) })
    })?;
    count(bench, &acceptor, made);
    acceptor.end()
}

/// Bytes of the message that each connection over Unix sockets carries.
const BYTES: u32 = 1;

/// Connections over Unix stream sockets: socket, connect, a message and its echo, close.
///
/// # Errors
/// When a connection fails.
pub fn unix_connections(bench: &mut Bench<'_>) -> Result<()> {
    let (listener, to) = socket::unix_listener()?;
    let mut acceptor = Acceptor::serving(to, bench.peer_cpu(), |counters| {
        services::connections(&mut || inet::accept(&listener), BYTES, Limits::OF_A_TRIAL, counters)
    })?;
    drop(listener);
    let (mut messages, mut made) = (Messages::new(BYTES as usize, bench.seed()), 0);
    acceptor.each(bench, &mut |clock, to| {
        let (message, mut answer) = (messages.next_message(), [0; BYTES as usize]);
        let began = clock.start();
        let connection = socket::unix_stream()?;
        inet::connect(&connection, to)?;
        send(&connection, Framing::Stream, message)?;
        receive(&connection, Framing::Stream, &mut answer)?;
        close(connection)?;
        let ticks = Some(clock.stop() - began);
        made += 1;
        Ok(Timed { ticks, answers: u64::from(answer == message) })
    })?;
    count(bench, &acceptor, made);
    acceptor.end()
}

fn count(bench: &mut Bench<'_>, acceptor: &Acceptor, made: usize) {
    bench.count("connections.accepted", acceptor.counters().get(Counter::Turns) as f64, made as f64);
}
