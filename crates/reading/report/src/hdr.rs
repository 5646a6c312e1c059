//! Histograms of iterations as an HDR histogram log, which HdrHistogram's tools read and plot.

use crate::View;
use crate::tails::named;
use crate::wording::printable;
use analysis::TailDistribution;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use std::io::{self, Write};
use std::time::Duration;

/// Significant digits, as in records.
const DIGITS: u8 = 3;

/// The unit in which tools show values, in nanoseconds: that of HdrHistogram's own logs, a millisecond.
const SHOWN_IN_NS: f64 = 1e6;

/// The first line, by which such a file is known.
const MEANING: &str =
    "oscope: service time of every iteration, response time from when it was due; values in nanoseconds";

/// Writes a line for each point, and for the response times of an open loop; the tag names them.
///
/// # Errors
/// When `out` cannot be written, or a histogram cannot be made.
pub fn hdr(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut out = out;
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.add_comment(MEANING);
    builder.with_max_value_divisor(SHOWN_IN_NS);
    let mut log = builder.begin_log_with(&mut out, &mut serializer)?;
    let end = view.end.map_or(0, |end| end.at_ns);
    for (name, _, one) in view.analysis.tails.iter().flat_map(named) {
        let histogram = histogram(one).map_err(io::Error::other)?;
        // A tag ends at a comma or a space.
        let tag = printable(&name).replace(", ", ";").replace([' ', ','], ";");
        let tag = Tag::new(&tag);
        let written = log.write_histogram(&histogram, Duration::ZERO, Duration::from_nanos(end), tag);
        written.map_err(|error| io::Error::other(format!("{error:?}")))?;
    }
    Ok(())
}

fn histogram(one: &TailDistribution) -> Result<Histogram<u64>, String> {
    let mut histogram = Histogram::new(DIGITS).map_err(|error| error.to_string())?;
    for (ns, count) in &one.buckets {
        histogram.record_n(*ns, *count).map_err(|error| error.to_string())?;
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Analysis, Observer, PointTail};
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use record::{PointId, Record};

    #[test]
    fn log_reads_back_as_it_was_counted() {
        let service = TailDistribution {
            samples: 12,
            processes: 1,
            percentiles: Vec::new(),
            longest_ns: 83_123,
            curve: Vec::new(),
            buckets: vec![(100, 11), (83_072, 1)],
        };
        let tail = PointTail {
            id: PointId::new("a.b", "cpu=same bytes=1B"),
            between_runs: 0.0,
            service,
            response: None,
            rate: None,
            unserved: 0,
            incomplete: 0,
            looked: None,
            observer: Observer::Unknown,
            causes: None,
        };
        let (record, analysis) = (Record::default(), Analysis { tails: vec![tail], ..Analysis::default() });
        let view = View {
            header: &record.header,
            machine: &record.machine,
            peer: None,
            plan: &record::Plan::default(),
            analysis: &analysis,
            end: None,
            has_cycles: false,
        };
        let mut written = Vec::new();
        hdr(&view, &mut written).unwrap();
        assert!(written.starts_with(b"#oscope: "));
        let entries: Vec<_> = IntervalLogIterator::new(&written).map(Result::unwrap).collect();
        let found = entries.iter().find_map(|entry| match entry {
            LogEntry::Interval(interval) => Some(interval),
            _ => None,
        });
        let found = found.unwrap();
        assert_eq!(found.tag().map(|tag| tag.as_str().to_owned()), Some("a.b;cpu=same;bytes=1B".to_owned()));
        let bytes = base64_decoded(found.encoded_histogram());
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!((read.len(), read.count_at(100), read.lowest_equivalent(read.max())), (12, 11, 83_072));
    }

    /// The bytes of a text in base64, without a crate that only this test would need.
    fn base64_decoded(text: &str) -> Vec<u8> {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let values = text.bytes().filter_map(|byte| LETTERS.iter().position(|letter| *letter == byte));
        let bits: Vec<u8> =
            values.flat_map(|value| (0..6).rev().map(move |bit| (value >> bit & 1) as u8)).collect();
        bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit)).collect()
    }
}
