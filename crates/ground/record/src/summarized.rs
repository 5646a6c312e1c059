//! A record by its beginning and its end alone.

use crate::checksum::{Checksum, check};
use crate::journal::{JournalError, Record, file_error};
use crate::line::{End, Header, Line, PeerEnd};
use crate::{Machine, Settings, Summary};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// A summary is no longer than this.
const LONGEST: u64 = 4 << 20;
/// Of a long record so much is read first, which nearly always holds the summary.
const FIRST_LOOK: u64 = 128 << 10;
/// The settings stand within the first bytes of a plan.
const SETTINGS_WITHIN: u64 = 64 << 10;
/// How the line of a plan begins.
const PLAN: &[u8] = br#"{"line":"plan","settings":"#;

/// A record by its beginning and its end alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarized {
    /// The first line.
    pub header: Header,
    /// The machine.
    pub machine: Machine,
    /// The machine at the other end, where there is one.
    pub peer: Option<PeerEnd>,
    /// How it was asked to measure; `None` where the plan is not among the next two lines.
    pub settings: Option<Settings>,
    /// What the run came to.
    pub summary: Summary,
    /// Its end, where that stands before the summary.
    pub end: Option<End>,
}

impl Summarized {
    /// Reads the first lines, of the plan only the settings, and the last ones. `None` where the record has no summary, or one that does not fit it:
    /// then the whole of it has to be read.
    ///
    /// # Errors
    /// When the file cannot be read, is no record, or was written by a newer program.
    pub fn read(path: &Path) -> Result<Option<Self>, JournalError> {
        let wrap = file_error(path);
        let mut file = File::open(path).map_err(&wrap)?;
        let mut beginning = Vec::new();
        let mut lines = BufReader::new(&file);
        for _ in 0..2 {
            let mut line = lines.by_ref().take(LONGEST);
            line.read_until(b'\n', &mut beginning).map_err(&wrap)?;
        }
        let begun = Record::read_from(beginning.as_slice(), path)?;
        let (peer, settings) = peer_and_settings(&mut lines).map_err(&wrap)?;
        let Some(last) = last_line(&mut file).map_err(&wrap)? else {
            return Ok(None);
        };
        let Ok(Line::Summary(summary)) = serde_json::from_slice(&last.line) else {
            return Ok(None);
        };
        let first = beginning.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_whole = check(&last.line) == check(first) && check(&last.line) != Checksum::Wrong;
        let fits = is_whole && summary.at == last.at && summary.is_of(&begun.header.started);
        let end = last.end();
        let (header, machine) = (begun.header, begun.machine);
        Ok(fits.then_some(Self { header, machine, peer, settings, summary, end }))
    }
}

/// What stands behind the machine: the other end, if there is one, and the beginning of the plan.
fn peer_and_settings(lines: &mut impl BufRead) -> std::io::Result<(Option<PeerEnd>, Option<Settings>)> {
    let mut peer = None;
    loop {
        let mut line = Vec::new();
        lines.by_ref().take(SETTINGS_WITHIN).read_until(b'\n', &mut line)?;
        if let Some(settings) = line.strip_prefix(PLAN) {
            let mut values = serde_json::Deserializer::from_slice(settings).into_iter::<Settings>();
            return Ok((peer, values.next().and_then(Result::ok)));
        }
        if peer.is_some() {
            return Ok((peer, None));
        }
        if !line.ends_with(b"\n") {
            lines.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        }
        match serde_json::from_slice(&line) {
            Ok(Line::Peer(found)) => peer = Some(found),
            _ => return Ok((None, None)),
        }
    }
}

/// The last line of a file.
struct LastLine {
    /// The byte at which it begins.
    at: u64,
    line: Vec<u8>,
    /// What stands before it, as far as it was read.
    before: Vec<u8>,
}

impl LastLine {
    /// The end of the run, among the lines just before.
    fn end(&self) -> Option<End> {
        /// Lines before the summary that are looked at.
        const MOST: usize = 4;
        let lines = self.before.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(MOST);
        lines.filter_map(|line| serde_json::from_slice(line).ok()).find_map(|line| match line {
            Line::End(end) => Some(end),
            _ => None,
        })
    }
}

/// The last line; `None` where it is torn, too long, or the only one.
fn last_line(file: &mut File) -> std::io::Result<Option<LastLine>> {
    let length = file.seek(SeekFrom::End(0))?;
    for reach in [FIRST_LOOK, LONGEST] {
        let from = length.saturating_sub(reach);
        file.seek(SeekFrom::Start(from))?;
        let mut end = Vec::new();
        file.by_ref().take(reach).read_to_end(&mut end)?;
        if end.pop() != Some(b'\n') {
            return Ok(None);
        }
        if let Some(before) = end.iter().rposition(|byte| *byte == b'\n') {
            let line = end.split_off(before + 1);
            return Ok(Some(LastLine { at: from + before as u64 + 1, line, before: end }));
        }
    }
    Ok(None)
}
