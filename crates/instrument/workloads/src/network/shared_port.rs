//! Connections to several processes that listen on one port (SO_REUSEPORT).

use super::messages::{Framing, Messages, receive, send};
use super::services::{Counter, Counters, Limits};
use super::session::{Server, unreachable};
use measure::{Bench, CpuTime, Failure, Result, Timed, parameters};
use std::collections::VecDeque;
use sys::descriptor::{Descriptor, close};
use sys::inet::{self, Destination, Listener};

parameters! {
    /// Processes that accept.
    pub struct Acceptors {
        /// Their number.
        acceptors: u64,
    }
}

/// Most processes that accept.
const MAX_ACCEPTORS: u64 = 64;

/// Connections that are open at a time.
const BATCH: usize = 32;

/// Connections that an acceptor keeps: more than the client has open, so that it closes none that the client still uses.
const KEPT: usize = 2 * BATCH;

/// Connections to one port that the point's number of processes share.
///
/// # Errors
/// When there is no loopback interface, or a connection fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let wanted = bench.parameters::<Acceptors>()?.acceptors.clamp(1, MAX_ACCEPTORS);
    let listen = |at| Listener::sharing(at).map_err(unreachable(at));
    let first = listen(inet::loopback(false))?;
    let address = first.address();
    let mut listeners = vec![first];
    for _ in 1..wanted {
        listeners.push(listen(address)?);
    }
    connect_to_first(bench, listeners)
}

/// Connections to the address of the first of these, in batches. A process for each accepts: on the CPUs after the worker's, round
/// robin.
///
/// # Errors
/// When a process cannot be created, or a connection fails.
pub fn connect_to_first(bench: &mut Bench<'_>, listeners: Vec<Listener>) -> Result<()> {
    sys::supervision::ignore_sigpipe();
    let own = bench.cpu().or_else(sys::cpu::current);
    let mut cpus = sys::cpu::allowed_before_pinning()?;
    cpus.retain(|cpu| Some(*cpu) != own);
    cpus.extend(own);
    let cpus = cpus.into_iter().cycle();
    let servers = listeners.iter().zip(cpus);
    let servers = servers
        .map(|(listener, cpu)| Server::process(Some(cpu), |counters| accept_and_echo(listener, counters)))
        .collect::<Result<Vec<_>>>()?;
    let first = listeners.first().ok_or_else(|| Failure::failed("no socket listens"))?;
    let to = Destination::from(first.address());
    // Where a process is lost, its connections are reset and not left waiting.
    drop(listeners);
    let mut messages = Messages::new(1, bench.seed());
    let mut made = 0_u64;
    let mut batch = || -> Result<u64> {
        made += BATCH as u64;
        connect_batch(&to, &mut messages)
    };
    // All acceptors have begun once some connections are made.
    batch()?;
    bench.parts_of(BATCH as u64, CpuTime::WithChildren, &mut |clock| {
        let began = clock.start();
        let answers = batch()?;
        Ok(Timed { ticks: Some(clock.stop() - began), answers })
    })?;
    let accepted: Vec<f64> =
        servers.iter().map(|server| server.counters.get(Counter::Turns) as f64).collect();
    let (all, used) = (accepted.iter().sum::<f64>(), accepted.iter().filter(|count| **count > 0.0).count());
    bench.count("connections.accepted", all, made as f64);
    bench.count("acceptors.used", used as f64, accepted.len() as f64);
    let most = accepted.iter().fold(0.0, |most: f64, count| most.max(*count));
    bench.count("acceptors.most_per_mean", most * accepted.len() as f64, all);
    Ok(())
}

/// Connections from socket() to close(), each with a byte and its echo, all of them open at once; gives how many echoes were right.
fn connect_batch(to: &Destination, messages: &mut Messages) -> Result<u64> {
    let mut open: Vec<(Descriptor, u8)> = Vec::with_capacity(BATCH);
    for _ in 0..BATCH {
        let socket = inet::tcp_socket(false)?;
        inet::connect(&socket, to)?;
        let message = messages.next_message();
        send(&socket, Framing::Stream, message)?;
        open.push((socket, message.first().copied().unwrap_or(0)));
    }
    let mut right = 0;
    for (socket, byte) in open {
        let mut answer = [0];
        receive(&socket, Framing::Stream, &mut answer)?;
        right += u64::from(answer == [byte]);
        // No port waits in TIME_WAIT.
        inet::reset_when_closed(&socket)?;
        close(socket)?;
    }
    Ok(right)
}

/// Accepts connections and echoes a byte on each; closes each after the client has reset it.
fn accept_and_echo(listener: &Listener, counters: &Counters<'_>) -> sys::Result<()> {
    let mut kept = VecDeque::with_capacity(KEPT + 1);
    for _ in 0..Limits::OF_A_TRIAL.turns {
        let connection = listener.accept()?;
        let mut byte = [0];
        connection.read_all(&mut byte)?;
        // Before the echo: the client counts when it has all of them.
        counters.add(Counter::Turns, 1);
        connection.write_all(&byte)?;
        kept.push_back(connection);
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }
    Ok(())
}
