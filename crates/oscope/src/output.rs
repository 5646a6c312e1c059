//! Where a result is written: standard output, or the file that the user named. Every file that a command writes for the
//! user is opened here, so that no record and nothing of others is written over.

use crate::arguments::{Form, Output, Replace};
use crate::exit::{unusable, unwritable};
use crate::terminal::{self, PLAIN_WIDTH};
use report::{Style, Table};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// By what a file that oscope wrote is known again: what it begins with, and texts near its beginning or its end.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    pub begins: &'static str,
    pub holds: &'static [&'static str],
}

/// How a record begins.
const RECORD: Mark = Mark { begins: "{", holds: &[r#""format":"oscope","#] };

/// How JUnit's results begin, those of a record and of a comparison.
const JUNIT: &[Mark] = &[Mark {
    begins: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites",
    holds: &["<testsuite name=\"oscope"],
}];

/// The marks of results in this form. A result as text has none.
pub fn marks(form: Form) -> &'static [Mark] {
    match form {
        Form::Terminal | Form::Github => &[],
        Form::Junit => JUNIT,
        // The others name no program.
        Form::Exchange(exchange) => match exchange.name {
            "junit" => JUNIT,
            "google-benchmark" => {
                &[Mark { begins: "{\n  \"benchmarks\": [", holds: &["\"executable\": \"oscope "] }]
            }
            "chrome-trace" => {
                &[Mark { begins: r#"{"displayTimeUnit":"ns","otherData":{"program":"oscope "#, holds: &[] }]
            }
            _ => &[],
        },
        Form::Markdown => {
            &[Mark { begins: "# oscope\n", holds: &[] }, Mark { begins: "# oscope: ", holds: &[] }]
        }
        Form::Html => &[Mark { begins: "<!DOCTYPE html>", holds: &[r#"name="generator" content="oscope""#] }],
        Form::Latex => &[Mark { begins: "% Written by oscope from a record.", holds: &[] }],
        Form::Json => &[
            Mark { begins: "{\n  \"schema\": ", holds: &["\"format\": \"oscope\""] },
            Mark { begins: "{\n  \"folder\": ", holds: &["\"machines\": ["] },
            Mark { begins: "{\n  \"format\": \"oscope-count\",", holds: &[] },
        ],
        Form::Csv => &[
            Mark { begins: "operation,point,", holds: &[] },
            Mark { begins: "row,area,operation,point,", holds: &[] },
            Mark { begins: "record,closest,row,", holds: &[] },
            Mark { begins: "# Instructions of an iteration", holds: &[] },
        ],
        Form::Benchstat => &[Mark { begins: "oscope: ", holds: &["\nBenchmark"] }],
        Form::Openmetrics => &[Mark { begins: "# TYPE oscope_", holds: &[] }],
        Form::Hdr => &[Mark { begins: "#oscope: service time", holds: &[] }],
    }
}

/// Standard output. Where its reader had enough, what follows is dropped, and the command ends as it would have: with the exit code of
/// what it found.
pub struct Standard {
    out: io::StdoutLock<'static>,
    has_reader: bool,
}

pub fn standard() -> Standard {
    Standard { out: io::stdout().lock(), has_reader: true }
}

impl Standard {
    /// The result, unless it is that nobody reads: then this.
    fn unless_unread<T>(&mut self, result: io::Result<T>, unread: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.has_reader = false;
                Ok(unread)
            }
            result => result,
        }
    }
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.has_reader {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.unless_unread(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.unless_unread(flushed, ())
    }
}

/// Writes to standard output, in the width and the style that it has.
pub fn show(content: impl FnOnce(usize, Style, &mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
    Ok(content(width, style, &mut standard())?)
}

/// Writes to the file, or else to standard output.
pub fn write(
    output: &Output,
    marks: &[Mark],
    content: impl FnOnce(usize, Style, &mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = &output.output else {
        return show(content);
    };
    let mut out = BufWriter::new(create(path, marks, output.replace)?);
    let written = content(PLAIN_WIDTH, Style::default(), &mut out).and_then(|()| out.flush());
    written.map_err(|error| unwritable(path, &error).into())
}

/// Fails where the file could not be written, before the work for it is done. A file that was not there is not there afterwards.
pub fn check(output: &Output, marks: &[Mark]) -> anyhow::Result<()> {
    let Some(path) = &output.output else { return Ok(()) };
    match std::fs::metadata(path) {
        Err(_) => {
            create(path, marks, output.replace)?;
            std::fs::remove_file(path).map_err(|error| unwritable(path, &error).into())
        }
        Ok(found) if found.is_dir() => Err(unusable(path, IS_DIRECTORY)),
        // A pipe is read once.
        Ok(found) if !found.is_file() => Ok(()),
        Ok(found) => {
            File::options().write(true).open(path).map_err(|error| unwritable(path, &error))?;
            let is_replaced = found.len() == 0 || output.replace.force;
            if is_replaced { Ok(()) } else { refuse_others(path, marks) }
        }
    }
}

/// Why a directory is no file for a result.
const IS_DIRECTORY: &str = "it is a directory; name a file in it";

/// Opens a file that is written anew. What it holds is replaced where a mark says that oscope wrote it in the same form, or
/// where the user wants it.
pub fn create(path: &Path, marks: &[Mark], replace: Replace) -> anyhow::Result<File> {
    let opened = match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(unusable(path, IS_DIRECTORY));
        }
        Ok(found) if !found.is_file() => sys::output::open_without_waiting(path),
        found => {
            let is_empty = found.is_ok_and(|found| found.len() == 0);
            match is_empty || replace.force {
                true => File::create(path),
                false => create_over(path, marks)?,
            }
        }
    };
    opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unwritable(path, &error).into(),
        _ if is_pipe(path) => unusable(path, "no program reads from this pipe; start its reader first"),
        _ => unwritable(path, &error).into(),
    })
}

/// Opens a file that is not there, or one that holds what oscope wrote in the same form.
/// Fails when it holds something else.
fn create_over(path: &Path, marks: &[Mark]) -> anyhow::Result<io::Result<File>> {
    refuse_others(path, marks)?;
    Ok(File::create(path))
}

/// Fails when a file holds something else than what oscope wrote in this form.
fn refuse_others(path: &Path, marks: &[Mark]) -> anyhow::Result<()> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unwritable(path, &error).into()),
    };
    let beginning_and_end = beginning_and_end(&mut file).map_err(|error| unwritable(path, &error))?;
    if RECORD.is_of(&beginning_and_end) {
        let why =
            "it is a record, which this would replace; name another file (--force replaces it all the same)";
        return Err(unusable(path, why));
    }
    if !marks.iter().any(|mark| mark.is_of(&beginning_and_end)) {
        let why = "it is not empty, and oscope did not write it in this form; name another file (--force replaces it)";
        return Err(unusable(path, why));
    }
    Ok(())
}

impl Mark {
    fn is_of(&self, [beginning, end]: &[String; 2]) -> bool {
        beginning.starts_with(self.begins)
            && self.holds.iter().all(|text| beginning.contains(text) || end.contains(text))
    }
}

/// Bytes of the beginning and of the end of a file in which marks are looked for.
const LOOKED_AT: u64 = 8 << 10;

fn beginning_and_end(file: &mut File) -> io::Result<[String; 2]> {
    let beginning = read_from(file, SeekFrom::Start(0))?;
    // A short file has no place so far before its end.
    let end = read_from(file, SeekFrom::End(-(LOOKED_AT as i64))).unwrap_or_default();
    Ok([beginning, end])
}

/// The text of a file from here, as much of it as is looked at.
fn read_from(file: &mut File, from: SeekFrom) -> io::Result<String> {
    file.seek(from)?;
    let mut bytes = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// Writes a table.
pub fn table(table: &Table, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (heading, body) = (table.heading(width, style), table.body(width, style));
    heading.iter().chain(&body).try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes a paragraph behind `lead`; its further lines are indented.
pub fn paragraph(lead: &str, text: &str, indent: usize, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, line) in report::wrap(text, width.saturating_sub(indent)).iter().enumerate() {
        match at {
            0 => writeln!(out, "{lead}{line}")?,
            _ => writeln!(out, "{:indent$}{line}", "")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark = Mark { begins: "# TYPE oscope_", holds: &[] };

    #[test]
    fn only_nothing_an_empty_file_and_its_own_form_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(create(&path, &[MARK], Replace::default()).is_ok());
        let record = r#"{"line":"header","format":"oscope","schema":1}"#;
        let long = format!("# TYPE oscope_x\n{}", "x\n".repeat(LOOKED_AT as usize));
        for (content, is_replaced) in
            [("", true), ("# TYPE oscope_x gauge", true), (&long, true), (record, false), ("a poem", false)]
        {
            for force in [false, true] {
                std::fs::write(&path, content).unwrap();
                let is_created = create(&path, &[MARK], Replace { force }).is_ok();
                assert_eq!(is_created, is_replaced || force, "{content}");
                let is_empty = std::fs::metadata(&path).unwrap().len() == 0;
                assert_eq!(is_created, is_empty, "{content}: a refused file stays as it is");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_before_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let checked = |name: &str| {
            let output = Output { output: Some(folder.path().join(name)), replace: Replace::default() };
            check(&output, &[MARK]).map_err(|error| error.to_string())
        };
        assert_eq!(checked("new"), Ok(()));
        assert!(!folder.path().join("new").exists());
        assert!(checked("no/new").unwrap_err().contains("does not exist"));
        assert!(checked("").unwrap_err().contains("it is a directory"));
        std::fs::write(folder.path().join("poem"), "a poem").unwrap();
        assert!(checked("poem").unwrap_err().contains("not empty"));
        std::fs::write(folder.path().join("own"), "# TYPE oscope_x").unwrap();
        assert_eq!(checked("own"), Ok(()));
        assert!(folder.path().join("own").metadata().unwrap().len() > 0, "it is written later");
    }

    #[test]
    fn a_record_is_never_taken_for_a_result() {
        let record = r#"{"line":"header","format":"oscope","schema":1}"#.to_owned();
        let parts = [record, String::new()];
        assert!(RECORD.is_of(&parts));
        let forms = [Form::Terminal, Form::Markdown, Form::Html, Form::Latex];
        let forms =
            forms.into_iter().chain([Form::Json, Form::Csv, Form::Benchstat, Form::Openmetrics, Form::Hdr]);
        assert!(forms.flat_map(marks).all(|mark| !mark.is_of(&parts)));
    }

    #[test]
    fn a_directory_is_refused_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let refused = create(folder.path(), &[], Replace::default()).unwrap_err().to_string();
        assert!(refused.contains("it is a directory"), "{refused}");
        assert!(create(Path::new("/dev/null"), &[], Replace::default()).is_ok());
    }
}
