//! Results in the forms of other programs, as one table: trackers of benchmarks, comparisons, test runners.

mod trace;

use crate::View;
use crate::reasons::reason;
use crate::tables::in_rounds;
use crate::wording::{joined, printable};
use analysis::{Estimate, Interval, Row, Verdict};
use quantity::Quantity;
use record::Trial;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// A form that another program reads.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// What is typed after `--format`.
    pub name: &'static str,
    /// Which program reads it, and what it holds.
    pub about: &'static str,
    write: fn(&View<'_>, &[Trial], &mut dyn Write) -> io::Result<()>,
}

impl PartialEq for Exchange {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Exchange {}

impl Exchange {
    /// Writes a result of these trials in this form.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, view: &View<'_>, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
        (self.write)(view, trials, out)
    }
}

/// All of them.
pub const EXCHANGES: [Exchange; 10] = [
    Exchange {
        name: "bencher",
        about: "Bencher Metric Format: value and interval of each point",
        write: |view, _, out| bencher(view, out),
    },
    Exchange {
        name: "github-smaller",
        about: "github-action-benchmark, customSmallerIsBetter: the times",
        write: |view, _, out| github(view, Quantity::Latency, out),
    },
    Exchange {
        name: "github-bigger",
        about: "github-action-benchmark, customBiggerIsBetter: the bandwidths",
        write: |view, _, out| github(view, Quantity::Bandwidth, out),
    },
    Exchange {
        name: "google-benchmark",
        about: "JSON of google-benchmark, a repetition for each trial, as its compare.py reads it",
        write: |view, _, out| google_benchmark(view, out),
    },
    Exchange {
        name: "hyperfine",
        about: "JSON of hyperfine: the times, a run for each trial",
        write: |view, _, out| hyperfine(view, out),
    },
    Exchange {
        name: "ktap",
        about: "KTAP of the kernel's self-tests: contradicted and failed points are not ok",
        write: |view, _, out| ktap(view, out),
    },
    Exchange {
        name: "junit",
        about: "JUnit XML: a test case for each point",
        write: |view, _, out| junit(view, out),
    },
    Exchange {
        name: "lava",
        about: "a shell script of lava-test-case commands with measurements and units",
        write: |view, _, out| lava(view, out),
    },
    Exchange {
        name: "lkp",
        about: "lines 'point: value' as an LKP parser prints them",
        write: |view, _, out| lkp(view, out),
    },
    Exchange {
        name: "chrome-trace",
        about: "Chrome's trace format, for Perfetto: trials, gaps, shared stretches as tracks",
        write: trace::chrome_trace,
    },
];

/// A point in one word, as programs want it that split at spaces.
fn word(row: &Row) -> String {
    joined(printable(&row.point.id.to_string()).split_whitespace(), "/")
}

fn estimates<'v>(view: &View<'v>) -> impl Iterator<Item = (&'v Row, &'v Estimate)> {
    let rows = view.analysis.rows.iter().filter(|row| row.verdict.has_number());
    rows.filter_map(|row| Some((row, row.estimate.as_ref()?)))
        .filter(|(_, estimate)| estimate.typical.is_finite())
}

/// The medians of the trials of a row, in the order of the rounds.
fn trials(row: &Row) -> Vec<f64> {
    in_rounds(row).map(|(_, trial)| trial.typical).filter(|value| value.is_finite()).collect()
}

fn write_json(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// <https://bencher.dev/docs/reference/bencher-metric-format/>: a measure is called by its quantity and unit; `latency` is
/// Bencher's own, in nanoseconds.
fn bencher(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let benchmarks = estimates(view).map(|(row, estimate)| {
        let measure = match row.quantity() {
            Quantity::Latency => "latency",
            other => other.contract_name(),
        };
        let mut metric = json!({ "value": estimate.typical });
        if let (Some(interval), Some(object)) = (next_or_this(row), metric.as_object_mut()) {
            object.insert("lower_value".to_owned(), interval.low.into());
            object.insert("upper_value".to_owned(), interval.high.into());
        }
        (row.point.id.to_string(), json!({ measure: metric }))
    });
    write_json(&Value::Object(benchmarks.collect::<Map<_, _>>()), out)
}

/// What a program that compares runs needs: the interval of the next run; that of this run where there is none.
fn next_or_this(row: &Row) -> Option<Interval> {
    row.next_run().or(row.estimate.as_ref()?.interval)
}

/// <https://github.com/benchmark-action/github-action-benchmark>: a list of names, units, values and ranges.
fn github(view: &View<'_>, quantity: Quantity, out: &mut dyn Write) -> io::Result<()> {
    let points = estimates(view).filter(|(row, _)| row.quantity() == quantity).map(|(row, estimate)| {
        let half = next_or_this(row).map(|interval| (interval.high - interval.low) / 2.0);
        json!({
            "name": row.point.id.to_string(),
            "unit": row.quantity().contract_unit(),
            "value": estimate.typical,
            "range": half.map_or_else(String::new, |half| format!("± {half}")),
            "extra": format!("{} trials, {}", estimate.trials, row.verdict.word()),
        })
    });
    write_json(&Value::Array(points.collect()), out)
}

/// Nanoseconds of an iteration; of a byte, for a bandwidth.
fn nanoseconds(row: &Row, value: f64) -> Option<f64> {
    match row.quantity() {
        Quantity::Latency => Some(value),
        Quantity::Bandwidth => Some(1e9 / value),
        _ => None,
    }
}

/// <https://github.com/google/benchmark>: one entry for each trial. A bandwidth is the time of a byte, and
/// `bytes_per_second` beside it.
fn google_benchmark(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut benchmarks = Vec::new();
    for (family, (row, _)) in estimates(view).enumerate() {
        let values = trials(row);
        for (repetition, value) in values.iter().enumerate() {
            let Some(time) = nanoseconds(row, *value).filter(|time| time.is_finite()) else { continue };
            let name = word(row);
            let mut entry = json!({
                "name": name,
                "family_index": family,
                "per_family_instance_index": 0,
                "run_name": name,
                "run_type": "iteration",
                "repetitions": values.len(),
                "repetition_index": repetition,
                "threads": 1,
                "iterations": 1,
                "real_time": time,
                "cpu_time": time,
                "time_unit": "ns",
            });
            if let (Quantity::Bandwidth, Some(object)) = (row.quantity(), entry.as_object_mut()) {
                object.insert("bytes_per_second".to_owned(), (*value).into());
            }
            benchmarks.push(entry);
        }
    }
    let mhz = view.analysis.reference_hz.map_or(0, |hz| (hz / 1e6).round() as u64);
    let context = json!({
        "date": view.header.started,
        "host_name": "",
        "executable": format!("oscope {}", view.header.program),
        "num_cpus": view.machine.number("cpus.online").unwrap_or(1.0) as u64,
        "mhz_per_cpu": mhz,
        "cpu_scaling_enabled": false,
        "caches": [],
        "load_avg": [],
        "library_build_type": "release",
        "json_schema_version": 1,
    });
    write_json(&json!({ "context": context, "benchmarks": benchmarks }), out)
}

/// <https://github.com/sharkdp/hyperfine>: seconds; a run for each trial.
fn hyperfine(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let times = estimates(view).filter(|(row, _)| row.quantity() == Quantity::Latency);
    let results = times.filter_map(|(row, estimate)| {
        let statistics = row.trial_statistics()?;
        let seconds = |ns: f64| ns / 1e9;
        let times: Vec<f64> = trials(row).into_iter().map(seconds).collect();
        Some(json!({
            "command": row.point.id.to_string(),
            "mean": seconds(statistics.mean),
            "stddev": statistics.deviation.map(seconds),
            "median": seconds(estimate.typical),
            "user": 0.0,
            "system": 0.0,
            "min": seconds(statistics.minimum),
            "max": seconds(statistics.maximum),
            "exit_codes": vec![0; times.len()],
            "times": times,
        }))
    });
    write_json(&json!({ "results": results.collect::<Vec<_>>() }), out)
}

/// The value of a row with its unit, and its reason, on one line.
fn comment(row: &Row) -> String {
    let value = row.estimate.as_ref().filter(|_| row.verdict.has_number());
    let value = value.map(|estimate| format!("{} {}", estimate.typical, row.quantity().contract_unit()));
    let parts = [Some(row.verdict.word().to_owned()), value, reason(row)];
    joined(printable(&joined(parts.into_iter().flatten(), "; ")).split_whitespace(), " ")
}

/// <https://docs.kernel.org/dev-tools/ktap.html>
fn ktap(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = &view.analysis.rows;
    writeln!(out, "KTAP version 1\n1..{}", rows.len())?;
    for (row, number) in rows.iter().zip(1..) {
        let (name, about) = (word(row), comment(row).replace('#', ""));
        match row.verdict {
            Verdict::Measured | Verdict::Noisy => writeln!(out, "# {name}: {about}\nok {number} {name}")?,
            Verdict::Skipped => writeln!(out, "ok {number} {name} # SKIP {about}")?,
            Verdict::Contradicted | Verdict::Failed => {
                writeln!(out, "# {name}: {about}\nnot ok {number} {name}")?;
            }
        }
    }
    Ok(())
}

/// Text within an element or an attribute of XML.
pub fn xml_escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in printable(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// <https://github.com/testmoapp/junitxml>: a test suite for the run; the time of a case is left at zero, because readers
/// add up how long tests took.
fn junit(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = &view.analysis.rows;
    let count = |verdicts: &[Verdict]| rows.iter().filter(|row| verdicts.contains(&row.verdict)).count();
    let (tests, failures) = (rows.len(), count(&[Verdict::Contradicted]));
    let (errors, skipped) = (count(&[Verdict::Failed]), count(&[Verdict::Skipped]));
    let started = xml_escaped(&view.header.started);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">"
    )?;
    writeln!(
        out,
        "  <testsuite name=\"oscope\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"0\" timestamp=\"{started}\">"
    )?;
    for row in rows {
        let (operation, about) = (xml_escaped(&row.point.id.operation), xml_escaped(&comment(row)));
        let name =
            if row.point.id.point.is_empty() { operation.clone() } else { xml_escaped(&row.point.id.point) };
        write!(out, "    <testcase classname=\"{operation}\" name=\"{name}\" time=\"0\">")?;
        match row.verdict {
            Verdict::Skipped => write!(out, "<skipped message=\"{about}\"/>")?,
            Verdict::Contradicted => write!(out, "<failure message=\"{about}\"/>")?,
            Verdict::Failed => write!(out, "<error message=\"{about}\"/>")?,
            Verdict::Measured | Verdict::Noisy => write!(out, "<system-out>{about}</system-out>")?,
        }
        writeln!(out, "</testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// The name of a row for readers that split names at other signs.
fn dotted(row: &Row) -> String {
    word(row).replace(['/', '='], ".")
}

/// <https://docs.lavasoftware.org/lava/test-repositories.html>: names have no spaces and no quotes. The dispatcher splits what
/// it is sent at each `=` (`handle_testcase` in its `shell.py`), and refuses names with one.
fn lava(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#!/bin/sh")?;
    for row in &view.analysis.rows {
        let result = match row.verdict {
            Verdict::Measured | Verdict::Noisy => "pass",
            Verdict::Skipped => "skip",
            Verdict::Contradicted | Verdict::Failed => "fail",
        };
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' }
        };
        let name: String = dotted(row).chars().map(letter).collect();
        let value = row.estimate.as_ref().filter(|_| row.verdict.has_number());
        let measurement = value.map_or_else(String::new, |estimate| {
            format!(" --measurement {} --units {}", estimate.typical, row.quantity().contract_unit())
        });
        writeln!(out, "lava-test-case {name} --result {result}{measurement}")?;
    }
    Ok(())
}

/// <https://github.com/intel/lkp-tests>: what a program in `programs/*/parse` prints.
fn lkp(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    estimates(view).try_for_each(|(row, estimate)| {
        writeln!(out, "{}.{}: {}", dotted(row), row.quantity().contract_unit(), estimate.typical)
    })
}
