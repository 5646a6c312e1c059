//! What other tools print, read in the unit of oscope's point: nanoseconds, or bytes in a second.

/// Where a tool's figure stands in what it prints, and how many of oscope's units its unit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reads {
    /// The number before these words: `3.201210 usecs/op`.
    Before(&'static str, f64),
    /// The number behind these words: `Avg:   46`.
    Behind(&'static str, f64),
    /// Of the numbers behind these words, parted by slashes, the one of this index: `= 0.003/0.005/0.1/0.002 ms`.
    Slashed(&'static str, usize, f64),
    /// In the last line that holds the first words, the number before the second ones.
    LastLine(&'static str, &'static str, f64),
    /// The rate per second behind these words, as a time.
    PerSecond(&'static str),
    /// `stress-ng --metrics-brief`: the rate per second of real time in the line of the stressor, as a time.
    StressorRate,
}

/// The figure in oscope's unit, if the text holds it.
pub fn figure(reads: Reads, text: &str) -> Option<f64> {
    let found = match reads {
        Reads::Before(words, unit) => before(words, text)? * unit,
        Reads::Behind(words, unit) => number(behind(words, text)?)? * unit,
        Reads::Slashed(words, index, unit) => number(behind(words, text)?.split('/').nth(index)?)? * unit,
        Reads::LastLine(holds, words, unit) => {
            let line = text.lines().rfind(|line| line.contains(holds))?;
            before(words, line)? * unit
        }
        Reads::PerSecond(words) => 1e9 / number(behind(words, text)?)?,
        Reads::StressorRate => 1e9 / stressor_rate(text)?,
    };
    (found.is_finite() && found > 0.0).then_some(found)
}

fn before(words: &str, text: &str) -> Option<f64> {
    let (before, _) = text.split_once(words)?;
    number(before.split_whitespace().next_back()?)
}

/// The word behind these words.
fn behind<'t>(words: &str, text: &'t str) -> Option<&'t str> {
    let (_, behind) = text.split_once(words)?;
    behind.split_whitespace().next()
}

/// The fifth number behind the stressor's name: operations, three times, operations per second.
fn stressor_rate(text: &str) -> Option<f64> {
    let lines = text.lines().filter_map(|line| line.split_once("] ").map(|(_, rest)| rest));
    let mut numbers = lines.map(|line| line.split_whitespace().skip(1).map_while(number).collect::<Vec<_>>());
    numbers.find_map(|numbers| numbers.get(4).copied())
}

fn number(word: &str) -> Option<f64> {
    word.trim_start_matches('(').trim_end_matches(',').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found() {
        let perf = "     Total time: 0.320 [sec]\n\n       3.201210 usecs/op\n         312381 ops/sec\n";
        assert_eq!(figure(Reads::Before(" usecs/op", 1e3), perf), Some(3201.21));
        let stress = "stress-ng: info:  [7] setting\nstress-ng: metrc: [7] stressor  bogo ops real time\n\
                      stress-ng: metrc: [7] fork     3510  1.00  0.48  0.49  2000.0  3604.17\n";
        assert_eq!(figure(Reads::StressorRate, stress), Some(500_000.0));
        let cyclic = "T: 0 (23143) P: 2 I:1000 C:    300 Min:     20 Act:   21 Avg:   46 Max:     532\n";
        assert_eq!(figure(Reads::Behind("Avg:", 1e3), cyclic), Some(46_000.0));
        let ping = "rtt min/avg/max/mdev = 0.003/0.005/0.130/0.002 ms, ipg/ewma 0.010/0.006 ms\n";
        assert_eq!(figure(Reads::Slashed("mdev = ", 1, 1e6), ping), Some(5_000.0));
        let iperf = "[  5]   0.00-1.00   sec  1.00 GBytes  8590 Mbits/sec    0             sender\n\
                     [  5]   0.00-1.00   sec  1.00 GBytes  8000 Mbits/sec                  receiver\n";
        assert_eq!(figure(Reads::LastLine("receiver", " Mbits/sec", 125_000.0), iperf), Some(1e9));
    }

    #[test]
    fn figures_in_brackets_are_found() {
        let sysbench = "14720.00 MiB transferred (7303.12 MiB/sec)\n";
        assert_eq!(figure(Reads::Before(" MiB/sec)", 2.0), sysbench), Some(14606.24));
    }

    #[test]
    fn figures_of_fio_are_found() {
        let fio = "\"read\" : {\n \"iops\" : 200000.5,\n \"lat_ns\" : {\"percentile\" : {\n \"50.000000\" : 66048\n}";
        assert_eq!(figure(Reads::Behind("\"50.000000\" :", 1.0), fio), Some(66048.0));
        let time = figure(Reads::PerSecond("\"iops\" :"), fio);
        assert!(time.is_some_and(|time| (time - 5_000.0).abs() < 0.1));
    }

    #[test]
    fn what_is_not_there_is_not_made_up() {
        for reads in [
            Reads::Before(" usecs/op", 1.0),
            Reads::Behind("Avg", 1.0),
            Reads::Slashed("mdev = ", 1, 1.0),
            Reads::LastLine("receiver", " Mbits/sec", 1.0),
            Reads::PerSecond("iops"),
            Reads::StressorRate,
        ] {
            assert_eq!(figure(reads, "command not found"), None);
        }
        assert_eq!(figure(Reads::Behind("Avg", 1.0), "Avg 0"), None);
        assert_eq!(figure(Reads::Slashed("= ", 4, 1.0), "= 1/2/3"), None);
    }
}
