//! Whole sessions between a client and a server in another process.

use crate::common::{PROGRAM, TestPeer, wait_until_gone};
use peer::{Client, Error, Key, PROOF_BYTES, PeerAddress};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

#[test]
fn a_peer_describes_itself() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    let described = client.describe().unwrap();
    assert_eq!((described.program.as_str(), described.protocol), ("test_peer 1", 1));
    assert!(described.services.contains(&"echo.tcp".to_owned()));
    assert!(!described.drops_caches);
    client.end().unwrap();
    peer.wait_until_idle(peer.descriptors());
}

#[test]
fn tcp_data_are_echoed_and_counted() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    // Twice in one session.
    for round in 1..=2 {
        client.open("echo.tcp", json!({})).unwrap();
        let data = client.data_tcp().unwrap();
        assert!(client.start().unwrap() > 0);
        for byte in 0..100 {
            data.write_all(&[byte]).unwrap();
            let mut back = [0];
            data.read_all(&mut back).unwrap();
            assert_eq!(back, [byte], "round {round}");
        }
        // The echo counts after it has answered.
        let counts = loop {
            let counts = client.counts().unwrap();
            if counts.remote.bytes >= 100 {
                break counts;
            }
        };
        assert_eq!((counts.remote.bytes, counts.remote.pieces), (100, 100));
        assert!(counts.before_ns <= counts.after_ns);
        // One machine, one clock: the peer reading lies between the near ones.
        assert!(counts.before_ns <= counts.remote.clock_ns && counts.remote.clock_ns <= counts.after_ns);
        assert!(counts.remote.last_ns <= counts.remote.clock_ns);
        drop(data);
        assert_eq!(client.stop().unwrap().bytes, 100);
    }
    client.end().unwrap();
}

#[test]
fn datagrams_are_echoed_to_the_client_only() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("echo.udp", json!({})).unwrap();
    let socket = client.data_udp().unwrap();
    let port = peer_port(&socket);
    client.start().unwrap();
    for length in [1, 100, 1400] {
        let sent = vec![length as u8; length];
        socket.write_all(&sent).unwrap();
        let mut back = vec![0; 2000];
        assert_eq!(socket.read(&mut back), length as isize);
        assert_eq!(back[..length], sent);
    }
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other.send_to(b"me too", ("127.0.0.1", port)).unwrap();
    other.send_to(&[0; PROOF_BYTES], ("127.0.0.1", port)).unwrap();
    // The client's own datagram comes after the other socket's, so that its answer shows that those were passed over.
    socket.write_all(b"last").unwrap();
    assert_eq!(socket.read(&mut [0; 100]), 4);
    other.set_nonblocking(true).unwrap();
    assert!(other.recv(&mut [0; 100]).is_err());
    assert_eq!(client.stop().unwrap().pieces, 4);
    client.end().unwrap();
}

/// The port with which a socket is connected, as /proc shows it for this one process's descriptor.
fn peer_port(socket: &sys::descriptor::Descriptor) -> u16 {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", socket.number())).unwrap();
    let inode = link.to_str().unwrap().trim_matches(|letter: char| !letter.is_ascii_digit()).to_owned();
    let table = std::fs::read_to_string("/proc/net/udp").unwrap();
    let row = table.lines().find(|row| row.split_whitespace().nth(9) == Some(inode.as_str())).unwrap();
    let remote = row.split_whitespace().nth(2).unwrap();
    u16::from_str_radix(remote.split_once(':').unwrap().1, 16).unwrap()
}

#[test]
fn both_versions_of_ip_carry_everything() {
    let has_it = TcpListener::bind("[::1]:0").is_ok() || std::path::Path::new("/proc/net/if_inet6").exists();
    if !programs::has("IPv6", has_it) {
        return;
    }
    let peer = TestPeer::with(&[8, 64, 60, u64::MAX, 6]);
    assert!(peer.at.address.starts_with("[::1]:"));
    let mut client = peer.connect();
    client.open("echo.udp", json!({})).unwrap();
    let socket = client.data_udp().unwrap();
    client.start().unwrap();
    socket.write_all(b"six").unwrap();
    let mut back = [0; 3];
    socket.read_all(&mut back).unwrap();
    assert_eq!(&back, b"six");
    client.stop().unwrap();
    client.open("echo.tcp", json!({})).unwrap();
    let data = client.data_tcp().unwrap();
    client.start().unwrap();
    data.write_all(b"six").unwrap();
    data.read_all(&mut back).unwrap();
    client.open("accepts", json!({})).unwrap();
    client.start().unwrap();
    let mut stream = TcpStream::connect(client.accepting_address().unwrap()).unwrap();
    stream.read_exact(&mut back[..1]).unwrap();
    client.end().unwrap();
}

#[test]
fn several_connections_are_counted_together() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("sink.tcp", json!({})).unwrap();
    let flows: Vec<_> = (0..5).map(|_| client.data_tcp().unwrap()).collect();
    client.start().unwrap();
    for (index, flow) in flows.iter().enumerate() {
        flow.write_all(&vec![1; 1000 * (index + 1)]).unwrap();
    }
    drop(flows);
    assert_eq!(client.stop().unwrap().bytes, 15_000);
    client.end().unwrap();
}

#[test]
fn services_may_accept_by_themselves() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("accepts", json!({})).unwrap();
    let listener = client.accepting_address().unwrap();
    client.start().unwrap();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(listener).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"!");
    }
    assert!(client.stop().unwrap().pieces >= 19);
    client.end().unwrap();
}

#[test]
fn refusals_name_their_reason() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    let refused = |error: Error| match error {
        Error::Refused(reason) => reason,
        other => panic!("{other}"),
    };
    let text = refused(client.open("levitate\n", json!({})).unwrap_err());
    assert!(text.contains("no service levitate, but echo.tcp"), "{text}");
    assert!(refused(client.start().unwrap_err()).contains("opened"));
    assert!(refused(client.counts().unwrap_err()).contains("running"));
    assert!(refused(client.stop().unwrap_err()).contains("running"));
    assert!(refused(client.drop_caches().unwrap_err()).contains("--allow-drop-caches"));
    let read = client.device_bytes().unwrap();
    assert!(client.device_bytes().unwrap() >= read);
    assert!(refused(client.data_tcp().unwrap_err()).contains("opened"));
    client.open("echo.udp", json!({})).unwrap();
    assert!(refused(client.data_tcp().unwrap_err()).contains("takes such"));
    client.end().unwrap();
}

#[test]
fn services_that_fail_are_described_and_the_session_goes_on() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("fails", json!({})).unwrap();
    assert_eq!(client.start(), Err(Error::Failed("it always does".to_owned())));
    client.open("echo.tcp", json!({})).unwrap();
    let text = client.start().unwrap_err().to_string();
    assert!(text.contains("exactly one data connection"), "{text}");
    client.open("dies", json!({})).unwrap();
    client.start().unwrap();
    let text = loop {
        match client.counts() {
            Ok(_) => {}
            Err(error) => break error.to_string(),
        }
    };
    assert!(text.contains("was killed"), "{text}");
    client.open("echo.tcp", json!({})).unwrap();
    let data = client.data_tcp().unwrap();
    client.start().unwrap();
    drop(data);
    client.stop().unwrap();
    client.end().unwrap();
}

#[test]
fn a_service_that_does_not_end_is_ended() {
    let peer = TestPeer::new();
    let mut client = peer.connect();
    client.open("hangs", json!({})).unwrap();
    client.start().unwrap();
    client.stop().unwrap();
    client.end().unwrap();
    peer.wait_until_idle(peer.descriptors());
}

#[test]
fn bytes_are_bounded() {
    let peer = TestPeer::with(&[8, 64, 60, 1000]);
    let mut client = peer.connect();
    client.open("sink.tcp", json!({})).unwrap();
    let data = client.data_tcp().unwrap();
    client.start().unwrap();
    let _ = data.write(&[0; 2000]);
    let text = client.stop().unwrap_err().to_string();
    assert!(text.contains("its limit of bytes"), "{text}");
}

#[test]
fn time_is_bounded() {
    let peer = TestPeer::with(&[8, 64, 1]);
    let mut client = peer.connect();
    client.open("hangs", json!({})).unwrap();
    client.start().unwrap();
    let child = peer.children()[0];
    wait_until_gone(child);
    assert!(client.counts().is_err());
    assert!(peer.logged("session of 127.0.0.1").contains("SIGALRM"));
}

#[test]
fn sessions_are_bounded_in_number() {
    let peer = TestPeer::with(&[2]);
    let (first, second) = (peer.connect(), peer.connect());
    let text = Client::connect(&peer.at, PROGRAM).unwrap_err().to_string();
    assert!(text.contains("2 sessions already"), "{text}");
    first.end().unwrap();
    second.end().unwrap();
    peer.wait_until_idle(peer.descriptors());
    peer.connect().end().unwrap();
}

#[test]
fn another_key_is_named_as_the_reason() {
    let peer = TestPeer::new();
    let wrong = PeerAddress { key: Key::from_bytes([3; 32]), ..peer.at.clone() };
    let error = Client::connect(&wrong, PROGRAM).unwrap_err();
    assert_eq!(error, Error::WrongKey);
    assert!(!peer.logged("does not know the key").contains(&peer.at.key.text()));
}

#[test]
fn other_servers_are_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = |listener: &TcpListener| PeerAddress {
        address: listener.local_addr().unwrap().to_string(),
        key: Key::from_bytes([3; 32]),
    };
    let address = at(&listener);
    let web = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let text = Client::connect(&address, PROGRAM).unwrap_err().to_string();
    assert!(text.contains("not an oscope peer"), "{text}");
    web.join().unwrap();
    let text = Client::connect(&address, PROGRAM).unwrap_err().to_string();
    assert!(text.contains("cannot be reached"), "{text}");
    let newer = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = at(&newer);
    let server = std::thread::spawn(move || {
        let (mut stream, _) = newer.accept().unwrap();
        stream.write_all(b"oscope\r\n\0\x02\0\x03").unwrap();
    });
    let text = Client::connect(&address, PROGRAM).unwrap_err().to_string();
    assert!(text.contains("speaks protocol 2..3, this oscope 1"), "{text}");
    server.join().unwrap();
}
