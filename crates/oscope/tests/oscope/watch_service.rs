//! The unit for systemd and the DaemonSet for Kubernetes: what they start works with the rights that they give.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The user of the DaemonSet, and one that owns nothing, as the unit's.
const NOBODY: &str = "65534";

/// A file for a watch as a service.
fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/watch").join(name)).unwrap()
}

/// The words after the program in the unit's command.
fn words_of_unit() -> Vec<String> {
    let unit = file("oscope-watch.service").replace("\\\n", " ");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    command.split_whitespace().skip(1).map(str::to_owned).collect()
}

/// The arguments of the DaemonSet's container.
fn words_of_pod() -> Vec<String> {
    let manifest = file("daemonset.yaml");
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("args: [")).unwrap();
    line.trim_end_matches(']').split(", ").map(|word| word.trim_matches('"').to_owned()).collect()
}

#[test]
fn unit_is_verified_and_has_no_quota() {
    let unit = file("oscope-watch.service");
    // A quota throttles the watch's own workers, and the watch reports itself.
    assert!(!unit.contains("CPUQuota=") && unit.contains("\nCPUWeight=20\n"), "{unit}");
    if !programs::installed(&["systemd-analyze"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let verify = |text: &str| {
        let path = folder.path().join("oscope-watch.service");
        fs::write(&path, text.replace("/usr/bin/oscope", &programs::path("true"))).unwrap();
        let checked = programs::command("systemd-analyze").arg("verify").arg(path).output().unwrap();
        (checked.status.success(), crate::text(&checked.stderr))
    };
    assert_eq!(verify(&unit), (true, String::new()));
    assert!(verify(&unit.replace("CPUWeight", "CPUWieght")).1.contains("CPUWieght"));
}

/// A command without rights, on a root directory that only reads but for this folder.
fn confined(folder: &Path) -> Command {
    let mut command = programs::command("bwrap");
    command.args(["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind"]).args([folder, folder]);
    command.args(["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"].iter().flat_map(|right| ["--cap-add", right]));
    command.args([&programs::path("setpriv"), "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
    command.args(["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]);
    command
}

#[test]
fn services_watch_and_keep_a_ring_without_rights_on_a_root_that_only_reads() {
    let folder = tempfile::tempdir().unwrap();
    let trial = confined(folder.path()).arg(programs::path("true")).status();
    if !programs::can("root, to confine a user by bwrap", trial.is_ok_and(|ended| ended.success())) {
        return;
    }
    for (words, state) in [(words_of_unit(), "/var/lib/oscope-watch"), (words_of_pod(), "/data")] {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(folder.path(), Some(65_534), Some(65_534)).unwrap();
        let program = folder.path().join("oscope");
        fs::copy(assert_cmd::cargo::cargo_bin("oscope"), &program).unwrap();
        let own = folder.path().to_str().unwrap();
        let words = words.iter().map(|word| match word.as_str() {
            "60s" => "2s".to_owned(),
            address if address.ends_with(":9437") => "127.0.0.1:0".to_owned(),
            other => other.replace(state, own),
        });
        let mut command = confined(folder.path());
        command.arg(program).args(words).args(["--for", "8s", "--budget-cpu", "50%"]);
        let ended =
            command.env_remove("HOME").env_remove("XDG_STATE_HOME").current_dir(own).output().unwrap();
        let said = crate::text(&ended.stdout);
        assert!(ended.status.success(), "{}", crate::text(&ended.stderr));
        let mut channels = crate::watch::lines(&said).into_iter().filter(|line| line["line"] == "interval");
        let last = channels.next_back().unwrap()["channels"].clone();
        let is_read = |channel: &serde_json::Value| channel["failure"].is_null();
        assert!(last.as_array().unwrap().iter().all(is_read), "{last}");
        let ring = folder.path().join("ring");
        let bytes = fs::read_dir(ring).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        assert!(bytes.sum::<u64>() > 4_096, "{state}");
    }
}
