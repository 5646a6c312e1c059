//! A minimal HTTP/1.1 server of one file, one connection at a time, and what its client sends and checks.

use super::accept::{Accept, each};
use super::counters::Counters;
use super::messages::{Limits, TRUNCATED};
use sys::descriptor::Descriptor;
use sys::send_file::MemoryFile;

/// The request for the file.
pub const REQUEST: &[u8] = b"GET /file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Bytes of a request, or of the head of an answer, at most.
pub const MAX_REQUEST: usize = 1024;

/// The end of a head.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// Accepts connections; on each reads one request, sends the file or an error, and closes it.
///
/// # Errors
/// When accept fails, or a call fails for another reason than a reset.
pub fn serve_file(
    accept: Accept<'_>,
    file: &MemoryFile,
    bytes: usize,
    counters: &Counters,
) -> sys::Result<()> {
    let found = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {bytes}\r\n\
         Connection: close\r\n\r\n"
    );
    let mut request = [0; MAX_REQUEST];
    each(accept, Limits::OF_A_TRIAL.turns_of(1), counters, &mut |connection| {
        let request = head(connection, &mut request)?;
        match answer(request) {
            Answer::File => {
                connection.write_all(found.as_bytes())?;
                file.send(connection, 0, bytes)
            }
            Answer::Error(line) => {
                let head = format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                connection.write_all(head.as_bytes())
            }
        }
    })
}

/// Reads a head; gives its bytes.
fn head<'b>(connection: &Descriptor, buffer: &'b mut [u8; MAX_REQUEST]) -> sys::Result<&'b [u8]> {
    let mut filled = 0;
    loop {
        let room = buffer.get_mut(filled..).filter(|room| !room.is_empty()).ok_or(TRUNCATED)?;
        match sys::Error::check("read", connection.read(room))? {
            0 => return Err(TRUNCATED),
            came => filled += came,
        }
        if buffer.get(..filled).is_some_and(|so_far| so_far.ends_with(BLANK_LINE)) {
            return buffer.get(..filled).ok_or(TRUNCATED);
        }
    }
}

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    File,
    /// The status.
    Error(&'static str),
}

fn answer(request: &[u8]) -> Answer {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    match words.as_slice() {
        [b"GET", b"/file", b"HTTP/1.1" | b"HTTP/1.0"] => Answer::File,
        [b"GET", _, b"HTTP/1.1" | b"HTTP/1.0"] => Answer::Error("404 Not Found"),
        [_, _, b"HTTP/1.1" | b"HTTP/1.0"] => Answer::Error("405 Method Not Allowed"),
        _ => Answer::Error("400 Bad Request"),
    }
}

/// The body of an answer whose status is 200; `None` for another one, or without the end of its head.
pub fn body_of(answer: &[u8]) -> Option<&[u8]> {
    let end = answer.windows(BLANK_LINE.len()).position(|bytes| bytes == BLANK_LINE)?;
    answer.starts_with(b"HTTP/1.1 200 ").then(|| answer.get(end + BLANK_LINE.len()..))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_for_the_file_gets_it() {
        assert_eq!(answer(REQUEST), Answer::File);
        for (request, status) in [
            (&b"GET /other HTTP/1.1\r\n\r\n"[..], "404"),
            (b"PUT /file HTTP/1.1\r\n\r\n", "405"),
            (b"GET /file\r\n\r\n", "400"),
            (b"GET /file HTTP/2\r\n\r\n", "400"),
            (b"", "400"),
        ] {
            let Answer::Error(line) = answer(request) else { panic!("{request:?}") };
            assert!(line.starts_with(status), "{line}");
        }
    }

    #[test]
    fn body_is_what_follows_the_head_of_a_success() {
        assert_eq!(body_of(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"), Some(&b"body"[..]));
        assert_eq!(body_of(b"HTTP/1.1 404 Not Found\r\n\r\nbody"), None);
        assert_eq!(body_of(b"HTTP/1.1 200 OK\r\nA: b\r\n"), None);
    }

    #[test]
    fn requests_that_end_early_or_never_are_errors() {
        let pair = sys::socket::unix_stream_pair().unwrap();
        pair.client.write_all(b"GET /file HTTP/1.1\r\n").unwrap();
        drop(pair.client);
        assert_eq!(head(&pair.server, &mut [0; MAX_REQUEST]), Err(TRUNCATED));
        let pair = sys::socket::unix_stream_pair().unwrap();
        pair.client.write_all(&[b'x'; MAX_REQUEST]).unwrap();
        assert_eq!(head(&pair.server, &mut [0; MAX_REQUEST]), Err(TRUNCATED));
    }
}
