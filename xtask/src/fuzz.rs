//! `cargo xtask fuzz`: sessions with random faults, given to the state machines of the protocol for
//! minutes; every finding is a seed that repeats it.

use anyhow::{Result, bail};
use peer::{
    ClientHandshake, ClientStep, GREETING_BYTES, Greeting, Key, PROOF_BYTES, Proofs, Received, Response,
    Secured, ServerHandshake, ServerStep, Transport,
};
use std::time::{Duration, Instant};

/// Sessions between two reads of the clock.
const BETWEEN: u64 = 200;

/// Mutates sessions for this many minutes, from this seed on.
pub fn run(minutes: f64, first: u64) -> Result<bool> {
    let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let (mut seed, mut unharmed) = (first, 0);
    loop {
        for _ in 0..BETWEEN {
            match std::panic::catch_unwind(|| session(seed)) {
                Ok(Ok(whole)) => unharmed += u64::from(whole),
                Ok(Err(error)) => bail!("seed {seed}: {error}; repeat it with `cargo xtask fuzz 0 {seed}`"),
                Err(_) => bail!("seed {seed}: a panic; repeat it with `cargo xtask fuzz 0 {seed}`"),
            }
            seed += 1;
        }
        if Instant::now() >= end {
            break;
        }
    }
    let count = seed - first;
    println!("{count} sessions with seeds from {first}: no finding; {unharmed} completed");
    Ok(true)
}

/// A channel that corrupts some of the messages.
struct Channel {
    random: fastrand::Rng,
    /// One of this many messages is changed.
    rarity: u32,
    touched: bool,
    sent: Vec<Vec<u8>>,
}

impl Channel {
    fn carry(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.sent.push(bytes.clone());
        if self.random.u32(..self.rarity) > 0 {
            return bytes;
        }
        let (before, mut bytes) = (bytes.clone(), bytes);
        let random = &mut self.random;
        let at = random.usize(..=bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.u8(..8)),
            2 => bytes.splice(at.., []).for_each(drop),
            3 => bytes.insert(at, random.u8(..)),
            4 => bytes.extend((0..random.usize(..5000)).map(|_| random.u8(..))),
            5 => bytes.iter_mut().take(2).for_each(|byte| *byte = random.u8(..)),
            6 => bytes = self.sent.get(random.usize(..self.sent.len())).cloned().unwrap_or_default(),
            _ => bytes.iter_mut().for_each(|byte| *byte = random.u8(..)),
        }
        self.touched |= bytes != before;
        bytes
    }

    /// Delivers bytes in fragments, no more than are wanted, as sockets do; gives what became of those that were taken.
    fn give<R, T, E>(
        &mut self,
        bytes: &[u8],
        receiver: &mut R,
        wanted: fn(&R) -> usize,
        mut take: impl FnMut(&mut R, &[u8]) -> Result<T, E>,
    ) -> Vec<T> {
        let (mut rest, mut all) = (bytes, Vec::new());
        loop {
            let most = wanted(receiver).min(rest.len());
            if most == 0 {
                return all;
            }
            let (piece, later) = rest.split_at(self.random.usize(1..=most));
            let Ok(taken) = take(receiver, piece) else {
                return all;
            };
            all.push(taken);
            rest = later;
        }
    }
}

/// One session: handshake, messages both ways, proofs. Gives whether it came to its end; an error is a finding.
fn session(seed: u64) -> Result<bool> {
    let mut random = fastrand::Rng::with_seed(seed);
    let rarity = random.u32(1..40);
    let mut channel = Channel { random, rarity, touched: false, sent: Vec::new() };
    let bytes: Vec<u8> = (0..GREETING_BYTES).map(|_| channel.random.u8(..)).collect();
    if let Some(bytes) = bytes.first_chunk() {
        // Any bytes are a greeting or an error.
        let _ = Greeting::parse(bytes);
    }
    let key = Key::from_bytes([7; 32]);
    let Some((number, own)) = handshake(&key, &mut channel)? else {
        return Ok(false);
    };
    let is_complete = messages(&number, &own, &mut channel)?;
    proofs(&number, &own, &mut channel)?;
    Ok(is_complete)
}

/// The handshake over such a channel; the session that both agree on, if they do.
fn handshake(key: &Key, channel: &mut Channel) -> Result<Option<([u8; 8], Key)>> {
    let mut server = ServerHandshake::new(key);
    let (mut client, mut to_server) = ClientHandshake::new(key, "oscope fuzz");
    for _ in 0..8 {
        let carried = channel.carry(std::mem::take(&mut to_server));
        let mut to_client = Vec::new();
        let steps = channel.give(&carried, &mut server, ServerHandshake::wanted, ServerHandshake::take);
        for step in steps {
            match step {
                ServerStep::More => {}
                ServerStep::Send(bytes) | ServerStep::Reject(bytes) => to_client.extend(bytes),
                ServerStep::SessionRequested { program } => {
                    if program != "oscope fuzz" {
                        bail!("another client requests a session: {program:?}");
                    }
                    let key = Key::from_bytes([8; 32]).text();
                    let session = "0102030405060708".to_owned();
                    to_client.extend(server.answer(&Response::Session { session, key })?);
                    break;
                }
            }
        }
        let carried = channel.carry(to_client);
        let steps = channel.give(&carried, &mut client, ClientHandshake::wanted, ClientHandshake::take);
        for step in steps {
            match step {
                ClientStep::More => {}
                ClientStep::Send(bytes) => to_server.extend(bytes),
                ClientStep::Session { session, key } => {
                    if session != [1, 2, 3, 4, 5, 6, 7, 8] || key != Key::from_bytes([8; 32]) {
                        bail!("the client got another session than the server gave");
                    }
                    return Ok(Some((session, key)));
                }
            }
        }
        if to_server.is_empty() {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Messages over such a channel: what is received was sent, in its order, or nothing is received any more.
fn messages(number: &[u8; 8], key: &Key, channel: &mut Channel) -> Result<bool> {
    let (mut client, first) = Secured::initiate(key, number)?;
    let mut server = Secured::respond(key, number)?;
    let carried = channel.carry(first);
    let Some(answer) = receive(&mut server, &carried, channel).into_iter().find_map(authenticated) else {
        return Ok(false);
    };
    let carried = channel.carry(answer);
    if receive(&mut client, &carried, channel).into_iter().find_map(authenticated).is_none() {
        return Ok(false);
    }
    for turn in 0..channel.random.u8(..6) {
        let length = match channel.random.u8(..8) {
            0 => channel.random.usize(..peer::MAX_MESSAGE + 1),
            _ => channel.random.usize(..400),
        };
        let sent = vec![turn; length];
        // A client that received malformed bytes after the handshake sends nothing any more.
        let Ok(carried) = client.seal_message(&sent) else {
            return Ok(false);
        };
        let carried = channel.carry(carried);
        for received in receive(&mut server, &carried, channel) {
            if let Received::Message(message) = received {
                if message != sent {
                    bail!("a message of {length} bytes came that was not sent");
                }
                // Any message is a request or an error.
                let _ = serde_json::from_slice::<peer::Request>(&message);
            }
        }
        if server.wanted() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn authenticated(received: Received) -> Option<Vec<u8>> {
    match received {
        Received::Authenticated(bytes) => Some(bytes),
        _ => None,
    }
}

/// What is received, as far as the bytes are taken.
fn receive(to: &mut Secured, bytes: &[u8], channel: &mut Channel) -> Vec<Received> {
    channel.give(bytes, to, Secured::wanted, Secured::take)
}

/// Proofs over such a channel: a proof that was changed, or came before, is refused; an honest one is taken.
fn proofs(number: &[u8; 8], key: &Key, channel: &mut Channel) -> Result<()> {
    let (mut client, mut server) = (Proofs::new(key, *number)?, Proofs::new(key, *number)?);
    let port = (Transport::Udp, channel.random.u16(..));
    let (mut made, mut taken): (Vec<[u8; PROOF_BYTES]>, Vec<[u8; PROOF_BYTES]>) = Default::default();
    for _ in 0..8 {
        let valid = client.make(port)?;
        made.push(valid);
        let carried = channel.carry(valid.to_vec());
        let Some(proof) = carried.first_chunk::<PROOF_BYTES>() else {
            continue;
        };
        // One that was delayed is valid, too.
        match (server.accept(proof, port), made.contains(proof) && !taken.contains(proof)) {
            (Ok(reply), true) if client.is_reply(proof, port, &reply) => taken.push(*proof),
            (Err(_), false) => {}
            (Ok(_), _) => bail!("an invalid or replayed proof was accepted"),
            (Err(error), true) => bail!("a valid proof was refused: {error}"),
        }
    }
    Ok(())
}
