//! Serves files to every client, for the tests of remote file systems: `sftp_server ADDRESS:PORT PROGRAM`.
//!
//! Each connection is the standard input and output of a new process of the program, such as OpenSSH's
//! `sftp-server`: what sshfs speaks with `-o directport`, without a login, a key or a daemon. It ends with the namespace
//! in which a test starts it.
#![forbid(unsafe_code)]

use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, program] = words.as_slice() else {
        eprintln!("usage: sftp_server ADDRESS:PORT PROGRAM");
        return ExitCode::from(2);
    };
    match serve(address, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sftp_server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(address: &str, program: &str) -> std::io::Result<()> {
    let mut servers = Vec::new();
    for connection in TcpListener::bind(address)?.incoming() {
        servers.push(start(connection?, program)?);
    }
    Ok(())
}

fn start(connection: TcpStream, program: &str) -> std::io::Result<std::process::Child> {
    // An answer that is smaller than a segment is not to wait for anything.
    connection.set_nodelay(true)?;
    let [input, output] =
        [connection.try_clone()?, connection].map(|stream| Stdio::from(OwnedFd::from(stream)));
    Command::new(program).stdin(input).stdout(output).spawn()
}
