//! `oscope fleet kubernetes`: a manifest with one indexed job for each node, whose indices are the repetitions.

use super::launch::{absolute, hosts, run_of};
use crate::Operations;
use crate::arguments::FleetKubernetes;
use crate::exit::{Exit, usage};
use serde_json::{Value, json};
use std::io::Write;

/// The longest name of a job whose pods have it as a label (RFC 1123).
const LONGEST_NAME: usize = 63;

pub fn run(operations: Operations, arguments: &FleetKubernetes) -> anyhow::Result<Exit> {
    run_of(operations, &arguments.launch.measured)?;
    let nodes = hosts(&arguments.nodes)?;
    let jobs: Vec<Value> = nodes.iter().map(|node| job(arguments, node)).collect::<Result<_, _>>()?;
    // JSON is YAML, and needs no rules of its own for quoting.
    let list = json!({"apiVersion": "v1", "kind": "List", "items": jobs});
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string_pretty(&list)?)?;
    Ok(Exit::Success)
}

/// The job of a node.
fn job(arguments: &FleetKubernetes, node: &str) -> anyhow::Result<Value> {
    let launch = &arguments.launch;
    let name = format!("oscope-{node}");
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.".contains(letter);
    if name.len() > LONGEST_NAME || !name.chars().all(is_plain) || name.ends_with(['-', '.']) {
        return Err(usage(format!(
            "'{node}' cannot be part of a job's name: at most {} small letters, digits, '-' and '.'",
            LONGEST_NAME - "oscope-".len()
        )));
    }
    let shared = absolute(&launch.shared)?;
    let own = ["fleet", "node", "--shared", shared.as_str()];
    // A dollar before a parenthesis would name a variable.
    let words = own.into_iter().chain(launch.measured.words());
    let words: Vec<String> = words.map(|word| word.replace("$(", "$$(")).collect();
    let here = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    let environment = json!([
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "JOB_NAME", "value": name},
    ]);
    let pod = json!({
        "restartPolicy": "OnFailure",
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": here}}},
        "containers": [{
            "name": "oscope",
            "image": arguments.image,
            "args": words,
            "env": environment,
            "volumeMounts": [{"name": "records", "mountPath": shared}],
        }],
        "volumes": [{"name": "records", "persistentVolumeClaim": {"claimName": arguments.claim}}],
    });
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {"app": "oscope"}},
        "spec": {
            "completionMode": "Indexed",
            "completions": launch.repeats,
            "parallelism": 1,
            "template": {"metadata": {"labels": {"app": "oscope"}}, "spec": pod},
        },
    }))
}
