//! The key that both ends know, and the address of a peer.

use crate::Error;
use std::fmt;
use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6, ToSocketAddrs};

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A secret of 256 random bits; its text is 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key(…)")
    }
}

impl Key {
    /// A new key.
    ///
    /// # Errors
    /// When the kernel gives no randomness.
    pub fn generate() -> Result<Self, Error> {
        let mut bytes = [0; KEY_BYTES];
        sys::random::fill(&mut bytes).map_err(|error| Error::local("no key can be made", error))?;
        Ok(Self(bytes))
    }

    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads a key's text; white space around it is left out.
    ///
    /// # Errors
    /// When it is not 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, Error> {
        from_hex(text.trim()).map(Self).ok_or(Error::InvalidKey)
    }

    /// Its text, which is secret.
    pub fn text(&self) -> String {
        to_hex(&self.0)
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As many bytes as the array has, from twice as many hexadecimal digits.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let bytes = digits.filter(|digits| digits.len() == 2 * N)?;
    let bytes = bytes.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8));
    let bytes: Vec<u8> = bytes.collect();
    bytes.try_into().ok()
}

/// Where a peer listens, and the key that it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerAddress {
    /// `HOST:PORT`.
    pub address: String,
    /// Its key.
    pub key: Key,
}

impl PeerAddress {
    /// The peer that a request names.
    ///
    /// # Errors
    /// When its key is none.
    pub fn from_link(link: &record::PeerLink) -> Result<Self, Error> {
        Ok(Self { address: link.address.clone(), key: Key::parse(&link.key)? })
    }

    /// Its addresses, as far as names can be resolved.
    pub fn resolved(&self) -> Result<Vec<SocketAddr>, Error> {
        if let Some(scoped) = scoped(&self.address) {
            return scoped.map(|address| vec![address]);
        }
        let found = self.address.to_socket_addrs();
        let found: Vec<SocketAddr> =
            found.map_err(|_| Error::InvalidAddress(self.address.clone()))?.collect();
        if found.is_empty() {
            return Err(Error::InvalidAddress(self.address.clone()));
        }
        Ok(found)
    }
}

/// An address to listen at: `ADDRESS:PORT`, of one link also by the name of its interface.
///
/// # Errors
/// When it is not one, or this machine has no interface of that name.
pub fn listening_address(text: &str) -> Result<SocketAddr, Error> {
    scoped(text).unwrap_or_else(|| text.parse().map_err(|_| Error::InvalidAddress(text.to_owned())))
}

/// An address of one link with the interface behind it, `[fe80::1%eth0]:4000`; `None` for any other text.
fn scoped(text: &str) -> Option<Result<SocketAddr, Error>> {
    let (address, port) = text.strip_prefix('[')?.rsplit_once("]:")?;
    let (address, interface) = address.split_once('%')?;
    let (address, port): (Ipv6Addr, u16) = (address.parse().ok()?, port.parse().ok()?);
    let number = interface.parse().or_else(|_| sys::interface::index(interface));
    let scope = number.map_err(|_| Error::UnknownInterface(interface.to_owned()));
    Some(scope.map(|scope| SocketAddrV6::new(address, port, 0, scope).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_key_are_one() {
        let key = Key::generate().unwrap();
        assert_eq!(Key::parse(&format!(" {}\n", key.text())).unwrap(), key);
        assert_eq!(Key::parse(&key.text().to_uppercase()).unwrap(), key);
        for wrong in ["", "00", &key.text()[1..], &format!("{}0", key.text()), &"xy".repeat(32)] {
            assert_eq!(Key::parse(wrong), Err(Error::InvalidKey), "{wrong}");
        }
    }

    #[test]
    fn nothing_that_is_printed_for_debugging_holds_the_key() {
        let key = Key::generate().unwrap();
        let address = PeerAddress { address: "[::1]:7".to_owned(), key: key.clone() };
        assert!(!format!("{address:?}").contains(&key.text()));
        assert_eq!(address.resolved().unwrap(), ["[::1]:7".parse().unwrap()]);
    }

    #[test]
    fn an_address_of_one_link_names_its_interface() {
        let number = sys::interface::index("lo").unwrap();
        let expected = SocketAddrV6::new("fe80::1".parse().unwrap(), 4000, 0, number).into();
        for text in ["[fe80::1%lo]:4000".to_owned(), format!("[fe80::1%{number}]:4000")] {
            let link = PeerAddress { address: text.clone(), key: Key::from_bytes([1; 32]) };
            assert_eq!(link.resolved().unwrap(), [expected]);
            assert_eq!(listening_address(&text).unwrap(), expected);
        }
        let missing = listening_address("[fe80::1%oscope-none]:4000").unwrap_err();
        assert!(missing.to_string().contains("ip link"), "{missing}");
        assert_eq!(listening_address("[::1]:7").unwrap(), "[::1]:7".parse().unwrap());
        for wrong in ["fe80::1%lo:4000", "[fe80::1%lo]", "[192.0.2.1%lo]:4000", "[fe80::1%lo]:70000", "7"] {
            assert!(matches!(listening_address(wrong), Err(Error::InvalidAddress(_))), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_address_is_named() {
        let key = Key::from_bytes([1; 32]);
        let address = "no port".to_owned();
        let text = PeerAddress { address, key }.resolved().unwrap_err().to_string();
        assert!(text.contains("HOST:PORT"), "{text}");
    }
}
