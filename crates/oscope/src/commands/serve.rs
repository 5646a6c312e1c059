//! `oscope serve`: the other end of network measurements, and the hidden command of one session of it.

use crate::Services;
use crate::arguments::Serve;
use crate::exit::{Exit, usage};
use crate::notice::notice;
use crate::peer_link;
use crate::supervisor::Interrupt;
use machine::Live;
use peer::Key;
use peer::serve::{Daemon, Peer, Settings};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

pub fn run(arguments: &Serve) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::catch()?;
    let given = peer_link::key(arguments.key_file.as_deref())?;
    let is_new = given.is_none();
    let key = given.map_or_else(Key::generate, Ok)?;
    let daemon = Daemon::bind(Settings {
        listen: arguments.listen,
        max_sessions: usize::from(arguments.sessions),
        lasting: arguments.lasting,
        allow_drop_caches: arguments.allow_drop_caches,
        ..Settings::new(key.clone())
    });
    let daemon = daemon.map_err(|error| usage(error.to_string()))?;
    let address = daemon.address()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on {address}")?;
    if is_new {
        let here = match address {
            _ if address.ip().is_unspecified() => format!("THIS_MACHINE:{}", address.port()),
            // The number of an interface means nothing on another machine.
            SocketAddr::V6(six) if six.scope_id() != 0 => {
                format!("'[{}%INTERFACE]:{}'", six.ip(), six.port())
            }
            _ => address.to_string(),
        };
        writeln!(out, "measure with: oscope run network --peer {here} --key {}", key.text())?;
    }
    out.flush()?;
    drop(out);
    let program = std::env::current_exe();
    // Nobody may be left to read the log; that is no reason to stop.
    let mut log = |line: &str| drop(writeln!(std::io::stderr(), "oscope: {line}"));
    daemon.serve(
        &|| session_command(program.as_deref().unwrap_or("oscope".as_ref())),
        (interrupt.descriptor(), &|| interrupt.is_set()),
        &mut log,
    )?;
    Ok(Exit::Success)
}

fn session_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // A session has its own key, and needs not know this one.
    command.arg("session").env_remove(peer_link::KEY_VARIABLE);
    command
}

/// One session; what goes wrong is one line for the daemon, which knows of whom it speaks.
pub fn session(services: Services) -> anyhow::Result<Exit> {
    // The daemon is to outlive a session that takes too much.
    sys::out_of_memory::be_killed_first();
    let program = peer_link::program();
    let ended = peer::serve::session(&Peer {
        program: &program,
        services,
        describe: &|| machine::describe(&Live::machine()),
    });
    Ok(match ended {
        Ok(()) => Exit::Success,
        Err(error) => {
            notice!("{error}");
            Exit::Usage
        }
    })
}
