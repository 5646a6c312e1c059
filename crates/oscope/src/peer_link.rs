//! The other end of network measurements, as the user names it: its key, whether it answers, what it is.

use crate::arguments::Run;
use crate::exit::{unusable, usage};
use machine::Tree;
use peer::{Client, Key, PeerAddress};
use record::{Fact, Machine, PeerEnd, PeerLink, Skip};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use workloads::network::peer_services::{DATAGRAMS, STREAMS};

/// The variable of the environment that holds a key.
pub const KEY_VARIABLE: &str = "OSCOPE_PEER_KEY";

/// What stands for a key in a record.
const HIDDEN: &str = "HIDDEN";

/// Most that is read of a file that should hold a key, in bytes.
const MOST_FILE: u64 = 1024;

/// What this program is called among peers.
pub fn program() -> String {
    format!("oscope {}", env!("CARGO_PKG_VERSION"))
}

/// The key in a file, or in the environment; none, if neither is there.
/// Fails when the file cannot be read, or what is there is no key.
pub fn key(file: Option<&Path>) -> anyhow::Result<Option<Key>> {
    let text = match file {
        Some(path) => {
            let mut text = String::new();
            let opened = std::fs::File::open(path);
            let read = opened.and_then(|file| file.take(MOST_FILE).read_to_string(&mut text));
            read.map_err(|error| unusable(path, error))?;
            Some(text)
        }
        None => std::env::var(KEY_VARIABLE).ok(),
    };
    text.map(|text| Key::parse(&text).map_err(|error| usage(error.to_string()))).transpose()
}

/// The peer that the command line names.
/// Fails when its key is missing, or is none.
pub fn link(run: &Run) -> anyhow::Result<Option<PeerLink>> {
    let Some(address) = run.peer.clone() else {
        return Ok(None);
    };
    let key = match &run.key {
        Some(text) => Some(Key::parse(text).map_err(|error| usage(error.to_string()))?),
        None => key(run.key_file.as_deref())?,
    };
    let remedy = format!("give it by --key, --key-file or {KEY_VARIABLE}: `oscope serve` prints it");
    let key = key.ok_or_else(|| usage(format!("the peer's key is missing; {remedy}")))?;
    Ok(Some(PeerLink { address, key: key.text(), ..PeerLink::default() }))
}

/// Asks the peer what it is, and tries its data ports, before anything is measured: where a firewall keeps them, the link
/// says so, and no worker waits for them.
pub fn check(link: &mut PeerLink) -> anyhow::Result<PeerEnd> {
    let asked = PeerAddress::from_link(link).and_then(|address| {
        let mut client = Client::connect(&address, &program())?;
        let described = client.describe()?;
        link.unreachable_data = unreachable_data(&mut client, &described.services);
        client.end()?;
        Ok(described)
    });
    let described = asked.map_err(|error| usage(error.to_string()))?;
    Ok(PeerEnd {
        address: link.address.clone(),
        program: described.program,
        protocol: described.protocol,
        drops_caches: described.drops_caches,
        machine: described.machine,
    })
}

/// Why data do not reach the peer, by the protocol that carries them; each is tried once.
fn unreachable_data(client: &mut Client, offered: &[String]) -> BTreeMap<String, Skip> {
    let tried =
        [&STREAMS, &DATAGRAMS].into_iter().filter(|service| offered.iter().any(|name| name == service.name));
    tried
        .filter_map(|service| {
            let skip = client.probe_data(service).err()?.skip()?;
            Some((service.transport.name().to_owned(), skip))
        })
        .collect()
}

/// Facts about the link to the peer; none where its name leads to no address.
pub fn facts(link: &PeerLink, tree: &dyn Tree, machine: &Machine) -> Vec<Fact> {
    let resolved = PeerAddress::from_link(link).and_then(|address| address.resolved());
    let Some(peer) = resolved.ok().and_then(|all| all.first().copied()) else {
        return Vec::new();
    };
    // The kernel chooses this end's address when a socket is connected, and sends nothing.
    let any: SocketAddr = match peer {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let own = UdpSocket::bind(any).and_then(|socket| {
        socket.connect(peer)?;
        socket.local_addr()
    });
    machine::describe_peer_link(tree, machine, peer.ip(), own.ok().map(|own| own.ip()))
}

/// The peer of a run that is resumed: there is one if there was one, and it is the same machine.
pub fn resumed_peer(
    before: Option<&PeerEnd>,
    link: Option<&mut PeerLink>,
    differs: impl Fn(&Machine, &Machine) -> Option<&'static str>,
) -> anyhow::Result<Option<PeerEnd>> {
    let why = match (before, link) {
        (None, None) => return Ok(None),
        (None, Some(_)) => "without a peer; leave out --peer".to_owned(),
        (Some(before), None) => {
            format!("with a peer at {}; name it again by --peer and --key", before.address)
        }
        (Some(before), Some(link)) => {
            let now = check(link)?;
            match differs(&before.machine, &now.machine) {
                None => return Ok(Some(now)),
                Some(key) => format!("with another peer ({key} differs); start a new run"),
            }
        }
    };
    Err(usage(format!("the record was measured {why}")))
}

/// The words of a command line without the key; bytes that are not UTF-8 as `\\xFF`.
pub fn without_key(words: impl Iterator<Item = OsString>, key: Option<&str>) -> Vec<String> {
    words
        .map(|word| {
            word.into_string().unwrap_or_else(|word| word.as_encoded_bytes().escape_ascii().to_string())
        })
        .map(|word| match key {
            Some(key) if !key.is_empty() => word.replace(key, HIDDEN),
            _ => word,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn the_key_is_hidden_however_it_is_written() {
        let words = ["run", "--key", "abc", "--key=abc", "--peer", "h:1"];
        let hidden = without_key(words.iter().map(OsString::from), Some("abc"));
        assert_eq!(hidden, ["run", "--key", "HIDDEN", "--key=HIDDEN", "--peer", "h:1"]);
        let kept = without_key(["a".into(), OsString::from_vec(b"o\\\xff".to_vec())].into_iter(), None);
        assert_eq!(kept, ["a", "o\\\\\\xff"]);
    }

    #[test]
    fn a_record_and_its_peer_belong_together() {
        let link = PeerLink {
            address: "127.0.0.1:1".to_owned(),
            key: Key::from_bytes([1; 32]).text(),
            ..PeerLink::default()
        };
        let before = PeerEnd {
            address: "127.0.0.1:1".to_owned(),
            program: String::new(),
            protocol: 1,
            drops_caches: false,
            machine: Machine::default(),
        };
        let taken =
            |before, link: Option<&PeerLink>| resumed_peer(before, link.cloned().as_mut(), |_, _| None);
        assert_eq!(taken(None, None).unwrap(), None);
        for (before, link) in [(Some(&before), None), (None, Some(&link)), (Some(&before), Some(&link))] {
            assert!(taken(before, link).is_err());
        }
    }
}
