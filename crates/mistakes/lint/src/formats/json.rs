//! JSON of hyperfine, fio, iperf3 and Google Benchmark.

use super::converted::Converted;
use serde_json::Value;

/// The JSON in a text; programs print messages above it.
fn parsed(text: &str) -> Option<Value> {
    let begin = if text.trim_start().starts_with('{') { text.find('{')? } else { text.find("\n{")? };
    let mut values = serde_json::Deserializer::from_str(text.get(begin..)?).into_iter::<Value>();
    values.next()?.ok()
}

/// A number or a text; empty where there is none.
fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The line of the n-th place where a text has this name.
fn line_of(text: &str, name: &str, nth: usize) -> u64 {
    let quoted = Value::from(name).to_string();
    let at = text.match_indices(&quoted).nth(nth).map_or(0, |(at, _)| at);
    1 + text.get(..at).unwrap_or_default().matches('\n').count() as u64
}

fn items<'v>(value: &'v Value, name: &str) -> Option<&'v Vec<Value>> {
    value.get(name)?.as_array()
}

pub(super) fn hyperfine(text: &str) -> Option<Converted> {
    let json = parsed(text)?;
    let results = items(&json, "results").filter(|all| all.iter().all(|one| one.get("command").is_some()))?;
    let mut table = Converted::new("command trial mean_sec stddev_sec min_sec max_sec");
    for result in results {
        let command = cell(result.get("command")?);
        let line = line_of(text, &command, 0);
        let [mean, deviation, minimum, maximum] =
            ["mean", "stddev", "min", "max"].map(|name| result.get(name).map(cell).unwrap_or_default());
        for (at, time) in items(result, "times").into_iter().flatten().enumerate() {
            let none = String::new;
            table.push(line, [command.clone(), (at + 1).to_string(), cell(time), none(), none(), none()]);
        }
        table.push(line, [command.clone(), String::new(), mean, deviation, minimum, maximum]);
    }
    Some(table)
}

pub(super) fn fio(text: &str) -> Option<Converted> {
    let json = parsed(text)?;
    json.get("fio version")?;
    let mut table = Converted::new(
        "test parameter bs mean_ns stddev_ns min_ns max_ns p50_ns p90_ns p99_ns iops bw_KiB/s",
    );
    for job in items(&json, "jobs")? {
        let name = cell(job.get("jobname")?);
        let block =
            job.get("job options").and_then(|options| options.get("bs")).map(cell).unwrap_or_default();
        for direction in ["read", "write", "trim"] {
            let Some(part) =
                job.get(direction).filter(|part| part["iops"].as_f64().is_some_and(|iops| iops > 0.0))
            else {
                continue;
            };
            let (latency, kind) = match (&part["lat_ns"], &part["clat_ns"]) {
                (Value::Object(_), _) => (&part["lat_ns"], "total"),
                (_, completion) => (completion, "completion"),
            };
            let [p50, p90, p99] = ["50.000000", "90.000000", "99.000000"]
                .map(|share| cell(&part["clat_ns"]["percentile"][share]));
            let line = line_of(text, &name, 0);
            let point = format!("direction={direction} latency={kind}");
            table.push(
                line,
                [
                    name.clone(),
                    point,
                    block.clone(),
                    cell(&latency["mean"]),
                    cell(&latency["stddev"]),
                    cell(&latency["min"]),
                    cell(&latency["max"]),
                    p50,
                    p90,
                    p99,
                    cell(&part["iops"]),
                    cell(&part["bw"]),
                ],
            );
        }
    }
    Some(table)
}

pub(super) fn iperf3(text: &str) -> Option<Converted> {
    let json = parsed(text)?;
    let (start, end) = (json.get("start")?, json.get("end")?);
    let test = start.get("test_start")?;
    let protocol = cell(&test["protocol"]);
    let peer = cell(&start["connecting_to"]["host"]);
    let mut table = Converted::new("test path streams direction bandwidth_bits/s");
    for direction in ["sum_sent", "sum_received", "sum"] {
        let Some(rate) = end.get(direction).and_then(|sum| sum.get("bits_per_second")) else {
            continue;
        };
        let (name, path) = (format!("{protocol} bandwidth"), path_to(&peer));
        let streams = cell(&test["num_streams"]);
        let line = line_of(text, direction, 0);
        table.push(line, [name, path.to_owned(), streams, direction.replace("sum_", ""), cell(rate)]);
    }
    Some(table)
}

/// Whether a peer is this machine.
pub(super) fn path_to(peer: &str) -> &'static str {
    let is_local = peer.starts_with("127.") || ["localhost", "::1", "0.0.0.0"].contains(&peer);
    if is_local { "loopback" } else { "remote" }
}

pub(super) fn google_benchmark(text: &str) -> Option<Converted> {
    let json = parsed(text)?;
    let all =
        items(&json, "benchmarks").filter(|all| all.iter().all(|one| one.get("real_time").is_some()))?;
    let mut table = Converted::new("name trial real_time time_unit bytes_per_second items_per_second");
    for benchmark in all {
        let [name, time, unit, bytes, items] =
            ["name", "real_time", "time_unit", "bytes_per_second", "items_per_second"]
                .map(|name| benchmark.get(name).map(cell).unwrap_or_default());
        let several = benchmark["repetitions"].as_u64().is_some_and(|count| count > 1);
        let is_trial = several && benchmark["run_type"] == "iteration";
        let trial =
            benchmark["repetition_index"].as_u64().filter(|_| is_trial).map(|at| (at + 1).to_string());
        let line = line_of(text, &name, 0);
        table.push(line, [name, trial.unwrap_or_default(), time, unit, bytes, items]);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn json_of_every_program_is_read() {
        for (format, text, rows) in [
            (
                "hyperfine JSON",
                r#"{"results":[{"command":"./a","mean":0.25,"stddev":0.01,"min":0.24,"max":0.27,"times":[0.24,0.26,0.27]}]}"#,
                4,
            ),
            (
                "fio JSON",
                "fio: a warning\n{\"fio version\":\"fio-3.30\",\"jobs\":[{\"jobname\":\"j\",\"job options\":{\"bs\":\"4k\"},\
                 \"read\":{\"iops\":2500.0,\"bw\":10000,\"clat_ns\":{\"mean\":400000.5,\"min\":9000,\"max\":900000}},\
                 \"write\":{\"iops\":0}}]}",
                1,
            ),
            (
                "iperf3 JSON",
                r#"{"start":{"connecting_to":{"host":"127.0.0.1"},"test_start":{"protocol":"TCP","num_streams":1}},
                "end":{"sum_sent":{"bits_per_second":4.5e10},"sum_received":{"bits_per_second":4.4e10}}}"#,
                2,
            ),
            (
                "Google Benchmark JSON",
                r#"{"context":{},"benchmarks":[{"name":"BM_a","run_type":"iteration","real_time":12.5,"time_unit":"ns"}]}"#,
                1,
            ),
        ] {
            let table = read(text, Vec::new()).unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!((table.format, table.rows.len()), (Some(format), rows));
            assert!(table.rows.iter().all(|row| row.result().is_some()), "{format}: {:?}", table.rows);
        }
    }
}
