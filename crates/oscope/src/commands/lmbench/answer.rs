//! What a line of lmbench's output is made of, and the forms in which lmbench prints values.

use super::line::Words;

/// A program of lmbench that is answered.
pub struct Program {
    pub name: &'static str,
    /// Its options, as for getopt, without those that all have.
    pub options: &'static str,
    /// What a line prints.
    pub answers: fn(&Words) -> anyhow::Result<Vec<Answer>>,
    /// Lines of it, for the page and the tests.
    pub examples: &'static [&'static str],
    /// What the points do differently; empty where they do the same.
    pub remark: &'static str,
}

/// A value that was measured.
pub struct Value {
    /// In nanoseconds, bytes per second, bytes, hertz, or without a unit.
    pub typical: f64,
    /// Batches that count.
    pub batches: usize,
    /// The parameters of its point.
    pub parameters: String,
}

impl Value {
    /// A size or count that was measured, which may be another than the line says.
    pub fn measured(&self, parameter: &str, asked: u64) -> u64 {
        let words = self.parameters.split(' ').filter_map(|word| word.split_once('='));
        let text = words.into_iter().find(|(name, _)| *name == parameter).map(|(_, text)| text);
        text.and_then(|text| quantity::parse_bytes(text).ok()).map_or(asked, quantity::Bytes::bytes)
    }
}

/// Where lmbench prints a line: nearly always to its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Error,
    Output,
}

/// Makes the text from the values of the points.
type Text = Box<dyn Fn(&[Value]) -> String>;

/// Some lines of output, and the points that they are made from.
pub struct Answer {
    pub points: Vec<String>,
    pub stream: Stream,
    pub text: Text,
}

impl Answer {
    /// One from several points.
    pub fn from_points(points: &[String], text: impl Fn(&[Value]) -> String + 'static) -> Self {
        Self { points: points.to_vec(), stream: Stream::Error, text: Box::new(text) }
    }

    /// One from one point.
    pub fn from_point(point: impl Into<String>, text: impl Fn(&Value) -> String + 'static) -> Self {
        Self::from_points(&[point.into()], move |values| values.first().map(&text).unwrap_or_default())
    }

    /// A title above the lines that follow.
    pub fn title(text: String) -> Self {
        Self::from_points(&[], move |_| text.clone())
    }

    /// The same, where lmbench prints it to its standard output.
    pub fn on_output(mut self) -> Self {
        self.stream = Stream::Output;
        self
    }
}

/// `label: 0.1234 microseconds`
pub fn micro(label: impl Into<String>, point: impl Into<String>) -> Answer {
    part_of_micro(label, point, 1.0)
}

/// The same for one of n equal parts of the operation.
pub fn part_of_micro(label: impl Into<String>, point: impl Into<String>, parts: f64) -> Answer {
    let label = label.into();
    Answer::from_point(point, move |value| {
        format!("{label}: {:.4} microseconds\n", value.typical / 1e3 / parts)
    })
}

/// `label: 0.12 nanoseconds`
pub fn nano(label: impl Into<String>, point: impl Into<String>) -> Answer {
    let label = label.into();
    Answer::from_point(point, move |value| format!("{label}: {:.2} nanoseconds\n", value.typical))
}

/// `label: 123.45 MB/sec`
pub fn rate(label: impl Into<String>, point: impl Into<String>) -> Answer {
    let label = label.into();
    Answer::from_point(point, move |value| format!("{label}: {:.2} MB/sec\n", megabytes(value.typical)))
}

/// `64.00 12345.67`: megabytes, and megabytes a second.
pub fn size_and_rate(bytes: u64, point: impl Into<String>) -> Answer {
    Answer::from_point(point, move |value| size_rate(value.measured("bytes", bytes), value.typical))
}

/// The same where the point is the time for a block of this size.
pub fn size_and_rate_of_blocks(bytes: u64, block: f64, point: impl Into<String>) -> Answer {
    Answer::from_point(point, move |value| {
        size_rate(value.measured("file_size", bytes), block / value.typical * 1e9)
    })
}

fn size_rate(bytes: u64, per_second: f64) -> String {
    format!("{} {}\n", two_or_six(megabytes(exactly(bytes))), two_or_six(megabytes(per_second)))
}

/// Of numbers below one lmbench prints six digits.
pub fn two_or_six(number: f64) -> String {
    if number < 1.0 { format!("{number:.6}") } else { format!("{number:.2}") }
}

/// lmbench's megabyte is 10⁶ bytes where it prints one, and 2²⁰ where it reads one.
pub fn megabytes(bytes: f64) -> f64 {
    bytes / 1e6
}

/// A size as a number; those of files and memory are far below 2⁵³.
#[allow(clippy::cast_precision_loss)]
pub fn exactly(bytes: u64) -> f64 {
    bytes as f64
}
