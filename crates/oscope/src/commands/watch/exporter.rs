//! Metrics for Prometheus: served over HTTP by a thread of their own, or written to a file of node_exporter's collector.

use crate::exit::{file_error, usage};
use crate::notice::notice;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use watch::{Watch, exposition};

/// The file in the directory of a textfile collector.
const FILE: &str = "oscope.prom";

/// Longest wait for a client, which is served alone.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Longest request that is read.
const MOST_REQUEST: usize = 8 << 10;

/// Age of the metrics from which on the watch is not healthy: a trial has a limit of 20 seconds.
const UNHEALTHY: Duration = Duration::from_secs(60);

/// The newest document, and when it was made.
type Shared = Arc<Mutex<(Instant, String)>>;

/// Where metrics go.
pub(super) struct Exporter {
    served: Option<Shared>,
    file: Option<PathBuf>,
    labels: Vec<(&'static str, String)>,
    is_reported: bool,
}

impl Exporter {
    /// Listens where asked to, and finds out whether the file can be written.
    pub(super) fn start(
        listen: Option<SocketAddr>,
        folder: Option<&Path>,
        labels: Vec<(&'static str, String)>,
    ) -> anyhow::Result<Self> {
        let served = listen.map(serve).transpose()?;
        let file = folder.map(|folder| folder.join(FILE));
        if let Some(file) = &file {
            write(file, "").map_err(|error| file_error(file, error))?;
        }
        Ok(Self { served, file, labels, is_reported: false })
    }

    /// Makes anew the metrics that are served.
    pub(super) fn serve(&self, watch: &Watch) {
        if let Some(served) = &self.served {
            *lock(served) = (Instant::now(), exposition(watch, &self.labels));
        }
    }

    /// Writes the file anew.
    pub(super) fn write(&mut self, watch: &Watch) {
        let Some(file) = &self.file else { return };
        let written = write(file, &exposition(watch, &self.labels));
        // A full disk is no end of the watch: the file is written again when there is room.
        if let (Err(error), false) = (&written, self.is_reported) {
            notice!("oscope: {}: {error}; the metrics there are old", file.display());
        }
        self.is_reported = written.is_err();
    }

    /// Removes the file: node_exporter would serve the last events of an ended watch for ever.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_error(&file, error)),
            _ => Ok(()),
        }
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, (Instant, String)> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a file so that a reader finds the old text or the new one, and never a part.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let fresh = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

/// Serves the newest document from now on.
fn serve(address: SocketAddr) -> anyhow::Result<Shared> {
    let failed =
        |error: io::Error| usage(format!("--listen {address}: {error}; name a free port of this machine"));
    let listener = TcpListener::bind(address).map_err(failed)?;
    notice!("oscope: metrics at http://{}/metrics", listener.local_addr().map_err(failed)?);
    let shared: Shared = Arc::new(Mutex::new((Instant::now(), String::new())));
    let document = Arc::clone(&shared);
    let thread = std::thread::Builder::new().name("metrics".to_owned());
    let serving = move || {
        for client in listener.incoming() {
            match client {
                // A client that goes away early is no concern of the watch.
                Ok(client) => drop(answer(client, &document)),
                // Such as no free descriptor: it would be the same at once.
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    };
    thread.spawn(serving).map_err(failed)?;
    Ok(shared)
}

/// Answers one request, within bounds of time and size.
fn answer(mut client: TcpStream, document: &Shared) -> io::Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    client.set_write_timeout(Some(TIMEOUT))?;
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") && request.len() < MOST_REQUEST {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        client.set_read_timeout(Some(left))?;
        match client.read(&mut buffer)? {
            0 => break,
            length => request.extend_from_slice(buffer.get(..length).unwrap_or_default()),
        }
    }
    let (status, kind, body) = response(&request, document);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes())?;
    if !request.starts_with(b"HEAD ") {
        client.write_all(body.as_bytes())?;
    }
    client.flush()
}

/// Status, type and body for a request.
fn response(request: &[u8], document: &Shared) -> (&'static str, &'static str, String) {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !["GET", "HEAD"].contains(&method) {
        return ("405 Method Not Allowed", PLAIN, "GET only\n".to_owned());
    }
    let (made, text) = lock(document).clone();
    match target.split('?').next().unwrap_or_default() {
        "/metrics" => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", text),
        "/healthz" if made.elapsed() < UNHEALTHY && !text.is_empty() => ("200 OK", PLAIN, "ok\n".to_owned()),
        "/healthz" => {
            ("503 Service Unavailable", PLAIN, "the watch has read nothing for a minute\n".to_owned())
        }
        "/" => ("200 OK", PLAIN, "oscope watch: /metrics, /healthz\n".to_owned()),
        _ => ("404 Not Found", PLAIN, "/metrics and /healthz are here\n".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(text: &str) -> Shared {
        Arc::new(Mutex::new((Instant::now(), text.to_owned())))
    }

    #[test]
    fn requests_are_answered_by_their_method_and_path() {
        let document = shared("a 1\n");
        for (request, status) in [
            ("GET /metrics HTTP/1.1\r\n\r\n", "200"),
            ("HEAD /metrics?x=1 HTTP/1.1\r\n\r\n", "200"),
            ("GET /healthz HTTP/1.1\r\n\r\n", "200"),
            ("GET /other HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("", "405"),
            ("\u{0}\u{1}", "405"),
        ] {
            assert!(response(request.as_bytes(), &document).0.starts_with(status), "{request:?}");
        }
        assert!(response(b"GET /healthz HTTP/1.1\r\n\r\n", &shared("")).0.starts_with("503"));
    }

    #[test]
    fn file_is_replaced_as_a_whole_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        write(&path, "old\n").unwrap();
        write(&path, "new\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("absent").join(FILE), "x").is_err());
    }
}
