//! A peer in a process of its own, and what can be seen of it from outside.
#![allow(dead_code)]

use peer::{Client, Key, PeerAddress};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The program's name that tests give.
pub const PROGRAM: &str = "oscope test";

/// A server, killed when dropped.
pub struct TestPeer {
    pub child: Child,
    pub at: PeerAddress,
    lines: Receiver<String>,
}

impl TestPeer {
    /// One with these limits: sessions, unauthenticated clients, seconds, bytes.
    pub fn with(limits: &[u64]) -> Self {
        let mut child = programs::command(env!("CARGO_BIN_EXE_test_peer"))
            .args(limits.iter().map(u64::to_string))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (address, key) = line.trim().split_once(' ').unwrap();
        let at = PeerAddress { address: address.to_owned(), key: Key::parse(key).unwrap() };
        let (sender, lines) = std::sync::mpsc::channel();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, at, lines }
    }

    pub fn new() -> Self {
        Self::with(&[])
    }

    /// A line of the log with these words; waits for it.
    pub fn logged(&self, words: &str) -> String {
        let mut lines = Vec::new();
        let end = Instant::now() + Duration::from_secs(60);
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(words) {
                return line;
            }
            lines.push(line);
        }
        panic!("{words:?} is not among {lines:?}");
    }

    pub fn connect(&self) -> Client {
        Client::connect(&self.at, PROGRAM).unwrap()
    }

    pub fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.at.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    fn proc(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap()
    }

    pub fn children(&self) -> Vec<u32> {
        let id = self.child.id();
        let text = self.proc(&format!("task/{id}/children"));
        text.split_whitespace().map(|id| id.parse().unwrap()).collect()
    }

    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    /// Resident memory in pages.
    pub fn pages(&self) -> u64 {
        self.proc("statm").split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Waits until no session and no unauthenticated client is left.
    pub fn wait_until_idle(&self, descriptors: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.children().is_empty() || self.descriptors() > descriptors {
            assert!(Instant::now() < end, "{:?}, {} descriptors", self.children(), self.descriptors());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for TestPeer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a process is there, and no zombie.
pub fn is_running(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z")))
}

/// Waits until a process is gone.
pub fn wait_until_gone(id: u32) {
    let end = Instant::now() + Duration::from_secs(60);
    while is_running(id) {
        assert!(Instant::now() < end, "{id} is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Writes as much as the other end accepts.
pub fn push(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}
