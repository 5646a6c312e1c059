//! The profile for the Phoronix Test Suite: it installs, measures what its menu names, and its result is found.

use crate::{oscope, outcome, text};
use programs::command;
use serde_json::Value;
use std::fs;
use std::path::Path;

const PROFILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/phoronix/oscope");

/// Reads both definitions: the menu, and of each parser the texts by the names of their elements.
const READ: &str = "import json, sys, xml.etree.ElementTree as tree
test, results = [tree.parse(f'{sys.argv[1]}/{name}-definition.xml').getroot() for name in ('test', 'results')]
entries = [entry.find('Value').text for entry in test.iter('Entry')]
parsers = [{part.tag: part.text for part in parser} for parser in results.iter('ResultsParser')]
print(json.dumps({'executable': test.find('TestInformation/Executable').text, 'entries': entries, 'parsers': parsers}))";

/// What the suite finds in a log: in the last line with the hint, the word that stands where the template has the key.
fn result(parser: &Value, log: &str) -> Option<f64> {
    let of = |name: &str| parser[name].as_str();
    let place = of("OutputTemplate")?.split_whitespace().position(|word| word == "#_RESULT_#")?;
    assert!(
        of("OutputTemplate")?.contains(of("LineHint")?),
        "a hint that is not in the template is not used"
    );
    let line = log.lines().rfind(|line| line.contains(of("LineHint").unwrap_or_default()))?;
    let found: f64 = line.split_whitespace().nth(place)?.parse().ok()?;
    Some(found / of("DivideResultBy").map_or(1.0, |by| by.parse().unwrap()))
}

#[test]
fn profile_measures_the_points_of_its_menu_and_its_result_is_found() {
    if !programs::can("Debian's Python (package python3)", Path::new(programs::PYTHON).is_file()) {
        return;
    }
    let read = command(programs::PYTHON).args(["-c", READ, PROFILE]).output().unwrap();
    let profile: Value =
        serde_json::from_str(&text(&read.stdout)).unwrap_or_else(|_| panic!("{}", text(&read.stderr)));
    let home = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_oscope")).parent().unwrap();
    let paths = format!("{}:{}", program.display(), programs::links().display());
    let run = |line: &str| {
        let mut shell = command("sh");
        shell.args(["-c", line]).current_dir(home.path()).env("HOME", home.path()).env("PATH", &paths);
        shell.env("LOG_FILE", home.path().join("log")).env("OSCOPE_BUDGET", "4s");
        let ended = shell.output().unwrap();
        assert!(ended.status.success(), "{line}: {}", text(&ended.stderr));
    };
    let status = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    run(&format!("sh '{PROFILE}/install.sh'"));
    assert_eq!(status("install-exit-status"), "0\n");
    for entry in profile["entries"].as_array().unwrap() {
        let entry = entry.as_str().unwrap();
        let (_, points, errors) = outcome(oscope(home.path()).args(["run", entry, "--dry-run"]));
        assert!(points.contains("\n1 point"), "{entry}: {points}{errors}");
    }
    let executable = profile["executable"].as_str().unwrap();
    for (point, unit, divisor) in
        [("syscall.getppid method=libc", "ns", 1.0), ("ipc.bandwidth.pipe bytes=64KiB cpu=same", "MB/s", 1e6)]
    {
        assert!(profile["entries"].as_array().unwrap().contains(&point.into()), "{point}");
        let _ = fs::remove_file(home.path().join("log"));
        run(&format!("./{executable} {point}"));
        assert_eq!(status("test-exit-status"), "0\n", "{}", status("log"));
        let record = home.path().join("point.oscope.jsonl");
        let (_, json, _) = outcome(oscope(home.path()).arg("report").arg(&record).args(["--format", "json"]));
        let json: Value = serde_json::from_str(&json).unwrap();
        let typical = json["rows"][0]["estimate"]["typical"].as_f64().unwrap() / divisor;
        let log = status("log");
        let found = profile["parsers"].as_array().unwrap().iter().filter_map(|parser| {
            let value = result(parser, &log)?;
            Some((parser["ResultScale"].as_str().unwrap(), value))
        });
        let found: Vec<(&str, f64)> = found.collect();
        assert_eq!(found.len(), 1, "{log}");
        assert!(found[0].0 == unit && (found[0].1 / typical - 1.0).abs() < 1e-9, "{found:?} {typical}");
    }
}
