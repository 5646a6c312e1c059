//! What the guest says on its console: KTAP (Documentation/dev-tools/ktap.rst), as tests of the kernel do, with a line of JSON
//! before each result.

use crate::error::{Error, Result};
use measure::counting::Counted;
use record::PointId;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// How lines of ours begin: for KTAP they are diagnostics.
const OURS: &str = "# oscope ";

/// What the guest says of itself before it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The kernel's release.
    pub release: String,
    /// Its version: number of the build, and the date.
    pub version: String,
    /// Features of the emulated processor, as /proc/cpuinfo lists them.
    pub features: String,
    /// Symbols of the kernel that were passed to the plugin, or why there are none.
    pub symbols: std::result::Result<usize, String>,
}

/// A result of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The point.
    pub id: PointId,
    /// What was counted.
    pub counted: Counted,
}

/// All that a boot said.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Of itself.
    pub greeting: Greeting,
    /// Of the points, in their order; as many as there were in time.
    pub rows: Vec<Row>,
}

/// The lines before the first result.
pub fn greeting(greeting: &Greeting, points: usize) -> String {
    format!("KTAP version 1\n1..{points}\n{OURS}{}\n", serde_json::to_string(greeting).unwrap_or_default())
}

/// The lines of a result.
pub fn row(number: usize, row: &Row) -> String {
    let mut text = format!("{OURS}{}\n", serde_json::to_string(row).unwrap_or_default());
    let name = row.id.to_string().replace('#', "");
    // A `String` takes everything.
    let _ = match &row.counted {
        Counted::Batches { .. } => writeln!(text, "ok {number} {name}"),
        Counted::Skipped(skip) => writeln!(text, "ok {number} {name} # SKIP {}", skip.reason),
        Counted::Failed { reason } => writeln!(text, "not ok {number} {name} # {reason}"),
    };
    text
}

/// Lines of the console that an error quotes.
const QUOTED: usize = 8;

/// Reads a console, on which the kernel says other things too.
///
/// # Errors
/// When the guest did not begin: then the last lines say why.
pub fn read(console: &str) -> Result<Said> {
    let mut ours = console.lines().filter_map(|line| {
        // The kernel may have begun the line.
        Some(line.split_once(OURS)?.1.trim_end())
    });
    let greeting = ours.next().and_then(|line| serde_json::from_str(line).ok());
    let Some(greeting) = greeting else { return Err(Error(why_not_started(console))) };
    Ok(Said { greeting, rows: ours.filter_map(|line| serde_json::from_str(line).ok()).collect() })
}

/// What a kernel writes where it ends.
const ENDS: [&str; 3] = ["Kernel panic", "BUG:", "Oops:"];

/// Why oscope did not begin: the lines in which the kernel says so, or else the last ones.
fn why_not_started(console: &str) -> String {
    let lines: Vec<String> = console
        .lines()
        .map(|line| line.trim().chars().filter(|letter| !letter.is_control()).collect::<String>())
        .filter(|line| !line.is_empty())
        .collect();
    let is_end = |line: &&String| ENDS.iter().any(|end| line.contains(end));
    let ends: Vec<&str> = lines.iter().filter(is_end).take(QUOTED).map(String::as_str).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(QUOTED)).map(String::as_str);
    match (ends.is_empty(), lines.is_empty()) {
        (false, _) => format!("the kernel did not start oscope: {}", ends.join("; ")),
        (true, true) => "the kernel did not start oscope; its console is empty".to_owned(),
        (true, false) => {
            let last = last.collect::<Vec<_>>().join("; ");
            format!("the kernel did not start oscope; the last lines of its console: {last}")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use measure::counting::CountedSeries;
    use record::{Role, Skip};

    fn rows() -> Vec<Row> {
        let series = CountedSeries { role: Role::Main, n: 8, pairs: vec![[10, 40]], is_of_parts: false };
        let counted = [
            Counted::Batches { series: vec![series], switches: 0.5 },
            Counted::Skipped(Skip { reason: "no device".into(), remedy: String::new() }),
            Counted::Failed { reason: "3 of 4 iterations".into() },
        ];
        let rows = counted.into_iter().map(|counted| Row { id: PointId::new("syscall.stat", ""), counted });
        rows.collect()
    }

    #[test]
    fn console_is_ktap_and_reads_back_between_lines_of_the_kernel() {
        let [release, version, features] = ["6.1", "#1", "fpu"].map(str::to_owned);
        let says = Greeting { release, version, features, symbols: Err("denied".into()) };
        let mut console = format!("SeaBIOS\r\n{}", greeting(&says, 3).replace('\n', "\r\n"));
        for (number, one) in (1..).zip(&rows()) {
            console += "[    1.0] random: crng init done\r\n";
            console += &row(number, one);
        }
        assert_eq!(read(&console).unwrap(), Said { greeting: says, rows: rows() });
        let results: Vec<&str> = console.lines().filter(|line| line.contains("ok ")).collect();
        assert_eq!(
            results,
            [
                "ok 1 syscall.stat",
                "ok 2 syscall.stat # SKIP no device",
                "not ok 3 syscall.stat # 3 of 4 iterations"
            ]
        );
    }

    #[test]
    fn kernel_that_does_not_start_oscope_is_quoted() {
        let quoted = |console: &str| read(console).unwrap_err().to_string();
        let error = quoted("\x1b[0mBooting\r\nKernel panic - not syncing: No init\r\nCall Trace:\r\n");
        assert!(error.ends_with("oscope: Kernel panic - not syncing: No init"), "{error}");
        assert!(quoted("\x1b[0mBooting\r\n\r\n").ends_with("console: [0mBooting"));
        assert!(quoted("").contains("empty"));
    }
}
