//! `oscope watch` as a user and a Prometheus server see it.

use crate::refused;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// One cheap channel, read as often as the budget of a test allows.
const CHANNEL: [&str; 4] = ["watch", "syscall.getppid method=libc", "--budget-cpu", "50%"];

/// A process that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A watch that serves metrics, and its address.
fn serving(state: &Path) -> (Ended, String) {
    let program = assert_cmd::cargo::cargo_bin("oscope");
    let mut command = programs::command(program);
    command.args(CHANNEL).args(["--for", "30s", "--format", "jsonl", "--listen", "127.0.0.1:0"]);
    command.env("XDG_STATE_HOME", state).env("TMPDIR", state).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let child = Ended(child);
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    (child, address.expect(&line).to_owned())
}

fn get(address: &str, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Asks until the answer holds something.
fn get_until(address: &str, path: &str, holds: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = get(address, path);
        if answer.contains(holds) || Instant::now() > deadline {
            assert!(answer.contains(holds), "{path} has no {holds}: {answer}");
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn lines_of_json_hold_readings_and_the_text_file_passes_promtool_and_ends_with_the_watch() {
    let state = tempfile::tempdir().unwrap();
    let [said, metrics] = ["said", "oscope.prom"].map(|name| state.path().join(name));
    let mut command = programs::command(assert_cmd::cargo::cargo_bin("oscope"));
    command.args(CHANNEL).args(["--for", "60s", "--interval", "1s", "--format", "jsonl", "--textfile"]);
    command.arg(state.path()).env("XDG_STATE_HOME", state.path()).env("TMPDIR", state.path());
    command.stdout(std::fs::File::create(&said).unwrap());
    let mut child = Ended(command.spawn().unwrap());
    read_until(&said, |said| lines(said).iter().any(|line| line["channels"][0]["median"].is_number()));
    let text = read_until(&metrics, |text| text.contains("oscope_watch_latency_seconds_bucket{"));
    assert!(text.contains("operation=\"syscall.getppid\""));
    let id = child.0.id().to_string();
    assert!(programs::command("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(child.0.wait().unwrap().success());
    // Its events would be shown for ever.
    assert!(!metrics.exists());
    if programs::installed(&["promtool"]) {
        std::fs::write(&metrics, text).unwrap();
        let mut check = programs::command("promtool");
        check.args(["check", "metrics"]).stdin(std::fs::File::open(&metrics).unwrap());
        let checked = check.output().unwrap();
        assert!(checked.status.success() && checked.stderr.is_empty(), "{}", crate::text(&checked.stderr));
        for (action, file) in [("check", "alerts.yaml"), ("test", "alerts_test.yaml")] {
            let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/watch").join(file);
            let checked = programs::command("promtool").args([action, "rules"]).arg(rules).output().unwrap();
            assert!(checked.status.success(), "{}", crate::text(&checked.stderr));
        }
        assert!(is_promql(state.path(), &dashboard_queries()));
        assert!(!is_promql(state.path(), &["sum by (le (x)".to_owned()]));
    }
}

/// What a watch shows on a terminal of 80 by 24 with these further words.
fn on_a_terminal(state: &Path, words: &str) -> String {
    let channel = CHANNEL.map(|word| format!("'{word}'")).join(" ");
    let command = format!("{} {channel} {words} --for 3s", env!("CARGO_BIN_EXE_oscope"));
    crate::on_a_terminal(state, (80, 24), &command)
}

#[test]
fn a_screen_keeps_a_history_unless_it_is_not_wanted() {
    if !programs::installed(&["script"]) {
        return;
    }
    for (words, is_kept) in [("", true), ("--no-keep", false), ("--format text --interval 1s", false)] {
        let state = tempfile::tempdir().unwrap();
        let text = on_a_terminal(state.path(), words);
        assert!(text.contains("system call"), "{text}");
        assert_eq!(state.path().join("oscope/watch").exists(), is_kept, "{words}");
    }
}

/// The whole lines of JSON in a text.
pub fn lines(text: &str) -> Vec<Value> {
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A file's text, as soon as it holds what is waited for.
fn read_until(path: &Path, holds: impl Fn(&str) -> bool) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if holds(&text) {
            return text;
        }
        assert!(Instant::now() < deadline, "{}: {text}", path.display());
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The queries of the dashboard, of one instance.
fn dashboard_queries() -> Vec<String> {
    let dashboard =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/watch/grafana-dashboard.json"));
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    targets.map(|target| target["expr"].as_str().unwrap().replace("$instance", "host")).collect()
}

/// Whether these are queries of Prometheus, by rules that record them.
fn is_promql(folder: &Path, queries: &[String]) -> bool {
    assert!(!queries.is_empty());
    let rules =
        queries.iter().enumerate().map(|(at, query)| format!("  - record: r{at}\n    expr: '{query}'\n"));
    let rules: String = rules.collect();
    let path = folder.join("queries.yaml");
    std::fs::write(&path, format!("groups:\n- name: dashboard\n  rules:\n{rules}")).unwrap();
    let checked = programs::command("promtool").args(["check", "rules"]).arg(path).output().unwrap();
    checked.status.success()
}

#[test]
fn prometheus_scrapes_a_watch_that_is_healthy() {
    let state = tempfile::tempdir().unwrap();
    let (_watch, address) = serving(state.path());
    get_until(&address, "/metrics", "oscope_watch_readings_total{");
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(&address, "/nothing").starts_with("HTTP/1.1 404"));
    if !programs::installed(&["prometheus"]) {
        return;
    }
    let config = state.path().join("prometheus.yml");
    let scrape = format!(
        "scrape_configs:\n- job_name: oscope\n  scrape_interval: 500ms\n  scrape_timeout: 500ms\n  static_configs:\n  - targets: ['{address}']\n"
    );
    std::fs::write(&config, scrape).unwrap();
    let own = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut server = programs::command("prometheus");
    server.arg(format!("--config.file={}", config.display()));
    server.arg(format!("--storage.tsdb.path={}", state.path().join("data").display()));
    server.arg(format!("--web.listen-address={own}"));
    let _server = Ended(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let query = "/api/v1/query?query=oscope_watch_median_seconds";
    let answer = get_until(&own, query, "\"operation\":\"syscall.getppid\"");
    assert!(answer.contains("\"status\":\"success\""), "{answer}");
}

#[test]
fn wrong_arguments_say_what_is_right() {
    let state = tempfile::tempdir().unwrap();
    for (words, code, says) in [
        (&["watch", "--budget-cpu", "0.001%"][..], 2, "between 0.01% and 100%"),
        (&["watch", "--interval", "1ms"], 2, "at least one second"),
        (&["watch", "--threshold", "0.1%"], 2, "at least 1%"),
        (&["watch", "all"], 2, "name fewer"),
        (&["watch", "syscall.getppid", "--textfile", "/nonexistent"], 3, "/nonexistent"),
        (&["watch", "syscall.getppid", "--listen", "192.0.2.1:9"], 2, "name a free port"),
    ] {
        let said = refused(state.path(), words, code);
        assert!(said.contains(says), "{words:?}: {said}");
    }
}

/// Resident memory in KiB, and open descriptors.
fn resources(id: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let resident = resident.split_whitespace().next().unwrap().parse().unwrap();
    (resident, std::fs::read_dir(format!("/proc/{id}/fd")).unwrap().count())
}

#[test]
fn memory_and_descriptors_of_a_watch_do_not_grow() {
    let state = tempfile::tempdir().unwrap();
    let (watch, address) = serving(state.path());
    let readings = |least: u64| {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = get(&address, "/metrics");
            let line = answer.lines().find(|line| line.starts_with("oscope_watch_readings_total{"));
            let count = line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0);
            if count >= least {
                return resources(watch.0.id());
            }
            assert!(Instant::now() < deadline, "{least} readings: {answer}");
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    let (early, later) = (readings(40), readings(140));
    println!("{early:?} {later:?}");
    // 100 readings are kept with 32 samples each, some 20 KiB; a request may be answered meanwhile.
    assert!(later.0 <= early.0 + 1_024 && later.1 <= early.1 + 1, "{early:?} {later:?}");
}
