//! CSV that is no table with one heading: criterion's samples, netperf's omni output, benchstat's comparison.

use super::converted::{Converted, between, numbered};
use super::json::path_to;
use csv::{ReaderBuilder, StringRecord};

/// The records of a CSV, with their lines.
fn records(text: &str) -> Vec<(u64, StringRecord)> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records = reader.records().filter_map(Result::ok);
    records.map(|record| (record.position().map_or(0, csv::Position::line), record)).collect()
}

/// Each sample is the time of this number of iterations.
pub(super) fn criterion(text: &str) -> Option<Converted> {
    let records = records(text.starts_with("group,function,value,").then_some(text)?);
    let (_, heading) = records.first()?;
    let [value, time, unit, count] = ["value", "sample_measured_value", "unit", "iteration_count"]
        .map(|name| heading.iter().position(|cell| cell == name));
    let (value, time, unit, count) = (value?, time?, unit?, count?);
    let mut table = Converted::new("operation parameter trial measured unit");
    let mut last = String::new();
    let mut trial = 0;
    for (line, record) in records.iter().skip(1) {
        let cell = |at: usize| record.get(at).unwrap_or_default();
        let (time, iterations): (f64, f64) = (cell(time).parse().ok()?, cell(count).parse().ok()?);
        let names = [cell(0), cell(1)].into_iter().filter(|name| !name.is_empty());
        let name = names.collect::<Vec<_>>().join("/");
        let point = if cell(value).is_empty() { String::new() } else { format!("value={}", cell(value)) };
        let key = format!("{name} {point}");
        trial = if key == last { trial + 1 } else { 1 };
        last = key;
        // Samples are counted in whole units: the time of an iteration has as many digits.
        let each = format!("{:.6}", time / iterations);
        table.push(*line, [name, point, trial.to_string(), each, cell(unit).to_owned()]);
    }
    Some(table)
}

/// The banner names the test and the peer; the heading below it has the units.
pub(super) fn netperf(text: &str) -> Option<Converted> {
    let (_, banner) =
        numbered(text).find(|(_, line)| line.contains(" TEST from ") && line.contains(" to "))?;
    let records: Vec<(u64, StringRecord)> =
        records(text).into_iter().filter(|(_, record)| record.len() > 2).collect();
    let (_, heading) =
        records.iter().find(|(_, record)| record.iter().any(|cell| cell.contains("Latency Microseconds")))?;
    let test = banner.split(" TEST ").next()?.trim_start_matches("MIGRATED ");
    let peer = between(banner, " to ", " ").unwrap_or_default();
    let name = if test.contains("REQUEST/RESPONSE") {
        format!("{} round trip", test.split(' ').next()?)
    } else {
        test.to_owned()
    };
    let mut table =
        Converted::new("operation path mean_us min_us max_us p50_us p90_us p99_us stddev_us transactions/s");
    for (line, record) in
        records.iter().filter(|(_, record)| record.len() == heading.len() && record != heading)
    {
        let cell_below = |name: &str| {
            let at = heading.iter().position(|cell| cell.starts_with(name));
            at.and_then(|at| record.get(at)).unwrap_or_default().to_owned()
        };
        table.push(
            *line,
            [
                name.clone(),
                path_to(peer).to_owned(),
                cell_below("Mean Latency"),
                cell_below("Minimum Latency"),
                cell_below("Maximum Latency"),
                cell_below("50th Percentile"),
                cell_below("90th Percentile"),
                cell_below("99th Percentile"),
                cell_below("Stddev Latency"),
                cell_below("Transaction Rate"),
            ],
        );
    }
    Some(table)
}

/// A line of files above a line of units, in both an empty first cell; a block for each unit.
pub(super) fn benchstat(text: &str) -> Option<Converted> {
    let mut table = Converted::new("benchmark report measured unit");
    let (mut files, mut units): (Vec<String>, Option<StringRecord>) = (Vec::new(), None);
    for (line, record) in records(text) {
        let first = record.get(0).unwrap_or_default();
        let is_units = first.is_empty() && record.iter().any(|cell| cell == "CI");
        if is_units {
            units = Some(record);
        } else if first.is_empty() {
            files = record.iter().map(str::to_owned).collect();
        } else if let Some(units) = units.as_ref().filter(|_| first != "geomean") {
            for at in (1..record.len()).filter(|at| units.get(at + 1) == Some("CI")) {
                let [measured, unit] = [&record, units].map(|row| row.get(at).unwrap_or_default().to_owned());
                let file = files.get(at).cloned().unwrap_or_default();
                table.push(line, [first.to_owned(), file, measured, unit]);
            }
        }
    }
    units.map(|_| table)
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn criterion_samples_are_trials_of_one_iteration() {
        let text = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n\
                    g,f,8,,,4000,ns,100\ng,f,8,,,8200,ns,200\ng,f,8,,,12300,ns,300\n";
        let table = read(text, Vec::new()).unwrap();
        let values: Vec<f64> =
            table.rows.iter().filter_map(|row| row.measured.map(|figure| figure.value)).collect();
        assert_eq!((table.format, values), (Some("criterion raw.csv"), vec![40.0, 41.0, 41.0]));
        assert!(table.rows.iter().all(|row| row.params.is_trial() && row.params.get("value") == Some("8")));
    }

    #[test]
    fn netperf_is_a_round_trip_to_its_peer() {
        let text = "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to 127.0.0.1 () port 9 AF_INET\n\
                    Minimum Latency Microseconds,Mean Latency Microseconds,Maximum Latency Microseconds,\
                    Transaction Rate Tran/s\n5,20.5,900,48500.1\n";
        let table = read(text, Vec::new()).unwrap();
        let row = &table.rows[0];
        assert_eq!(
            (row.operation.as_str(), row.params.get("path")),
            ("network.round_trip.tcp", Some("loopback"))
        );
        assert_eq!((row.line, row.per_second), (3, Some(48500.1)));
    }

    #[test]
    fn benchstat_has_a_result_for_each_file() {
        let text = ",a.txt,,b.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\nMul-8,2.5e-08,1%,2.4e-08,2%,-4%,p=0.01 n=6\n\
                    geomean,2.5e-08,,2.4e-08,,-4%,\n\n,a.txt,,b.txt,,,\n,B/op,CI,B/op,CI,vs base,P\nMul-8,16,0%,16,0%,~,p=1 n=6\n";
        let table = read(text, Vec::new()).unwrap();
        let reports: Vec<(&str, u64)> =
            table.rows.iter().map(|row| (row.report.as_str(), row.line)).collect();
        assert_eq!(reports, [("a.txt", 3), ("b.txt", 3), ("a.txt", 8), ("b.txt", 8)]);
        assert_eq!(table.rows[0].result(), Some(2.5e-8));
    }
}
