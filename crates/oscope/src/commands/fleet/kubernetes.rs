//! `oscope fleet kubernetes`: a manifest with one indexed job for each node, whose indices are the repetitions.

use super::launch::{absolute, hosts, run_of};
use crate::Operations;
use crate::arguments::{FleetKubernetes, Toleration};
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
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(arguments, &name),
        "spec": {
            "completionMode": "Indexed",
            "completions": launch.repeats,
            "parallelism": 1,
            "backoffLimit": MOST_FAILURES,
            "ttlSecondsAfterFinished": arguments.keep.as_secs(),
            "template": {"metadata": {"labels": {"app": "oscope"}}, "spec": pod(arguments, &name, node, &shared, words)},
        },
    }))
}

/// Pods of a job that may fail.
const MOST_FAILURES: u32 = 3;

fn metadata(arguments: &FleetKubernetes, name: &str) -> Value {
    let mut metadata = json!({"name": name, "labels": {"app": "oscope"}});
    if let (Some(namespace), Some(fields)) = (&arguments.namespace, metadata.as_object_mut()) {
        fields.insert("namespace".to_owned(), json!(namespace));
    }
    metadata
}

/// What runs on the node: a pod that a namespace of the restricted security standard admits, unless it is to be root.
fn pod(arguments: &FleetKubernetes, name: &str, node: &str, shared: &str, words: Vec<String>) -> Value {
    let here = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    let environment = json!([
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "JOB_NAME", "value": name},
        {"name": "XDG_STATE_HOME", "value": SCRATCH},
        {"name": "TMPDIR", "value": SCRATCH},
    ]);
    json!({
        "restartPolicy": "OnFailure",
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": here}}},
        "tolerations": arguments.tolerate.iter().map(toleration).collect::<Vec<_>>(),
        "securityContext": {
            "runAsNonRoot": arguments.user != 0,
            "runAsUser": arguments.user,
            "runAsGroup": arguments.user,
            "fsGroup": arguments.user,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [{
            "name": "oscope",
            "image": arguments.image,
            "args": words,
            "env": environment,
            "resources": resources(arguments),
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "readOnlyRootFilesystem": true,
                "capabilities": {"drop": ["ALL"], "add": arguments.capability},
            },
            "volumeMounts": [{"name": "records", "mountPath": shared}, {"name": "scratch", "mountPath": SCRATCH}],
        }],
        "volumes": [
            {"name": "records", "persistentVolumeClaim": {"claimName": arguments.claim}},
            {"name": "scratch", "emptyDir": {}},
        ],
    })
}

/// Where files are measured: a disk of the node.
const SCRATCH: &str = "/tmp";

/// A limit of CPUs is a quota, which throttles; so there is one only where it is wanted.
fn resources(arguments: &FleetKubernetes) -> Value {
    let (cpus, memory) = (arguments.cpus.to_string(), &arguments.memory);
    match arguments.guaranteed {
        true => {
            json!({"requests": {"cpu": cpus, "memory": memory}, "limits": {"cpu": cpus, "memory": memory}})
        }
        false => json!({"requests": {"cpu": cpus, "memory": memory}, "limits": {"memory": memory}}),
    }
}

/// A toleration without a value tolerates any; one without a key, every taint.
fn toleration(of: &Toleration) -> Value {
    let operator = if of.value.is_some() { "Equal" } else { "Exists" };
    let fields = [("key", &of.key), ("value", &of.value), ("effect", &of.effect)];
    let given =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
    Value::Object(given.chain([("operator".to_owned(), json!(operator))]).collect())
}
