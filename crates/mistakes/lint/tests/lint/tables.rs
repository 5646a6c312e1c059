//! Tables of other tools: other columns, layouts, units, numbers and machines. Nothing may be found in the clean ones, and
//! exactly the planted mistakes in the others.

use std::path::Path;

/// Rules and the lines of their findings, of each table with mistakes.
type Planted = &'static [(&'static str, &'static [u64])];

const CLEAN: &[&str] = &[
    "clean-hosts-wide.csv",
    "clean-trials-wide.csv",
    "clean-tabs.tsv",
    "clean-machines-as-columns.md",
    "clean-predictions.csv",
    "clean-bandwidth.csv",
    "clean-seconds.csv",
    "clean-kernels.csv",
    "clean-hyperfine.csv",
    "clean-students.csv",
    "clean-persistent-memory.csv",
    "clean-slow-card.csv",
    "clean-fast-cores.csv",
    "clean-two-digits.csv",
    "clean-metric-column.csv",
    "clean-devices.csv",
    "clean-times-and-rates.csv",
    "clean-languages.csv",
    "clean-hosts-and-conditions.csv",
    "clean-aggregates.csv",
    "clean-ping.csv",
    "clean-escaped-bars.md",
    "clean-scores.csv",
    "clean-three-digits.csv",
    "clean-units-of-tools.csv",
    "clean-rates.csv",
];

const WRONG: &[(&str, Planted)] = &[
    ("wrong-decimal-commas.csv", &[("no_kernel_entry", &[4])]),
    (
        "wrong-hosts-wide.csv",
        &[
            ("no_kernel_entry", &[2]),
            ("cheaper_than_parts", &[3]),
            ("levels", &[4]),
            ("negative_duration", &[5]),
        ],
    ),
    (
        "wrong-trials-wide.csv",
        &[
            ("deviation_kind", &[2]),
            ("outlier", &[3]),
            ("quantised", &[4]),
            ("warm_up", &[5]),
            ("picked_trial", &[6]),
        ],
    ),
    (
        "wrong-tabs.tsv",
        &[
            ("too_few", &[3]),
            ("wide_deviation", &[4]),
            ("faster_than_storage", &[6]),
            ("unoptimised", &[7]),
            ("cheaper_than_parts", &[8, 9]),
        ],
    ),
    (
        "wrong-machines-as-columns.md",
        &[
            ("no_kernel_entry", &[3]),
            ("below_a_cycle", &[4]),
            ("levels", &[5, 6]),
            ("cheaper_than_parts", &[3, 7]),
        ],
    ),
    (
        "wrong-predictions.csv",
        &[
            ("prediction_equals_result", &[2]),
            ("sums", &[2]),
            ("below_a_cycle", &[3]),
            ("sums", &[4]),
            ("wide_deviation", &[5]),
            ("clamped_zero", &[6]),
            ("conflicting_values", &[6, 7]),
        ],
    ),
    (
        "wrong-bandwidth.csv",
        &[
            ("impossible_summary", &[2]),
            ("conflicting_values", &[2, 7]),
            ("impossible_summary", &[3]),
            ("unit_slip", &[4, 5]),
            ("cheaper_than_parts", &[4, 6]),
        ],
    ),
    (
        "wrong-old-desktop.csv",
        &[
            ("unit_slip", &[94, 108]),
            ("faster_than_hardware", &[101]),
            ("cheaper_than_parts", &[103, 104]),
            ("faster_than_hardware", &[106]),
            ("negative_duration", &[107]),
        ],
    ),
    (
        "wrong-small-board.csv",
        &[
            ("quantised", &[13, 14, 15, 16, 17, 18, 19, 20, 21, 22]),
            ("removed_work", &[80, 82]),
            ("removed_work", &[80, 83]),
            ("slower_than_latency", &[87]),
            ("conflicting_values", &[96, 97]),
        ],
    ),
    (
        "wrong-summaries.csv",
        &[
            ("conflicting_values", &[11, 46]),
            ("prediction_equals_result", &[12, 45]),
            ("faster_than_hardware", &[14]),
            ("deviation_kind", &[33]),
        ],
    ),
    (
        "wrong-virtual-machine.csv",
        &[
            ("deviation_kind", &[12, 23, 34, 45, 56, 67, 78, 89, 100]),
            ("clamped_zero", &[92, 95, 98]),
            ("too_few", &[101]),
            ("residual", &[104, 105, 106]),
            ("sums", &[105]),
            ("sums", &[106]),
            ("too_small", &[110]),
        ],
    ),
    (
        "wrong-student-report.csv",
        &[
            ("quantised", &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
            ("derived", &[56, 67, 68]),
            ("wide_deviation", &[69]),
            ("conflicting_values", &[70, 87]),
            ("cheaper_than_parts", &[77, 82]),
            ("answered_by_cache", &[85]),
            ("faster_than_hardware", &[86]),
        ],
    ),
    (
        "wrong-lmbench.csv",
        &[("no_kernel_entry", &[6]), ("cheaper_than_parts", &[7]), ("cheaper_than_parts", &[7])],
    ),
    ("wrong-medians.csv", &[("impossible_summary", &[5]), ("impossible_summary", &[7])]),
    ("wrong-rates.csv", &[("reciprocal", &[2]), ("no_kernel_entry", &[4]), ("reciprocal", &[6])]),
    ("wrong-decimal-trials.csv", &[("mean_of_trials", &[4]), ("deviation_kind", &[6])]),
    (
        "wrong-units-behind-names.tsv",
        &[("levels", &[7, 8]), ("cheaper_than_parts", &[11, 12]), ("faster_than_storage", &[12])],
    ),
    (
        "wrong-quantiles.csv",
        &[("impossible_summary", &[4]), ("impossible_summary", &[7]), ("clamped_zero", &[9])],
    ),
    ("wrong-two-tables.md", &[("reciprocal", &[9])]),
    ("wrong-thousands.csv", &[("cheaper_than_parts", &[3])]),
    ("wrong-link.csv", &[("faster_than_hardware", &[2])]),
    (
        "wrong-no-measurement.csv",
        &[("infinite", &[2]), ("faster_than_any_machine", &[2]), ("infinite", &[3])],
    ),
    ("wrong-any-name.csv", &[("faster_than_any_machine", &[2])]),
    (
        "wrong-hierarchy.csv",
        &[
            ("below_a_cycle", &[2]),
            ("levels", &[3, 4]),
            ("faster_than_storage", &[5]),
            ("faster_than_any_machine", &[6]),
            ("negative_duration", &[7]),
        ],
    ),
    ("wrong-repetitions.csv", &[("trials_differ", &[2, 3, 4, 5, 6])]),
];

fn found(name: &str) -> Vec<(&'static str, Vec<u64>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name);
    // Facts about the machines are in a file beside some tables.
    let machines = std::fs::read_to_string(path.with_extension("machines.csv"));
    let machines = machines.map_or_else(|_| Vec::new(), |text| lint::machines(&text).unwrap());
    let table = lint::read(&std::fs::read_to_string(path).unwrap(), machines).unwrap();
    let findings = lint::lint(&table);
    for finding in &findings {
        println!("{name} {}: {}: {}", finding.rule, finding.subject, finding.sentence);
    }
    findings.into_iter().map(|finding| (finding.rule, finding.lines)).collect()
}

#[test]
fn clean_tables_have_no_findings() {
    for name in CLEAN {
        assert_eq!(found(name), [], "{name}");
    }
}

#[test]
fn exactly_the_planted_mistakes_are_found() {
    for (name, planted) in WRONG {
        let mut expected: Vec<(&str, Vec<u64>)> =
            planted.iter().map(|(rule, lines)| (*rule, lines.to_vec())).collect();
        let mut got = found(name);
        expected.sort();
        got.sort();
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (text, reason) in [
        ("", "nothing"),
        ("\n\n", "nothing"),
        ("PK\u{3}\u{4}\0\0\u{8}", "spreadsheet"),
        ("{\"rows\": [1, 2, 3]}", "nothing can be checked"),
        ("<html><body><p>moved, permanently</p></body></html>", "nothing can be checked"),
        ("1,2,3\n4,5,6\n", "nothing can be checked"),
        ("operation,mean\n", "no rows"),
        ("operation,mean\nx,fast\ny,slow\n", "no cell"),
        ("just a sentence without any table in it", "nothing can be checked"),
    ] {
        let refused = lint::read(text, Vec::new()).unwrap_err().to_string();
        assert!(refused.contains(reason), "{text}: {refused}");
        assert!(refused.len() < 500, "{refused}");
    }
}

#[test]
fn random_files_do_not_panic() {
    let pieces = [
        "operation",
        "measured",
        "unit",
        ",",
        ",",
        ";",
        "\t",
        "|",
        "\n",
        "\n",
        "\"",
        "1e308",
        "-1e308",
        "NaN",
        "0",
        "12 us",
        "±",
        "1,234.5",
        "µ",
        "trial=1",
        "run1",
        "run2",
        "run3",
        "null call",
        "ns",
        "%",
        "#",
        "é",
        "1e-320",
        "99999999999999999999",
        "level=L1",
        "size=0",
        "log2 KB",
        "cycles",
        "±3 %",
        " ",
    ];
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..3000 {
        let heading = ["operation,measured,unit,parameter\n", "id;Mean (ns);std dev\n", "host,a,b,c\n", ""];
        let mut text = heading[random.usize(..heading.len())].to_owned();
        for _ in 0..random.usize(..60) {
            text += pieces[random.usize(..pieces.len())];
        }
        if let Ok(table) = lint::read(&text, Vec::new()) {
            lint::lint(&table);
        }
    }
}

/// The reports' table with other names, semicolons, decimal commas, units in the cells and columns reversed: the findings
/// are the same.
#[test]
fn same_figures_in_another_form_have_the_same_findings() {
    let mut reader = csv::Reader::from_reader(reference::RESULTS.as_bytes());
    let heading = reader.headers().unwrap().clone();
    let renamed = |name: &str| match name {
        "operation" => "Benchmark".to_owned(),
        "measured" => "Mean".to_owned(),
        "deviation" => "Std Dev".to_owned(),
        "parameter" => "Params".to_owned(),
        "unit_published" => "Unit".to_owned(),
        "base_hardware" => "Hardware".to_owned(),
        other => other.to_owned(),
    };
    let kept: Vec<usize> =
        (0..heading.len()).rev().filter(|at| !matches!(&heading[*at], "suspect" | "remark")).collect();
    let mut writer = csv::WriterBuilder::new().delimiter(b';').from_writer(Vec::new());
    writer.write_record(kept.iter().map(|at| renamed(&heading[*at]))).unwrap();
    for record in reader.records().map(Result::unwrap) {
        let cells = kept.iter().map(|at| {
            let cell = &record[*at];
            let is_figure = !matches!(&heading[*at], "report" | "section" | "operation" | "parameter");
            if is_figure { cell.replace('.', ",") } else { cell.to_owned() }
        });
        writer.write_record(cells).unwrap();
    }
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    let plain = lint::lint(&lint::read(reference::RESULTS, Vec::new()).unwrap());
    let reformatted = lint::lint(&lint::read(&text, Vec::new()).unwrap());
    assert_eq!(reformatted, plain);
}
