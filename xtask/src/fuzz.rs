//! `cargo xtask fuzz`: sessions with something wrong in them, given to the state machines of the protocol for
//! minutes; every finding is a seed that repeats it.

use anyhow::{Context, Result, bail};
use peer::{Answer, Greeting, HELLO_BYTES, Heard, Hello, Key, Knock, Knocked, PROOF_BYTES, Proofs};
use peer::{Malformed, Secured, Step, Transport};
use std::time::{Duration, Instant};

/// Sessions between two looks at the clock.
const BETWEEN: u64 = 200;

/// Mutates sessions for so many minutes, from this seed on.
pub fn run(minutes: &str, first: Option<&str>) -> Result<bool> {
    let minutes: f64 = minutes.parse().context("minutes are a number")?;
    let mut seed: u64 = first.unwrap_or("1").parse().context("a seed is a whole number")?;
    let (began, end) = (seed, Instant::now() + Duration::from_secs_f64(minutes * 60.0));
    let mut survived = 0;
    loop {
        for _ in 0..BETWEEN {
            let result = std::panic::catch_unwind(|| session(seed));
            match result {
                Ok(Ok(whole)) => survived += u64::from(whole),
                Ok(Err(error)) => bail!("seed {seed}: {error}; repeat it with `cargo xtask fuzz 0 {seed}`"),
                Err(_) => bail!("seed {seed}: a panic; repeat it with `cargo xtask fuzz 0 {seed}`"),
            }
            seed += 1;
        }
        if Instant::now() >= end {
            break;
        }
    }
    let count = seed - began;
    println!("{count} sessions with seeds from {began}: no finding; {survived} came through unharmed");
    Ok(true)
}

/// What may happen to bytes on their way.
struct Way {
    random: fastrand::Rng,
    /// Of so many messages one is changed.
    rarity: u32,
    touched: bool,
    heard: Vec<Vec<u8>>,
}

impl Way {
    fn carry(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.heard.push(bytes.clone());
        if self.random.u32(..self.rarity) > 0 {
            return bytes;
        }
        let (before, mut bytes) = (bytes.clone(), bytes);
        let random = &mut self.random;
        let at = random.usize(..=bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at),
            1 => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte ^= 1 << random.u8(..8)),
            2 => bytes.splice(at.., []).for_each(drop),
            3 => bytes.insert(at, random.u8(..)),
            4 => bytes.extend((0..random.usize(..5000)).map(|_| random.u8(..))),
            5 => bytes.iter_mut().take(2).for_each(|byte| *byte = random.u8(..)),
            6 => {
                bytes = self
                    .heard
                    .get(random.usize(..self.heard.len()))
                    .cloned()
                    .unwrap_or_default()
            }
            _ => bytes.iter_mut().for_each(|byte| *byte = random.u8(..)),
        }
        self.touched |= bytes != before;
        bytes
    }

    /// Gives bytes in pieces, no more than are wanted, as sockets do.
    fn give<T>(
        &mut self,
        bytes: &[u8],
        mut wanted: impl FnMut() -> usize,
        mut take: impl FnMut(&[u8]) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let (mut rest, mut all) = (bytes, Vec::new());
        while !rest.is_empty() {
            let most = wanted().min(rest.len());
            if most == 0 {
                return Err("no more is wanted".to_owned());
            }
            let (piece, later) = rest.split_at(self.random.usize(1..=most));
            all.push(take(piece)?);
            rest = later;
        }
        Ok(all)
    }
}

/// One session: greeting, messages both ways, proofs. Gives whether it came to its end; an error is a finding.
fn session(seed: u64) -> Result<bool> {
    let mut random = fastrand::Rng::with_seed(seed);
    let rarity = random.u32(1..40);
    let mut way = Way {
        random,
        rarity,
        touched: false,
        heard: Vec::new(),
    };
    let bytes: Vec<u8> = (0..HELLO_BYTES).map(|_| way.random.u8(..)).collect();
    if let Some(bytes) = bytes.first_chunk() {
        // Whatever it says, it says one thing.
        let _ = Hello::parse(bytes);
    }
    let key = Key::from_bytes([7; 32]);
    let Some((number, own)) = greeting(&key, &mut way)? else {
        return Ok(false);
    };
    let through = messages(&number, &own, &mut way)?;
    proofs(&number, &own, &mut way)?;
    Ok(through)
}

/// The greeting over a bad way; the session that both agree on, if they come to that.
fn greeting(key: &Key, way: &mut Way) -> Result<Option<([u8; 8], Key)>> {
    let mut server = Greeting::new(key);
    let (mut client, mut to_server) = Knock::new(key, "oscope fuzz");
    for _ in 0..8 {
        let carried = way.carry(std::mem::take(&mut to_server));
        let mut to_client = Vec::new();
        let server_cell = std::cell::RefCell::new(&mut server);
        let steps = way.give(
            &carried,
            || server_cell.borrow().wanted(),
            |piece| {
                server_cell
                    .borrow_mut()
                    .take(piece)
                    .map_err(|error| error.to_string())
            },
        );
        for step in steps.unwrap_or_default() {
            match step {
                Step::More => {}
                Step::Say(bytes) | Step::Part(bytes) => to_client.extend(bytes),
                Step::Asks { program } => {
                    if program != "oscope fuzz" {
                        bail!("somebody else asks: {program:?}");
                    }
                    let key = Key::from_bytes([8; 32]).text();
                    let session = "0102030405060708".to_owned();
                    to_client.extend(server.answer(&Answer::Session { session, key })?);
                    break;
                }
            }
        }
        let carried = way.carry(to_client);
        let client_cell = std::cell::RefCell::new(&mut client);
        let steps = way.give(
            &carried,
            || client_cell.borrow().wanted(),
            |piece| {
                client_cell
                    .borrow_mut()
                    .take(piece)
                    .map_err(|error| error.to_string())
            },
        );
        for step in steps.unwrap_or_default() {
            match step {
                Knocked::More => {}
                Knocked::Say(bytes) => to_server.extend(bytes),
                Knocked::Session { session, key } => {
                    if session != [1, 2, 3, 4, 5, 6, 7, 8] || key != Key::from_bytes([8; 32]) {
                        bail!("another session came than was given");
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

/// Messages over a bad way: what is heard was said, in its order, or nothing is heard any more.
fn messages(number: &[u8; 8], key: &Key, way: &mut Way) -> Result<bool> {
    let (mut client, first) = Secured::begin(key, number)?;
    let mut server = Secured::await_other(key, number)?;
    let carried = way.carry(first);
    let Some(answer) = hear(&mut server, &carried, way).into_iter().find_map(proved) else {
        return Ok(false);
    };
    let carried = way.carry(answer);
    if hear(&mut client, &carried, way)
        .into_iter()
        .find_map(proved)
        .is_none()
    {
        return Ok(false);
    }
    for turn in 0..way.random.u8(..6) {
        let length = match way.random.u8(..8) {
            0 => way.random.usize(..peer::MOST_MESSAGE + 1),
            _ => way.random.usize(..400),
        };
        let said = vec![turn; length];
        // A client that heard nonsense behind the handshake says nothing any more.
        let Ok(carried) = client.say(&said) else {
            return Ok(false);
        };
        let carried = way.carry(carried);
        for heard in hear(&mut server, &carried, way) {
            if let Heard::Message(message) = heard {
                if message != said {
                    bail!("a message of {length} bytes came that was not said");
                }
                // Whatever is in a message, it is one question or none.
                let _ = serde_json::from_slice::<peer::Ask>(&message);
            }
        }
        if server.wanted() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn proved(heard: Heard) -> Option<Vec<u8>> {
    match heard {
        Heard::Proved(bytes) => Some(bytes),
        _ => None,
    }
}

/// What bytes mean, as far as they are taken.
fn hear(to: &mut Secured, bytes: &[u8], way: &mut Way) -> Vec<Heard> {
    let to = std::cell::RefCell::new(to);
    let mut all = Vec::new();
    let _ = way.give(
        bytes,
        || to.borrow().wanted(),
        |piece| {
            let heard = to
                .borrow_mut()
                .take(piece)
                .map_err(|error: Malformed| error.to_string())?;
            all.push(heard);
            Ok(())
        },
    );
    all
}

/// Proofs over a bad way: a proof that was changed, or came before, is refused; an honest one is taken.
fn proofs(number: &[u8; 8], key: &Key, way: &mut Way) -> Result<()> {
    let (mut client, mut server) = (Proofs::new(key, *number)?, Proofs::new(key, *number)?);
    let port = (Transport::Udp, way.random.u16(..));
    let (mut made, mut taken): (Vec<[u8; PROOF_BYTES]>, Vec<[u8; PROOF_BYTES]>) = Default::default();
    for _ in 0..8 {
        let honest = client.make(port)?;
        made.push(honest);
        let carried = way.carry(honest.to_vec());
        let Some(proof) = carried.first_chunk::<PROOF_BYTES>() else {
            continue;
        };
        // One that was held up on its way is as good as the next.
        match (
            server.accept(proof, port),
            made.contains(proof) && !taken.contains(proof),
        ) {
            (Ok(reply), true) if client.is_reply(proof, port, &reply) => taken.push(*proof),
            (Err(_), false) => {}
            (Ok(_), _) => bail!("a proof was taken that is none, or came before"),
            (Err(error), true) => bail!("an honest proof was refused: {error}"),
        }
    }
    Ok(())
}
