//! What sysbench, iperf3, stress-ng, fio, hyperfine and ping print for people.

use super::converted::{Converted, between, numbered};
use super::json::path_to;

/// The first word of a text.
fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

pub(super) fn sysbench(text: &str) -> Option<Converted> {
    numbered(text).find(|(_, line)| line.starts_with("sysbench ") && line.contains("LuaJIT"))?;
    let threads = between(text, "Number of threads:", "\n").unwrap_or_default().to_owned();
    let mut table = Converted::new("test threads measured unit min_ms max_ms 95th_ms");
    let mut latency: [String; 4] = Default::default();
    let mut first = 0;
    for (number, line) in numbered(text) {
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let rate = between(value, "(", " per sec.").unwrap_or_else(|| word(value));
        let (test, unit) = match name {
            "events per second" => ("events", "op/s"),
            "transactions" | "queries" => (name, "op/s"),
            name if name.ends_with("MiB/s") => (name, "MiB/s"),
            "min" | "avg" | "max" | "95th percentile" => {
                first = if first == 0 { number } else { first };
                let at = ["avg", "min", "max", "95th percentile"].iter().position(|known| *known == name)?;
                *latency.get_mut(at)? = word(value).to_owned();
                continue;
            }
            _ => continue,
        };
        table.push(number, [test, &threads, rate, unit, "", "", ""].map(str::to_owned));
    }
    let [mean, minimum, maximum, quantile] = latency;
    table.push(first, ["latency".to_owned(), threads, mean, "ms".to_owned(), minimum, maximum, quantile]);
    Some(table)
}

/// The lines of both ends for the whole test.
pub(super) fn iperf3(text: &str) -> Option<Converted> {
    numbered(text).find(|(_, line)| {
        line.starts_with("[ ID]") && (line.contains("Bitrate") || line.contains("Bandwidth"))
    })?;
    let peer = between(text, "Connecting to host ", ",")
        .or_else(|| between(text, "connected to ", " "))
        .unwrap_or_default();
    let name = if text.contains("Jitter") { "UDP bandwidth" } else { "TCP bandwidth" };
    let mut table = Converted::new("test path direction bandwidth unit");
    for (number, line) in numbered(text) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let unit = words.iter().position(|word| word.ends_with("bits/sec") || word.ends_with("Bytes/sec"));
        let whole = ["sender", "receiver"].into_iter().find(|end| words.last() == Some(end));
        let sum = words.first() == Some(&"[SUM]") || !text.contains("[SUM]");
        let Some((at, direction)) = unit.zip(whole).filter(|_| sum) else { continue };
        let rate = at.checked_sub(1).and_then(|at| words.get(at))?;
        let cells = [name, path_to(peer), direction, rate, words.get(at)?];
        table.push(number, cells.map(str::to_owned));
    }
    Some(table)
}

/// The table of `--metrics`: a line for each stressor, below two lines of headings.
pub(super) fn stress_ng(text: &str) -> Option<Converted> {
    numbered(text).find(|(_, line)| line.contains("stress-ng: ") && line.contains("bogo ops/s"))?;
    let mut table = Converted::new("test clock measured unit");
    for (number, line) in numbered(text) {
        let (_, rest) = line.split_once("] ").unwrap_or(("", line));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [name, _, _, _, _, real, cpu, ..] = words.as_slice() else { continue };
        let is_row = line.contains("stress-ng: ") && real.parse::<f64>().is_ok();
        if is_row {
            for (clock, rate) in [("real", real), ("usr+sys", cpu)] {
                table.push(number, [name, clock, rate, "op/s"].map(str::to_owned));
            }
        }
    }
    Some(table)
}

/// The group of each job and direction: rate, bandwidth, and the latency that it gives last.
pub(super) fn fio(text: &str) -> Option<Converted> {
    numbered(text).find(|(_, line)| line.contains(": IOPS=") && line.contains("BW="))?;
    let mut table = Converted::new("test parameter bs mean unit stddev min max iops bw");
    let (mut job, mut block) = ("", "");
    for (number, line) in numbered(text) {
        let trimmed = line.trim();
        if let Some((name, _)) = line.split_once(": (groupid=") {
            job = name;
        }
        if line.contains("bs=(R) ") {
            block = between(line, "bs=(R) ", "B-").unwrap_or_default();
        }
        if let Some((direction, rest)) = trimmed.split_once(": IOPS=") {
            let iops = expanded(rest.split(',').next()?);
            let bandwidth = between(rest, "BW=", " ").unwrap_or_default();
            let point = format!("direction={direction}");
            let none = String::new;
            let cells = [
                job.to_owned(),
                point,
                block.to_owned(),
                none(),
                none(),
                none(),
                none(),
                none(),
                iops,
                bandwidth.to_owned(),
            ];
            table.push(number, cells);
        }
        let is_latency = trimmed.starts_with("lat (") || trimmed.starts_with("clat (");
        if let Some((_, cells)) = table.rows.last_mut().filter(|_| is_latency && trimmed.contains("avg=")) {
            let unit = between(trimmed, "(", ")")?.to_owned();
            let [mean, deviation, minimum, maximum] = ["avg=", "stdev=", "min=", "max="]
                .map(|name| expanded(between(trimmed, name, ",").unwrap_or_default()));
            let figures = [mean, unit, deviation, minimum, maximum];
            cells.iter_mut().skip(3).zip(figures).for_each(|(cell, figure)| *cell = figure);
        }
    }
    Some(table)
}

/// A number with its letter for thousands or millions written out.
fn expanded(text: &str) -> String {
    let text = text.trim();
    let factor = match text.chars().last() {
        Some('k' | 'K') => 1e3,
        Some('M') => 1e6,
        _ => return text.to_owned(),
    };
    let number = text.get(..text.len() - 1).and_then(|number| number.parse::<f64>().ok());
    number.map_or_else(String::new, |number| (number * factor).to_string())
}

pub(super) fn hyperfine(text: &str) -> Option<Converted> {
    numbered(text).find(|(_, line)| line.trim_start().starts_with("Time (mean ± σ):"))?;
    let mut table = Converted::new("command mean unit stddev min max runs");
    let (mut command, mut mean): (&str, Vec<&str>) = ("", Vec::new());
    for (number, line) in numbered(text) {
        if line.starts_with("Benchmark ") {
            command = line.split_once(": ")?.1;
        } else if line.contains("Time (mean ± σ):") {
            mean = line.split_once("):")?.1.split_whitespace().collect();
        } else if line.contains("Range (min … max):") {
            let range = line.split_once("):").map(|(_, rest)| rest.to_owned())?;
            let words: Vec<&str> = range.split_whitespace().collect();
            // Two numbers, each with its unit, and the number of runs.
            let ([centre, unit, _, spread, ..], [low, _, _, high, _, runs, ..]) =
                (mean.as_slice(), words.as_slice())
            else {
                continue;
            };
            table.push(number, [command, centre, unit, spread, low, high, runs].map(str::to_owned));
        }
    }
    Some(table)
}

pub(super) fn ping(text: &str) -> Option<Converted> {
    let mut table = Converted::new("test path min avg max mdev unit trials");
    let (mut peer, mut packets) = ("", "");
    for (number, line) in numbered(text) {
        if line.starts_with("PING ") {
            peer = between(line, "(", ")").unwrap_or_default();
        }
        if line.contains(" packets transmitted, ") {
            packets = between(line, ", ", " ").unwrap_or_default();
        }
        let is_summary =
            line.starts_with("rtt min/avg/max/mdev = ") || line.starts_with("round-trip min/avg/max");
        if let Some((_, figures)) = line.split_once(" = ").filter(|_| is_summary) {
            let (numbers, unit) = figures.split_once(' ')?;
            let mut numbers = numbers.split('/');
            let [minimum, mean, maximum, deviation] =
                std::array::from_fn(|_| numbers.next().unwrap_or_default());
            let (path, unit) = (path_to(peer), word(unit).trim_end_matches(','));
            let cells = ["ICMP round trip", path, minimum, mean, maximum, deviation, unit, packets];
            table.push(number, cells.map(str::to_owned));
        }
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// Names and results in base units.
    type Rows = &'static [(&'static str, f64)];
    /// A form, a text in it, and its rows.
    type Expected = (&'static str, &'static str, Rows);

    const TEXTS: [Expected; 6] = [
        (
            "sysbench",
            "sysbench 1.0.20 (using system LuaJIT 2.1.0)\nNumber of threads: 2\nCPU speed:\n    events per second:  2500.50\n\
             Latency (ms):\n min: 0.38\n avg: 0.40\n max: 1.71\n 95th percentile: 0.43\n sum: 9990.1\n",
            &[("events", 2500.5), ("latency", 0.0004)],
        ),
        (
            "iperf3",
            "Connecting to host 192.0.2.9, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n\
             [  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec    3             sender\n\
             [  5]   0.00-10.04  sec  1.09 GBytes   936 Mbits/sec                  receiver\n",
            &[("network.bandwidth.tcp", 117.5e6), ("network.bandwidth.tcp", 117e6)],
        ),
        (
            "stress-ng",
            "stress-ng: info:  [70] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n\
             stress-ng: info:  [70]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\n\
             stress-ng: info:  [70] pipe           4000000      2.00      1.00      2.90   2000000.00     1025641.03\n",
            &[("pipe", 2e6), ("pipe", 1_025_641.03)],
        ),
        (
            "fio",
            "j: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B\nj: (groupid=0, jobs=1): err= 0: pid=7\n\
             \x20 read: IOPS=12.5k, BW=48.8MiB/s (51.2MB/s)(488MiB/10001msec)\n\
             \x20   lat (usec): min=20, max=4000, avg=79.50, stdev=12.25\n",
            &[("j", 79.5e-6)],
        ),
        (
            "hyperfine",
            "Benchmark 1: ./a b\n  Time (mean ± σ):      12.5 ms ±   0.3 ms    [User: 9.1 ms, System: 2.2 ms]\n\
             \x20 Range (min … max):    11.9 ms …  13.4 ms    200 runs\n",
            &[("./a b", 0.0125)],
        ),
        (
            "ping",
            "PING h (192.0.2.4) 56(84) bytes of data.\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\n\
             rtt min/avg/max/mdev = 0.301/0.350/0.402/0.033 ms\n",
            &[("ICMP round trip", 0.00035)],
        ),
    ];

    #[test]
    fn text_of_every_program_is_read() {
        for (format, text, expected) in TEXTS {
            let table = read(text, Vec::new()).unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(table.format, Some(format));
            let rows: Vec<(&str, f64)> =
                table.rows.iter().map(|row| (row.operation.as_str(), row.result().unwrap())).collect();
            assert_eq!(rows.len(), expected.len(), "{format}: {rows:?}");
            for ((name, value), (known, expected)) in rows.iter().zip(expected) {
                assert!(name == known && (value / expected - 1.0).abs() < 1e-9, "{format}: {rows:?}");
            }
            assert!(crate::lint(&table).is_empty(), "{format}: {:?}", crate::lint(&table));
        }
    }
}
