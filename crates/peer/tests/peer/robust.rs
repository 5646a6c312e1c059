//! What no honest client does, and what becomes of who is killed in the middle: the server goes on, and nothing grows.

use crate::common::{Far, PROGRAM, goes, lives, push};
use peer::{Client, Error, Key, Knock, Knocked, PROOF_BYTES};
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

/// Everything that a client sends until it has its session, as it was heard on the wire.
fn recorded(far: &Far) -> Vec<Vec<u8>> {
    let mut stream = far.stream();
    let (mut knock, hello) = Knock::new(&far.at.key, PROGRAM);
    stream.write_all(&hello).unwrap();
    let mut sent = vec![hello];
    loop {
        let mut buffer = vec![0; knock.wanted()];
        let came = stream.read(&mut buffer).unwrap();
        match knock.take(&buffer[..came]).unwrap() {
            Knocked::More => {}
            Knocked::Say(bytes) => {
                stream.write_all(&bytes).unwrap();
                sent.push(bytes);
            }
            Knocked::Session { .. } => return sent,
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
        4 => bytes
            .splice(at.., (0..random.usize(..3000)).map(|_| random.u8(..)))
            .for_each(drop),
        5 => bytes[12..14].copy_from_slice(&random.u16(..).to_be_bytes()),
        _ => bytes = (0..random.usize(..500)).map(|_| random.u8(..)).collect(),
    }
    bytes
}

#[test]
fn ten_thousand_malformed_sessions_change_nothing() {
    let far = Far::new();
    let sent = recorded(&far);
    far.connect().end().unwrap();
    far.settles(far.descriptors());
    let (descriptors, pages) = (far.descriptors(), far.pages());
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..10_000 {
        let mut stream = far.stream();
        push(&mut stream, &mutated(&mut random, &sent));
        if random.u8(..4) == 0 {
            let _ = stream.shutdown(Shutdown::Write);
            until_closed(&mut stream);
        }
    }
    far.connect().end().unwrap();
    far.settles(descriptors);
    assert!(
        far.pages() < pages + 512,
        "{} pages grew to {}",
        pages,
        far.pages()
    );
    far.said("more sessions that ended badly");
}

#[test]
fn a_crowd_that_says_nothing_keeps_nobody_out() {
    let far = Far::new();
    let before = far.descriptors();
    let mut crowd = VecDeque::new();
    for index in 0..1000 {
        crowd.push_back(far.stream());
        if crowd.len() > 500 {
            crowd.pop_front();
        }
        if index % 100 == 99 {
            far.connect().end().unwrap();
            assert!(far.descriptors() < before + 64 + 32 + 16, "{}", far.descriptors());
        }
    }
    far.said("too many came after it");
    far.settles(before);
}

#[test]
fn who_sends_a_byte_at_a_time_is_let_go() {
    let far = Far::new();
    let sent = recorded(&far).concat();
    let mut slow = far.stream();
    // It ends when the server closes: 132 bytes at this pace take longer than a stranger may.
    let said = sent.iter().take_while(|byte| {
        std::thread::sleep(Duration::from_millis(30));
        slow.write_all(&[**byte]).is_ok()
    });
    assert!(said.count() <= sent.len());
    far.said("did not prove itself in time");
    far.connect().end().unwrap();
}

#[test]
fn what_is_oversized_is_cut_off() {
    let far = Far::new();
    let before = far.pages();
    let sent = recorded(&far);
    for beginning in [vec![], sent[0].clone(), sent[..2].concat(), sent.concat()] {
        let mut stream = far.stream();
        push(&mut stream, &beginning);
        for _ in 0..200 {
            push(&mut stream, &[0xff; 50_000]);
        }
        until_closed(&mut stream);
    }
    assert!(far.pages() < before + 512);
    far.connect().end().unwrap();
}

#[test]
fn what_was_recorded_gets_nobody_in() {
    let far = Far::new();
    let sent = recorded(&far);
    far.settles(far.descriptors());
    let mut again = far.stream();
    push(&mut again, &sent.concat());
    // The hello and the server's own part of the handshake; no session.
    assert!(until_closed(&mut again) <= 12 + 50);
    far.said("changed, repeated or left out");
    assert!(far.children().is_empty());
}

#[test]
fn data_connections_that_prove_nothing_are_closed() {
    let far = Far::new();
    let mut client = far.connect();
    client.open("echo.tcp", json!({})).unwrap();
    let port = listening_beside(&far);
    let mut random = fastrand::Rng::with_seed(7);
    let mut crowd = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let bytes: Vec<u8> = (0..random.usize(..2 * PROOF_BYTES))
            .map(|_| random.u8(..))
            .collect();
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
fn listening_beside(far: &Far) -> u16 {
    let session = far.children()[0];
    let links = std::fs::read_dir(format!("/proc/{session}/fd")).unwrap();
    let links = links.map(|link| std::fs::read_link(link.unwrap().path()).unwrap());
    let inodes: Vec<String> = links
        .filter_map(|link| {
            link.to_str()?
                .strip_prefix("socket:[")?
                .strip_suffix(']')
                .map(str::to_owned)
        })
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let rows = table
        .lines()
        .map(|row| row.split_whitespace().collect::<Vec<_>>());
    let mut rows = rows.filter(|row| row[3] == "0A" && inodes.iter().any(|inode| *inode == row[9]));
    let own = rows.next().unwrap()[1].to_owned();
    u16::from_str_radix(own.split_once(':').unwrap().1, 16).unwrap()
}

#[test]
fn a_client_may_be_gone_in_any_phase() {
    let far = Far::new();
    let before = far.descriptors();
    let sent = recorded(&far);
    for parts in 0..=sent.len() {
        for step in [0, 1] {
            let mut stream = far.stream();
            let bytes = sent[..parts].concat();
            push(&mut stream, &bytes[..bytes.len().saturating_sub(step)]);
        }
    }
    for phase in 0..6 {
        let mut client = far.connect();
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
        let sessions = far.children();
        drop(client);
        far.said("session of 127.0.0.1");
        sessions.into_iter().for_each(goes);
        drop(kept);
    }
    far.settles(before);
    far.connect().end().unwrap();
}

#[test]
fn a_server_may_be_gone_in_any_phase() {
    for phase in 0..4 {
        let mut far = Far::new();
        let mut client = far.connect();
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
        let sessions = far.children();
        far.child.kill().unwrap();
        far.child.wait().unwrap();
        sessions.into_iter().for_each(goes);
        let ended = match phase {
            0 => client.describe().map(drop),
            1 => client.data_tcp().map(drop),
            2 => client.start().map(drop),
            _ => client.counts().map(drop),
        };
        let said = ended.unwrap_err().to_string();
        assert!(said.contains("peer"), "{said}");
        assert!(client.end().is_err());
        let gone = Client::connect(&far.at, PROGRAM).unwrap_err();
        assert!(matches!(gone, Error::Unreachable { .. }), "{gone}");
    }
}

#[test]
fn a_session_may_be_gone_and_its_client_hears_of_it() {
    let far = Far::new();
    let mut client = far.connect();
    let session = far.children()[0];
    programs::command("kill")
        .args(["-9", &session.to_string()])
        .status()
        .unwrap();
    goes(session);
    assert!(matches!(client.describe(), Err(Error::Closed(_))));
    assert!(far.said("session of 127.0.0.1").contains("ended with signal: 9"));
    far.connect().end().unwrap();
}

#[test]
fn hundreds_of_sessions_leave_nothing_behind() {
    let far = Far::new();
    let mut grown = Vec::new();
    for round in 0..300 {
        let mut client = far.connect();
        client.open("echo.tcp", json!({})).unwrap();
        let data = client.data_tcp().unwrap();
        client.start().unwrap();
        data.write_all(b"x").unwrap();
        data.read_all(&mut [0]).unwrap();
        drop(data);
        client.stop().unwrap();
        client.end().unwrap();
        if round % 100 == 20 {
            far.settles(far.descriptors());
            grown.push((far.descriptors(), far.pages()));
        }
    }
    let (first, last) = (grown[0], grown[grown.len() - 1]);
    assert_eq!(first.0, last.0);
    assert!(last.1 <= first.1 + 64, "{grown:?}");
}

#[test]
fn nobody_waits_for_who_was_given_another_key() {
    let far = Far::new();
    let (_, hello) = Knock::new(&Key::from_bytes([0; 32]), PROGRAM);
    let streams: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = far.stream();
            push(&mut stream, &hello);
            stream
        })
        .collect();
    far.connect().end().unwrap();
    drop(streams);
    assert!(lives(far.child.id()));
}
