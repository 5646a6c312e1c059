//! Malformed input, floods, and ends that are killed in the middle: the server keeps serving, and its resources stay bounded.

use crate::common::{PROGRAM, TestPeer, is_running, push, wait_until_gone};
use peer::{Client, ClientHandshake, ClientStep, Error, Key, PROOF_BYTES};
use serde_json::json;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Reads until the other side closes.
fn until_closed(stream: &mut TcpStream) -> usize {
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    all.len()
}

/// Everything that a client sends until it has its session, as it is on the wire.
fn recorded(peer: &TestPeer) -> Vec<Vec<u8>> {
    let mut stream = peer.stream();
    let (mut handshake, greeting) = ClientHandshake::new(&peer.at.key, PROGRAM);
    stream.write_all(&greeting).unwrap();
    let mut sent = vec![greeting];
    loop {
        let mut buffer = vec![0; handshake.wanted()];
        let came = stream.read(&mut buffer).unwrap();
        match handshake.take(&buffer[..came]).unwrap() {
            ClientStep::More => {}
            ClientStep::Send(bytes) => {
                stream.write_all(&bytes).unwrap();
                sent.push(bytes);
            }
            ClientStep::Session { .. } => return sent,
        }
    }
}

/// One thing that is wrong with a session.
fn mutated(random: &mut fastrand::Rng, recorded: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = recorded.concat();
    let at = random.usize(..bytes.len());
    match random.u8(..7) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.u8(..8),
        2 => drop(bytes.remove(at)),
        3 => bytes.insert(at, random.u8(..)),
        4 => bytes.splice(at.., (0..random.usize(..3000)).map(|_| random.u8(..))).for_each(drop),
        5 => bytes[12..14].copy_from_slice(&random.u16(..).to_be_bytes()),
        _ => bytes = (0..random.usize(..500)).map(|_| random.u8(..)).collect(),
    }
    bytes
}

#[test]
fn ten_thousand_malformed_sessions_change_nothing() {
    let peer = TestPeer::new();
    let sent = recorded(&peer);
    peer.connect().end().unwrap();
    peer.wait_until_idle(peer.descriptors());
    let (descriptors, pages) = (peer.descriptors(), peer.pages());
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..10_000 {
        let mut stream = peer.stream();
        push(&mut stream, &mutated(&mut random, &sent));
        if random.u8(..4) == 0 {
            let _ = stream.shutdown(Shutdown::Write);
            until_closed(&mut stream);
        }
    }
    peer.connect().end().unwrap();
    peer.wait_until_idle(descriptors);
    assert!(peer.pages() < pages + 512, "{} pages grew to {}", pages, peer.pages());
    peer.logged("more sessions that failed");
}

#[test]
fn silent_connections_do_not_starve_clients() {
    let peer = TestPeer::new();
    let before = peer.descriptors();
    let mut crowd = VecDeque::new();
    for index in 0..1000 {
        crowd.push_back(peer.stream());
        if crowd.len() > 500 {
            crowd.pop_front();
        }
        if index % 100 == 99 {
            peer.connect().end().unwrap();
            assert!(peer.descriptors() < before + 64 + 32 + 16, "{}", peer.descriptors());
        }
    }
    peer.logged("too many unauthenticated clients");
    peer.wait_until_idle(before);
}

#[test]
fn a_slow_handshake_times_out() {
    let peer = TestPeer::new();
    let sent = recorded(&peer).concat();
    let mut slow = peer.stream();
    // It ends when the server closes: 132 bytes at this pace take longer than the handshake timeout.
    let text = sent.iter().take_while(|byte| {
        std::thread::sleep(Duration::from_millis(30));
        slow.write_all(&[**byte]).is_ok()
    });
    assert!(text.count() <= sent.len());
    peer.logged("handshake timed out");
    peer.connect().end().unwrap();
}

#[test]
fn oversized_input_is_rejected() {
    let peer = TestPeer::new();
    let before = peer.pages();
    let sent = recorded(&peer);
    for beginning in [vec![], sent[0].clone(), sent[..2].concat(), sent.concat()] {
        let mut stream = peer.stream();
        push(&mut stream, &beginning);
        for _ in 0..200 {
            push(&mut stream, &[0xff; 50_000]);
        }
        until_closed(&mut stream);
    }
    assert!(peer.pages() < before + 512);
    peer.connect().end().unwrap();
}

#[test]
fn a_replayed_session_is_rejected() {
    let peer = TestPeer::new();
    let sent = recorded(&peer);
    peer.wait_until_idle(peer.descriptors());
    let mut again = peer.stream();
    push(&mut again, &sent.concat());
    // The greeting and the server's own part of the handshake; no session.
    assert!(until_closed(&mut again) <= 12 + 50);
    peer.logged("changed, repeated or left out");
    assert!(peer.children().is_empty());
}

#[test]
fn unproved_data_connections_are_closed() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("echo.tcp", json!({})).unwrap();
    let port = listening_beside(&peer);
    let mut random = fastrand::Rng::with_seed(7);
    let mut crowd = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let bytes: Vec<u8> = (0..random.usize(..2 * PROOF_BYTES)).map(|_| random.u8(..)).collect();
        push(&mut stream, &bytes);
        crowd.push(stream);
    }
    let data = client.data_tcp().unwrap();
    client.start().unwrap();
    data.write_all(b"mine").unwrap();
    let mut back = [0; 4];
    data.read_all(&mut back).unwrap();
    assert_eq!(&back, b"mine");
    for stream in &mut crowd {
        assert_eq!(until_closed(stream), 0);
    }
    drop(data);
    client.end().unwrap();
}

/// The port on which the only session of a server listens.
fn listening_beside(peer: &TestPeer) -> u16 {
    let session = peer.children()[0];
    let links = std::fs::read_dir(format!("/proc/{session}/fd")).unwrap();
    let links = links.map(|link| std::fs::read_link(link.unwrap().path()).unwrap());
    let inodes: Vec<String> = links
        .filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let rows = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    let mut rows = rows.filter(|row| row[3] == "0A" && inodes.iter().any(|inode| *inode == row[9]));
    let own = rows.next().unwrap()[1].to_owned();
    u16::from_str_radix(own.split_once(':').unwrap().1, 16).unwrap()
}

#[test]
fn a_client_may_be_killed_in_any_phase() {
    let peer = TestPeer::new();
    let before = peer.descriptors();
    let sent = recorded(&peer);
    for parts in 0..=sent.len() {
        for step in [0, 1] {
            let mut stream = peer.stream();
            let bytes = sent[..parts].concat();
            push(&mut stream, &bytes[..bytes.len().saturating_sub(step)]);
        }
    }
    for phase in 0..6 {
        let mut client = peer.connect();
        let mut kept = Vec::new();
        if phase > 0 {
            let service = if phase == 5 { "hangs" } else { "echo.tcp" };
            client.open(service, json!({})).unwrap();
        }
        if phase > 1 && phase != 5 {
            kept.push(client.data_tcp().unwrap());
        }
        if phase > 2 {
            client.start().unwrap();
        }
        if phase == 4 {
            // Answers that nobody reads stand in the way.
            kept[0].write_all(&[1; 10_000]).unwrap();
        }
        let sessions = peer.children();
        drop(client);
        peer.logged("session of 127.0.0.1");
        sessions.into_iter().for_each(wait_until_gone);
        drop(kept);
    }
    peer.wait_until_idle(before);
    peer.connect().end().unwrap();
}

#[test]
fn a_server_may_be_killed_in_any_phase() {
    for phase in 0..4 {
        let mut peer = TestPeer::new();
        let mut client = peer.connect();
        let mut kept = Vec::new();
        if phase > 0 {
            client.open("echo.tcp", json!({})).unwrap();
        }
        if phase > 1 {
            kept.push(client.data_tcp().unwrap());
        }
        if phase > 2 {
            client.start().unwrap();
        }
        let sessions = peer.children();
        peer.child.kill().unwrap();
        peer.child.wait().unwrap();
        sessions.into_iter().for_each(wait_until_gone);
        let ended = match phase {
            0 => client.describe().map(drop),
            1 => client.data_tcp().map(drop),
            2 => client.start().map(drop),
            _ => client.counts().map(drop),
        };
        let text = ended.unwrap_err().to_string();
        assert!(text.contains("peer"), "{text}");
        assert!(client.end().is_err());
        let gone = Client::connect(&peer.at, PROGRAM).unwrap_err();
        assert!(matches!(gone, Error::Unreachable { .. }), "{gone}");
    }
}

#[test]
fn a_killed_session_is_reported_to_its_client() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    let session = peer.children()[0];
    programs::command("kill").args(["-9", &session.to_string()]).status().unwrap();
    wait_until_gone(session);
    assert!(matches!(client.describe(), Err(Error::Closed(_))));
    assert!(peer.logged("session of 127.0.0.1").contains("ended with signal: 9"));
    peer.connect().end().unwrap();
}

#[test]
fn hundreds_of_sessions_leak_nothing() {
    let peer = TestPeer::new();
    let mut grown = Vec::new();
    for round in 0..300 {
        let mut client = peer.connect();
        client.open("echo.tcp", json!({})).unwrap();
        let data = client.data_tcp().unwrap();
        client.start().unwrap();
        data.write_all(b"x").unwrap();
        data.read_all(&mut [0]).unwrap();
        drop(data);
        client.stop().unwrap();
        client.end().unwrap();
        if round % 100 == 20 {
            peer.wait_until_idle(peer.descriptors());
            grown.push((peer.descriptors(), peer.pages()));
        }
    }
    let (first, last) = (grown[0], grown[grown.len() - 1]);
    assert_eq!(first.0, last.0);
    assert!(last.1 <= first.1 + 64, "{grown:?}");
}

#[test]
fn another_key_fails_without_a_timeout() {
    let peer = TestPeer::new();
    let (_, greeting) = ClientHandshake::new(&Key::from_bytes([0; 32]), PROGRAM);
    let streams: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = peer.stream();
            push(&mut stream, &greeting);
            stream
        })
        .collect();
    peer.connect().end().unwrap();
    drop(streams);
    assert!(is_running(peer.child.id()));
}
