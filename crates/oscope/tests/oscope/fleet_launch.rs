//! Launching over ssh and by Kubernetes: what the scripts do, and whether manifests are what the API demands.

use crate::{oscope, outcome, text};
use record::Record;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn launch(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let mut command = oscope(&folder.join("state"));
    outcome(command.current_dir(folder).arg("fleet").args(words))
}

/// Something that is called as ssh is, and has a directory for each host, or one for all.
const NOT_SSH: &str = "#!/bin/sh
host=$1
shift
[ \"$host\" != root@gone ] || exit 255
home=$HOSTS/${ONE_HOME:-$host}
mkdir -p \"$home\"
cd \"$home\" && exec sh -c \"$*\"
";

/// A shell that runs the script of a launch, with what stands for ssh.
fn shell(folder: &Path, script: &str) -> std::process::Command {
    let at = |name: &str| folder.join(name);
    fs::write(at("script"), script).unwrap();
    fs::write(at("not-ssh"), NOT_SSH).unwrap();
    fs::set_permissions(at("not-ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut shell = programs::command("sh");
    shell.arg(at("script"));
    shell.env("OSCOPE_SSH", at("not-ssh")).env("HOSTS", at("hosts.d")).env("XDG_STATE_HOME", at("state"));
    shell
}

#[test]
fn ssh_script_measures_hosts_that_share_a_home_directory_and_deletes_only_what_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("hosts"), "n1\nn2\nn3\nn4\n").unwrap();
    let words = ["ssh", "hosts", "--shared", "records", "syscall.getppid method=raw", "--", "--rounds", "2"];
    let (code, script, errors) = launch(folder.path(), &words);
    assert_eq!(code, 0, "{errors}");
    let theirs = at("hosts.d/home/.oscope-fleet-n2/program.of-another-run");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, "").unwrap();
    let output = shell(folder.path(), &script).env("ONE_HOME", "home").output().unwrap();
    let errors = text(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    for name in ["n1", "n2", "n3", "n4"] {
        let record = Record::read(&at("records").join(format!("{name}.oscope.jsonl")));
        assert!(record.unwrap().end.is_some(), "{name}");
    }
    let left = |folder: &str| fs::read_dir(at(folder)).unwrap().count();
    assert_eq!((left("hosts.d/home"), left("hosts.d/home/.oscope-fleet-n2")), (1, 1));
    assert!(theirs.exists());
}

#[test]
fn ssh_gives_up_a_host_that_does_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hosts"), "n1\n").unwrap();
    for (option, seconds) in
        [(&[][..], 10), (&["--connect-timeout", "2m"], 120), (&["--connect-timeout", "1ms"], 1)]
    {
        let words = [&["ssh", "hosts", "--shared", "d", "syscall"], option].concat();
        let (code, script, errors) = launch(folder.path(), &words);
        let wanted = format!("ssh -o BatchMode=yes -o ConnectTimeout={seconds} -o ServerAliveInterval=");
        assert!(code == 0 && script.contains(&wanted), "{errors}{script}");
    }
}

#[test]
fn ssh_script_brings_the_record_of_each_host_and_names_those_that_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("hosts"), "n1\nroot@n2  # the second\n\nroot@gone\n").unwrap();
    let selection = ["syscall.getppid method=raw", "--", "--rounds", "1"];
    let words = [&["ssh", "hosts", "--shared", "it's here", "--repeats", "2"], &selection[..]].concat();
    let (code, script, errors) = launch(folder.path(), &words);
    assert_eq!(code, 0, "{errors}");
    let run = || shell(folder.path(), &script).output().unwrap();
    let output = run();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let missing: Vec<&str> = errors.lines().filter(|line| line.starts_with("missing")).collect();
    assert_eq!(missing, ["missing: gone.oscope.jsonl", "missing: gone.2.oscope.jsonl"], "{errors}");
    for name in ["n1", "n1.2", "n2", "n2.2"] {
        let record = Record::read(&at("it's here").join(format!("{name}.oscope.jsonl")));
        assert!(record.unwrap().end.is_some(), "{name}");
    }
    for host in ["n1", "root@n2"] {
        let left = fs::read_dir(at("hosts.d").join(host)).unwrap().count();
        assert_eq!(left, 0, "something is left on {host}");
    }
    let path = at("it's here").join("n1.oscope.jsonl");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    run();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn host_files_with_unusable_lines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (lines, said) in [
        ("", "no hosts"),
        ("# none\n", "no hosts"),
        ("n1\nroot@n1\n", "root@n1 is listed twice"),
        ("n1\n$(reboot)\n", "cannot be the name of a node"),
        ("-oProxyCommand=x\n", "cannot be the name of a node"),
    ] {
        fs::write(folder.path().join("hosts"), lines).unwrap();
        let (code, _, errors) = launch(folder.path(), &["ssh", "hosts", "--shared", "d"]);
        assert!(code == 2 && errors.contains(said), "{lines:?}: {errors}");
    }
}

fn names(value: &Value) -> Vec<&str> {
    value.as_object().map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn kubernetes_manifest_is_as_the_api_demands() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nodes"), "node/worker-1\nworker-2.example.org\n").unwrap();
    let words = [
        "kubernetes",
        "nodes",
        "--shared",
        "/records",
        "--repeats",
        "3",
        "--image",
        "registry/oscope:1",
        "--claim",
        "fleet",
        "syscall",
        "--",
        "--profile",
        "quick",
    ];
    let (code, manifest, errors) = launch(folder.path(), &words);
    assert_eq!(code, 0, "{errors}");
    let list: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&list["apiVersion"], &list["kind"]), (&"v1".into(), &"List".into()));
    let jobs = list["items"].as_array().unwrap();
    assert_eq!(jobs.len(), 2);
    for (job, node) in jobs.iter().zip(["worker-1", "worker-2.example.org"]) {
        assert_eq!((&job["apiVersion"], &job["kind"]), (&"batch/v1".into(), &"Job".into()));
        assert_eq!(job["metadata"]["name"], format!("oscope-{node}"));
        let spec = &job["spec"];
        let fields = ["backoffLimit", "completionMode", "completions", "parallelism", "template"];
        assert_eq!(names(spec), [&fields[..], &["ttlSecondsAfterFinished"]].concat());
        assert_eq!(
            (&spec["ttlSecondsAfterFinished"], &job["metadata"]["namespace"]),
            (&86400.into(), &Value::Null)
        );
        assert_eq!(spec["completionMode"], "Indexed");
        assert_eq!((&spec["completions"], &spec["parallelism"]), (&3.into(), &1.into()));
        let pod = &spec["template"]["spec"];
        // A job's pods may restart so or never (batch/v1, PodTemplateSpec).
        assert_eq!(pod["restartPolicy"], "OnFailure");
        let terms = &pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        let field = &terms["nodeSelectorTerms"][0]["matchFields"][0];
        assert_eq!((&field["key"], &field["operator"]), (&"metadata.name".into(), &"In".into()));
        assert_eq!(field["values"], serde_json::json!([node]));
        assert_eq!(pod["tolerations"], serde_json::json!([]));
        let container = &pod["containers"][0];
        // The pods of a namespace of the restricted security standard.
        for field in ["runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup"] {
            let wanted: Value = if field == "runAsNonRoot" { true.into() } else { 65532.into() };
            assert_eq!(pod["securityContext"][field], wanted, "{field}");
        }
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        let own = serde_json::json!({
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"], "add": []},
        });
        assert_eq!(container["securityContext"], own);
        let resources =
            serde_json::json!({"requests": {"cpu": "2", "memory": "2Gi"}, "limits": {"memory": "2Gi"}});
        assert_eq!(container["resources"], resources);
        // What is written on a root that cannot be written goes into a volume.
        assert_eq!(
            (&container["volumeMounts"][1]["mountPath"], &pod["volumes"][1]["emptyDir"]),
            (&"/tmp".into(), &serde_json::json!({}))
        );
        assert_eq!(container["image"], "registry/oscope:1");
        assert_eq!(container["env"][0]["valueFrom"]["fieldRef"]["fieldPath"], "spec.nodeName");
        let arguments = ["fleet", "node", "--shared", "/records", "syscall", "--", "--profile", "quick"];
        assert_eq!(container["args"], serde_json::json!(arguments));
        assert_eq!(container["volumeMounts"][0]["name"], pod["volumes"][0]["name"]);
        assert_eq!(pod["volumes"][0]["persistentVolumeClaim"]["claimName"], "fleet");
    }
    fs::write(folder.path().join("nodes"), "Worker_1\n").unwrap();
    let (code, _, errors) = launch(folder.path(), &words);
    assert!(code == 2 && errors.contains("cannot be part of a job's name"), "{errors}");
}

#[test]
fn kubernetes_manifest_has_what_the_user_chose() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nodes"), "worker-1\n").unwrap();
    let needed = ["kubernetes", "nodes", "--shared", "/r", "--image", "i", "--claim", "c", "syscall"];
    let manifest = |more: &[&str]| {
        let (code, manifest, errors) = launch(folder.path(), &[&needed[..], more].concat());
        assert_eq!(code, 0, "{errors}");
        let list: Value = serde_json::from_str(&manifest).unwrap();
        list["items"][0].clone()
    };
    let job = manifest(&[
        "--namespace",
        "bench",
        "--keep",
        "2h",
        "--cpus",
        "8",
        "--memory",
        "16Gi",
        "--guaranteed",
    ]);
    assert_eq!(
        (&job["metadata"]["namespace"], &job["spec"]["ttlSecondsAfterFinished"]),
        (&"bench".into(), &7200.into())
    );
    let resources = &job["spec"]["template"]["spec"]["containers"][0]["resources"];
    // Requests that are the limits make a pod of the class Guaranteed.
    assert_eq!(resources["requests"], resources["limits"]);
    assert_eq!(resources["limits"], serde_json::json!({"cpu": "8", "memory": "16Gi"}));

    let job = manifest(&[
        "--tolerate",
        "node.example.org/gpu=a100:NoSchedule",
        "--tolerate",
        "old",
        "--tolerate",
        "all",
    ]);
    let tolerations = serde_json::json!([
        {"key": "node.example.org/gpu", "operator": "Equal", "value": "a100", "effect": "NoSchedule"},
        {"key": "old", "operator": "Exists"},
        {"operator": "Exists"},
    ]);
    assert_eq!(job["spec"]["template"]["spec"]["tolerations"], tolerations);

    let job = manifest(&["--user", "0", "--capability", "CAP_PERFMON"]);
    let pod = &job["spec"]["template"]["spec"];
    assert_eq!(
        (&pod["securityContext"]["runAsNonRoot"], &pod["securityContext"]["runAsUser"]),
        (&false.into(), &0.into())
    );
    let capabilities = serde_json::json!({"drop": ["ALL"], "add": ["PERFMON"]});
    assert_eq!(pod["containers"][0]["securityContext"]["capabilities"], capabilities);
    for wrong in
        [["--namespace", "A"], ["--memory", "4GB"], ["--tolerate", "x:Never"], ["--capability", "all"]]
    {
        let (code, _, errors) = launch(folder.path(), &[&needed[..], &wrong].concat());
        assert!(code == 2 && errors.contains(wrong[1]), "{errors}");
    }
}
