//! Findings as SARIF 2.1.0, which code scanning reads.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use lint::Finding;
use reference::mistake_name;
use serde_json::{Value, json};
use std::path::Path;

/// The document: every rule, and a result for each finding with a location for each of its lines.
pub(super) fn document(file: &Path, findings: &[Finding]) -> Value {
    let rules: Vec<Value> = lint::rules()
        .map(|rule| {
            json!({
                "id": rule.id,
                "name": mistake_name(rule.code).unwrap_or(rule.code),
                "shortDescription": { "text": rule.what },
                "fullDescription": { "text": rule.why },
                "help": { "text": format!("A finding is wrong when: {}", rule.wrong_when) },
            })
        })
        .collect();
    let place = |id: &str| rules.iter().position(|rule| rule["id"] == id);
    let uri = file.display().to_string().replace('\\', "/");
    let results = findings.iter().map(|finding| {
        let locations = finding.lines.iter().map(|line| {
            json!({ "physicalLocation": {
                "artifactLocation": { "uri": uri },
                "region": { "startLine": line },
            } })
        });
        json!({
            "ruleId": finding.rule,
            "ruleIndex": place(finding.rule),
            "level": if finding.is_hint() { "note" } else { "warning" },
            "message": { "text": format!("{}: {}", finding.subject, finding.sentence) },
            "locations": locations.collect::<Vec<_>>(),
        })
    });
    let results: Vec<Value> = results.collect();
    let driver = json!({
        "name": "oscope lint",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    })
}
