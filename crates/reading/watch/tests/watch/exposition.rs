//! The exposition in Prometheus' text format.

use crate::scene::{Machine, Plant, watched};
use serde_json::Value;
use std::collections::BTreeSet;
use watch::{Conditions, Reason, exposition};

#[test]
fn histograms_are_cumulative_and_every_sample_has_a_type() {
    let (watch, _) = watched(&mut Machine::new(9), 600.0);
    let text = exposition(&watch, &[("kernel", "6.1 \"x\"".to_owned())]);
    assert!(text.contains("kernel=\"6.1 \\\"x\\\"\"") && text.ends_with('\n'));
    let types: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let mut last = 0.0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = (line.split(['{', ' ']).next().unwrap(), line.rsplit(' ').next().unwrap());
        assert!(types.iter().any(|known| name.starts_with(known)), "{line}");
        let value: f64 = value.parse().unwrap();
        if name.ends_with("_bucket") {
            assert!(value >= last || line.contains("le=\"0.000000001\""), "{line}");
            last = value;
        }
    }
}

#[test]
fn verdict_is_that_of_the_newest_trial_and_no_age_is_negative() {
    let mut machine = Machine::new(9);
    machine.full_from_s = Some(300.0);
    let (mut watch, _) = watched(&mut machine, 600.0);
    // A reading that ended after the clock was read.
    watch.now.boot_ns -= 400_000_000_000;
    let text = exposition(&watch, &[]);
    let verdict = |operation: &str| {
        let start = format!("oscope_watch_verdict_info{{operation=\"{operation}\"");
        let line = text.lines().find(|line| line.starts_with(&start)).unwrap();
        line.split("verdict=\"").nth(1).unwrap().to_owned()
    };
    assert_eq!([verdict("fsync"), verdict("system call")], ["failed\"} 1", "measured\"} 1"]);
    let ages = text.lines().filter(|line| line.starts_with("oscope_watch_age_seconds{"));
    assert!(ages.clone().count() == 8 && ages.clone().any(|line| line.ends_with(" 0")), "{text}");
    assert!(ages.clone().all(|line| !line.contains("} -")), "{text}");
    assert!(
        text.contains("\noscope_watch_written_bytes_total ")
            && text.contains("\noscope_watch_wakeups_total ")
    );
}

/// A file of the repository.
fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The metrics that a text names; a name that ends with `_` is the prefix of all.
fn metrics(text: &str) -> Vec<String> {
    let names = text.match_indices("oscope_watch_").map(|(at, _)| {
        text[at..]
            .chars()
            .take_while(|letter| letter.is_ascii_lowercase() || "_9".contains(*letter))
            .collect()
    });
    names.filter(|name: &String| !name.ends_with('_')).collect()
}

#[test]
fn dashboard_alerts_and_documents_name_metrics_that_are_exported() {
    let mut machine = Machine::new(9);
    let conditions = Conditions { pressure: [Some(0.1); 3], ..Conditions::default() };
    machine.plants.push(Plant { from_s: 0.0, to_s: 600.0, conditions, factors: Vec::new() });
    let (watch, _) = watched(&mut machine, 600.0);
    let text = exposition(&watch, &[("kernel", "6.1".to_owned())]);
    let exported: BTreeSet<&str> = text.lines().filter_map(|line| line.split(['{', ' ']).next()).collect();
    for path in ["contrib/watch/grafana-dashboard.json", "contrib/watch/alerts.yaml", "docs/WATCH.md"] {
        let named = metrics(&file(path));
        assert!(named.len() > 5, "{path}");
        // A histogram is documented by its name, and queried by its buckets.
        let is_exported = |name: &str| {
            exported.contains(name) || path.ends_with(".md") && exported.contains(&*format!("{name}_bucket"))
        };
        assert!(named.iter().all(|name| is_exported(name)), "{path}: {named:?}\n{exported:?}");
    }
    let documented = metrics(&file("docs/WATCH.md"));
    let suffixes = ["_bucket", "_sum", "_count"];
    for name in exported.iter().filter(|name| name.starts_with("oscope")) {
        let family = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
        assert!(documented.iter().any(|known| known == family || known == name), "{name}");
    }
}

#[test]
fn dashboard_is_complete() {
    let dashboard: Value = serde_json::from_str(&file("contrib/watch/grafana-dashboard.json")).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let variables: Vec<&str> = variables.iter().map(|variable| variable["name"].as_str().unwrap()).collect();
    assert_eq!(variables, ["datasource", "instance"]);
    let mut places = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(panel["title"].as_str().is_some_and(|title| !title.is_empty()), "{panel}");
        let place = ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap());
        assert!(place[0] + place[2] <= 24 && places.insert((place[0], place[1])), "{panel}");
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            assert!(query.contains("{instance=~\"$instance\"}"), "{query}");
            assert_eq!(target["datasource"]["uid"], "${datasource}");
        }
    }
}

#[test]
fn alerts_name_reasons_that_exist() {
    let alerts = file("contrib/watch/alerts.yaml");
    let quoted = alerts.split("reason=").skip(1).map(|rest| rest.split('"').nth(1).unwrap());
    let reasons: Vec<&str> = quoted.flat_map(|reasons| reasons.split('|')).collect();
    assert!(reasons.len() > 3);
    assert!(
        reasons.iter().all(|reason| Reason::ALL.iter().any(|known| known.word() == *reason)),
        "{reasons:?}"
    );
}
