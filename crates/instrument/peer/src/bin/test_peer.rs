//! A peer with correct and with faulty services, for the tests of this crate.
#![forbid(unsafe_code)]

use peer::serve::{self, Bounds, Daemon, Peer, Settings};
use peer::{Error, Key, Service, Transport, services};
use record::Machine;
use std::net::{Ipv6Addr, SocketAddr};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Never ends, whatever the client does.
static HANGS: Service = Service {
    name: "hangs",
    transport: Transport::Tcp,
    run: |session| {
        session.ready()?;
        loop {
            std::thread::sleep(Duration::from_secs(60));
        }
    },
};

/// Is never ready.
static FAILS: Service = Service {
    name: "fails",
    transport: Transport::Tcp,
    run: |_| Err(Error::Failed("it always does".to_owned())),
};

/// Ends without a word.
static DIES: Service = Service {
    name: "dies",
    transport: Transport::Tcp,
    run: |session| {
        session.ready()?;
        std::process::abort()
    },
};

/// Accepts connections by itself, and answers each with a byte.
static ACCEPTS: Service = Service {
    name: "accepts",
    transport: Transport::Accepted,
    run: |session| {
        let listener = session.listener.as_ref().ok_or(Error::UnexpectedResponse)?;
        let lane = session.lane(0)?;
        session.ready()?;
        loop {
            let connection = listener.accept()?;
            connection.write_all(b"!")?;
            lane.count(1)?;
        }
    },
};

static SERVICES: &[&Service] =
    &[&services::ECHO_TCP, &services::ECHO_UDP, &services::SINK_TCP, &HANGS, &FAILS, &DIES, &ACCEPTS];

/// `test_peer SESSIONS UNAUTHENTICATED SECONDS BYTES VERSION` serves over that version of IP, and prints its address and its key; `test_peer session` is a session.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.first().map(String::as_str) {
        Some("session") => {
            serve::session(&Peer { program: "test_peer 1", services: SERVICES, describe: &Machine::default })
        }
        _ => daemon(&words),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn daemon(words: &[String]) -> Result<(), Error> {
    let key = Key::generate()?;
    let plain = Settings::new(key.clone());
    let daemon = Daemon::bind(Settings {
        max_sessions: number(words, 0, 8) as usize,
        max_unauthenticated: number(words, 1, 64) as usize,
        bounds: Bounds {
            seconds: number(words, 2, 60) as u32,
            bytes: number(words, 3, u64::MAX),
            ..Bounds::default()
        },
        listen: match number(words, 4, 4) {
            6 => SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            _ => plain.listen,
        },
        handshake_timeout: Duration::from_secs(1),
        ..plain
    })?;
    println!("{} {}", daemon.address()?, key.text());
    let program = std::env::current_exe().map_err(|_| Error::UnexpectedResponse)?;
    daemon.serve(
        &|| {
            let mut command = Command::new(&program);
            command.arg("session");
            command
        },
        (-1, &|| false),
        &mut |line| eprintln!("{line}"),
    )
}

fn number(words: &[String], index: usize, otherwise: u64) -> u64 {
    words.get(index).and_then(|word| word.parse().ok()).unwrap_or(otherwise)
}
