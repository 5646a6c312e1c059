//! Precision and recall of the rules on the five reports: a finding is confirmed by the codes in the reports' rows or, where
//! they have another, by reading the report.
//!
//! The codes are in a column that the linter does not read.

use lint::Finding;
use std::collections::BTreeMap;

/// Findings that the codes of the rows do not confirm, judged by reading the reports: rule, beginning of the subject,
/// whether it is true, and why.
const JUDGED: &[(&str, &str, bool, &str)] = &[
    (
        "trials_differ",
        "R0 call.procedure arguments=2",
        true,
        "ten trials of one call from 0.96 to 6.57 cycles, in clusters",
    ),
    (
        "outlier",
        "R0 network.connection.close path=loopback",
        false,
        "the largest is far out, but nothing shows that it moves the mean by much",
    ),
    (
        "outlier",
        "R0 network.round_trip.tcp bytes=64B path=remote",
        false,
        "without the largest of 100 runs the mean is 3 % less",
    ),
    (
        "faster_than_hardware",
        "R0 memory.latency.chunk level=L1",
        false,
        "ticks of 2.7 GHz, in a core that runs at up to 3.1 GHz",
    ),
    ("harness_cost", "R1 call.procedure arguments=0", true, "the loop of 2.44 ns is probably in the 2.9 ns"),
    (
        "faster_than_hardware",
        "R1 memory.bandwidth",
        true,
        "0.8 GB/s of software overhead were added to 12 GB/s of hardware",
    ),
    (
        "faster_than_hardware",
        "R2 memory.bandwidth.unrolled",
        true,
        "4000 MB/s of overhead were added to 8000 MB/s of hardware",
    ),
    (
        "faster_than_hardware",
        "R1 fault.file.major",
        true,
        "1 us where the disk was said to need 240: probably minor faults",
    ),
    (
        "trials_differ",
        "R0 process.create.fork.parent",
        true,
        "trials of one fork from 239327 to 1.48E+06 cycles: the report says so, and guesses the causes",
    ),
    (
        "cheaper_than_parts",
        "R3 network.bandwidth.tcp path=remote",
        true,
        "the labels of loopback and remote are exchanged in the summary",
    ),
    (
        "faster_than_hardware",
        "R3 network.bandwidth.tcp path=remote",
        true,
        "2.7 GB/s over a link of 1 Gbit/s: the labels are exchanged",
    ),
];

/// The least number of true findings, and the largest share of false ones.
const LEAST_TRUE: usize = 40;
const MOST_FALSE: f64 = 0.05;

/// Codes of the rows, by their line.
fn codes() -> BTreeMap<u64, String> {
    let mut reader = csv::Reader::from_reader(reference::RESULTS.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "suspect").unwrap();
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| (row.position().unwrap().line(), row.get(column).unwrap().to_owned())).collect()
}

fn findings(machines: bool) -> Vec<Finding> {
    let machines = if machines { lint::machines(reference::MACHINES).unwrap() } else { Vec::new() };
    lint::lint(&lint::read(reference::RESULTS, machines).unwrap())
}

/// Whether the rows of a finding carry its code.
fn confirmed(finding: &Finding, codes: &BTreeMap<u64, String>) -> bool {
    finding.lines.iter().any(|line| codes.get(line).is_some_and(|codes| codes.contains(finding.code)))
}

fn judged(finding: &Finding) -> Option<bool> {
    let found = JUDGED
        .iter()
        .find(|(rule, subject, _, _)| *rule == finding.rule && finding.subject.starts_with(subject));
    found.map(|(_, _, truth, _)| *truth)
}

#[test]
fn at_least_40_findings_are_true_with_95_percent_precision() {
    let codes = codes();
    for machines in [true, false] {
        let findings = findings(machines);
        let by_code = findings.iter().filter(|finding| confirmed(finding, &codes)).count();
        let wrong: Vec<&Finding> = findings
            .iter()
            .filter(|finding| {
                !confirmed(finding, &codes)
                    && !judged(finding).unwrap_or_else(|| panic!("not judged {finding:?}"))
            })
            .collect();
        let right = findings.len() - wrong.len();
        println!(
            "with{} machines: {} findings, {by_code} confirmed by the rows' codes, {} by reading, {} false: \
             precision {:.3}",
            if machines { "" } else { "out" },
            findings.len(),
            right - by_code,
            wrong.len(),
            right as f64 / findings.len() as f64
        );
        assert!(right >= LEAST_TRUE);
        assert!(wrong.len() as f64 <= MOST_FALSE * findings.len() as f64, "{wrong:?}");
        // Even if only the codes counted.
        assert!((findings.len() - by_code) as f64 <= 2.0 * MOST_FALSE * findings.len() as f64);
    }
}

#[test]
fn recall_by_code_reaches_its_minimum() {
    let (codes, findings) = (codes(), findings(true));
    let mut by_code: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (line, row) in &codes {
        for code in row.split_whitespace() {
            let (all, found) = by_code.entry(code).or_default();
            *all += 1;
            let hit = |finding: &&Finding| finding.code == code && finding.lines.contains(line);
            *found += usize::from(findings.iter().any(|finding| hit(&finding)));
        }
    }
    for (code, (all, found)) in &by_code {
        println!("{code}: {found} of {all} rows");
    }
    // Mistakes that show in figures are mostly found.
    for (code, share) in
        [("E03", 0.1), ("E08", 0.5), ("E24", 0.4), ("E25", 0.3), ("E35", 0.5), ("E36", 1.0), ("E40", 0.9)]
    {
        let (all, found) = by_code.get(code).copied().unwrap();
        assert!(found as f64 >= share * all as f64, "{code}: {found} of {all}");
    }
}

#[test]
fn findings_are_distinct() {
    let mut keys: Vec<(String, String, Vec<u64>)> = findings(true)
        .into_iter()
        .map(|finding| (finding.rule.to_owned(), finding.subject, finding.lines))
        .collect();
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn rows_in_another_order_and_without_the_reports_own_columns_give_the_same_rules() {
    let mut reader = csv::Reader::from_reader(reference::RESULTS.as_bytes());
    let heading = reader.headers().unwrap().clone();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let kept: Vec<usize> =
        (0..heading.len()).rev().filter(|at| !matches!(&heading[*at], "suspect" | "remark")).collect();
    writer.write_record(kept.iter().map(|at| &heading[*at])).unwrap();
    for record in reader.records().map(Result::unwrap) {
        writer.write_record(kept.iter().map(|at| &record[*at])).unwrap();
    }
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    let other = lint::lint(&lint::read(&text, Vec::new()).unwrap());
    assert_eq!(other, findings(false));
}
