//! The other end of a tool that has two.

use anyhow::{Context, Result};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Time until a server listens: trying it would be a client of its own.
const START: Duration = Duration::from_millis(300);

/// A server, ended when it is dropped.
pub struct Server(Child);

impl Server {
    /// Starts one.
    pub fn start(words: &[String]) -> Result<Self> {
        let (program, arguments) = words.split_first().context("a server without words")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("{program} cannot be started"))?;
        std::thread::sleep(START);
        Ok(Self(child))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port of this machine that nobody uses now.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_server_ends_with_its_comparison() {
        let server = Server::start(&["sleep".to_owned(), "60".to_owned()]).unwrap();
        let folder = format!("/proc/{}", server.0.id());
        assert!(std::fs::exists(&folder).unwrap());
        drop(server);
        assert!(!std::fs::exists(&folder).unwrap());
    }

    #[test]
    fn a_server_that_is_not_there_is_an_error() {
        assert!(Server::start(&["/no/such/program".to_owned()]).is_err());
    }

    #[test]
    fn the_port_is_free() {
        let port = free_port().unwrap();
        assert!(TcpListener::bind(("127.0.0.1", port)).is_ok());
    }
}
