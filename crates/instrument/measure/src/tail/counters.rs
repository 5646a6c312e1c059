//! Counters of the kernel that are read around an iteration: whatever may have delayed it.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use sys::stopped::was_continued;
use sys::usage::{self, UsageScope};

/// Most bytes of a file that are read: a machine with more CPUs has longer lines, and reading them takes too long.
const MAX_BYTES: usize = 64 << 10;

/// Longest time that reading one file may take, in nanoseconds: longer readings leave too few iterations.
const MAX_FILE_NS: i64 = 400_000;

/// Most actors whose waits are read.
const MAX_ACTORS: usize = 4;

/// How the numbers of a file are found.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Layout {
    /// `run wait slices` of a task.
    Schedstat,
    /// A line per event, a column per CPU: those columns are summed.
    Columns { prefix: &'static str, columns: Vec<usize> },
    /// Steal time in the lines of these CPUs.
    Steal(Vec<String>),
    /// `some … total=` of pressure stall information.
    Pressure(&'static str),
    /// Throttled periods and time of a control group.
    Quota,
}

struct Source {
    file: File,
    path: String,
    layout: Layout,
    names: Vec<String>,
    /// What was read last: it stands for a reading that has other lines, so that nothing seems to have risen.
    last: Vec<i64>,
}

/// The counters of a trial, by name, and what each was at a moment.
pub(super) struct Counters {
    sources: Vec<Source>,
    buffer: Vec<u8>,
    names: Vec<String>,
    continued: i64,
    /// Files that are not read, each with the reason.
    pub(super) unread: BTreeMap<String, String>,
}

/// What the counters were at a moment.
pub(super) type Reading = Vec<i64>;

/// Names of the counters of this thread, in the order of [`Counters::read`].
const OWN: [&str; 5] =
    ["continued", "switches.voluntary", "switches.involuntary", "faults.minor", "faults.major"];

/// Fields 1 and 2 of `schedstat` of a task: time on a CPU, and time waiting for one.
const OF_TASK: [&str; 2] = ["run_ns", "run_delay_ns"];

impl Counters {
    /// Opens what can be read of these CPUs and of the tasks that are actors now.
    pub(super) fn open(cpus: &[u32]) -> Self {
        let mut this = Self {
            sources: Vec::new(),
            buffer: vec![0; MAX_BYTES],
            names: OWN.map(str::to_owned).into(),
            continued: 0,
            unread: BTreeMap::new(),
        };
        for (index, task) in sys::process::tasks_of_actors().into_iter().take(MAX_ACTORS).enumerate() {
            let prefix = if index == 0 { String::new() } else { format!("actor {index} ") };
            let names = OF_TASK.map(|name| format!("{prefix}{name}")).into();
            this.add(&task.join("schedstat"), Layout::Schedstat, names);
        }
        let of_cpus: Vec<String> = cpus.iter().map(|cpu| format!("cpu{cpu}")).collect();
        for (path, prefix) in [("/proc/interrupts", "irq "), ("/proc/softirqs", "softirq ")] {
            let layout = Layout::Columns { prefix, columns: Vec::new() };
            this.add_columns(Path::new(path), layout, &of_cpus);
        }
        this.add(Path::new("/proc/stat"), Layout::Steal(of_cpus), vec!["steal_ns".to_owned()]);
        for resource in ["memory", "io"] {
            let path = format!("/proc/pressure/{resource}");
            this.add(Path::new(&path), Layout::Pressure("some "), vec![format!("{resource}.stalled_us")]);
        }
        for group in machine::cpu_groups(&machine::Live::machine()).unwrap_or_default() {
            let path = Path::new(&group).join("cpu.stat");
            // A group without a quota counts nothing.
            if std::fs::read_to_string(&path).is_ok_and(|text| text.contains("nr_throttled")) {
                let names = ["quota.throttled", "quota.throttled_ns"].map(|name| format!("{name} {group}"));
                this.add(&path, Layout::Quota, names.into());
            }
        }
        this
    }

    /// Finds the columns of these CPUs and the names of the lines.
    fn add_columns(&mut self, path: &Path, layout: Layout, cpus: &[String]) {
        let Layout::Columns { prefix, .. } = layout else { return };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let heads = text.lines().next().unwrap_or_default().split_whitespace();
        let columns: Vec<usize> = heads
            .enumerate()
            .filter(|(_, head)| cpus.iter().any(|cpu| head.eq_ignore_ascii_case(cpu)))
            .map(|(column, _)| column)
            .collect();
        let names = text.lines().skip(1).filter_map(|line| Some(format!("{prefix}{}", line_name(line)?)));
        let names = names.collect();
        self.add(path, Layout::Columns { prefix, columns }, names);
    }

    /// Adds a file, unless it cannot be read, or takes too long.
    fn add(&mut self, path: &Path, layout: Layout, names: Vec<String>) {
        let path = path.display().to_string();
        let known = match File::open(&path) {
            Ok(file) => self.tried(Source { file, path: path.clone(), layout, names, last: Vec::new() }),
            Err(error) => Err(error.to_string()),
        };
        match known {
            Ok(source) => {
                self.names.extend(source.names.iter().cloned());
                self.sources.push(source);
            }
            Err(why) => drop(self.unread.insert(path, why)),
        }
    }

    /// A source that gives a number for each of its names, soon enough.
    fn tried(&mut self, mut source: Source) -> Result<Source, String> {
        let (mut took, mut is_known) = (i64::MAX, true);
        // The first reading may find cold caches.
        for _ in 0..3 {
            let before = sys::kernel_time::raw_nanos();
            is_known &= source.read(&mut self.buffer, &mut Vec::new());
            took = took.min(sys::kernel_time::raw_nanos() - before);
        }
        match is_known && !source.names.is_empty() {
            _ if took > MAX_FILE_NS => Err(format!("reading it takes {} µs", took / 1_000)),
            true => Ok(source),
            false => Err("it does not have the known form".to_owned()),
        }
    }

    /// The names, in the order of readings.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads all counters.
    pub(super) fn read(&mut self) -> Reading {
        self.continued += i64::from(was_continued());
        let own = usage::read(UsageScope::Thread).unwrap_or_default();
        let mut values = Vec::with_capacity(self.names.len());
        values.extend([self.continued, own.voluntary, own.involuntary, own.minor_faults, own.major_faults]);
        for source in &mut self.sources {
            if !source.read(&mut self.buffer, &mut values) {
                self.unread.entry(source.path.clone()).or_insert_with(|| "its lines changed".to_owned());
            }
        }
        values
    }
}

impl Source {
    /// Appends the numbers of the file; gives whether it has those that it had.
    fn read(&mut self, buffer: &mut [u8], values: &mut Vec<i64>) -> bool {
        let length = self.file.read_at(buffer, 0).unwrap_or(0);
        let text = buffer.get(..length).map(str::from_utf8);
        let mut now = Vec::with_capacity(self.names.len());
        parse(&self.layout, text.and_then(Result::ok).unwrap_or_default(), &mut now);
        let is_known = now.len() == self.names.len();
        if is_known {
            self.last = now;
        }
        values.extend(&self.last);
        is_known
    }
}

/// The name of a line with a column per CPU: its label, and for interrupts of devices the last word, of others what they are.
fn line_name(line: &str) -> Option<String> {
    let (label, rest) = line.split_once(':')?;
    let words = rest.split_whitespace().skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let label = label.trim();
    let what = match label.bytes().all(|byte| byte.is_ascii_digit()) {
        true => words.last().unwrap_or_default().to_owned(),
        false => words.collect::<Vec<_>>().join(" "),
    };
    Some(format!("{label} {what}").trim_end().to_owned())
}

fn parse(layout: &Layout, text: &str, values: &mut Vec<i64>) {
    let number = |word: &str| word.parse::<i64>().ok();
    let behind = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| number(line.strip_prefix(name)?.strip_prefix(' ')?.trim()))
    };
    match layout {
        Layout::Schedstat => {
            values.extend(text.split_whitespace().take(OF_TASK.len()).filter_map(number));
        }
        Layout::Columns { columns, .. } => {
            for rest in text.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.1)) {
                let mut sum = 0;
                for (column, word) in rest.split_ascii_whitespace().enumerate() {
                    let Some(count) = number(word) else { break };
                    if columns.contains(&column) {
                        sum += count;
                    }
                }
                values.push(sum);
            }
        }
        Layout::Steal(cpus) => {
            /// The word of a CPU's line that is steal time, and a tick of it.
            const STEAL: (usize, i64) = (8, 10_000_000);
            let lines = text.lines().map(|line| line.split_ascii_whitespace());
            let of_cpus = lines
                .filter(|words| words.clone().next().is_some_and(|head| cpus.iter().any(|cpu| cpu == head)));
            let mut ticks = of_cpus.filter_map(|mut words| number(words.nth(STEAL.0)?)).peekable();
            if ticks.peek().is_some() {
                values.push(ticks.sum::<i64>() * STEAL.1);
            }
        }
        Layout::Pressure(some) => {
            let line = text.lines().find_map(|line| line.strip_prefix(some));
            values.extend(line.and_then(|line| number(line.split_once("total=")?.1)));
        }
        Layout::Quota => {
            let time = behind("throttled_time").or_else(|| behind("throttled_usec").map(|time| time * 1_000));
            values.extend(behind("nr_throttled").into_iter().chain(time));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(layout: &Layout, text: &str) -> Vec<i64> {
        let mut values = Vec::new();
        parse(layout, text, &mut values);
        values
    }

    #[test]
    fn counters_are_read_from_known_forms() {
        let of_cpu_1 = |prefix| Layout::Columns { prefix, columns: vec![1] };
        for (layout, text, expected) in [
            (Layout::Schedstat, "2574230 17 3\n", &[2_574_230, 17][..]),
            (
                of_cpu_1("irq "),
                "      CPU0  CPU1\n 24:   1   7  IO-APIC 5-edge ACPI:Ged\nLOC:  5  9  Local timer interrupts\nERR: 3\n",
                &[7, 9, 0],
            ),
            (Layout::Columns { prefix: "", columns: vec![0, 1] }, " CPU0 CPU1\nTIMER: 4 5\n", &[9]),
            (Layout::Steal(vec!["cpu1".to_owned()]), "cpu 9\ncpu1 1 2 3 4 5 6 7 8 9 0\n", &[80_000_000]),
            (Layout::Steal(vec!["cpu7".to_owned()]), "cpu 9\ncpu1 1 2 3 4 5 6 7 8\n", &[]),
            (
                Layout::Pressure("some "),
                "some avg10=1.0 avg60=2.0 avg300=3.0 total=77\nfull total=5\n",
                &[77],
            ),
            (Layout::Quota, "nr_periods 9\nnr_throttled 3\nthrottled_usec 20\n", &[3, 20_000]),
            (Layout::Quota, "nr_periods 9\nnr_throttled 3\nthrottled_time 20\n", &[3, 20]),
            (Layout::Quota, "usage_usec 9\n", &[]),
        ] {
            assert_eq!(parsed(&layout, text), expected, "{layout:?}");
        }
    }

    #[test]
    fn lines_are_named_by_label_and_device() {
        assert_eq!(line_name(" 24: 1 7 IO-APIC 5-edge ACPI:Ged").as_deref(), Some("24 ACPI:Ged"));
        assert_eq!(
            line_name("LOC: 1 7 Local timer interrupts").as_deref(),
            Some("LOC Local timer interrupts")
        );
        assert_eq!(line_name("NET_RX: 1 7").as_deref(), Some("NET_RX"));
        assert_eq!(line_name("CPU0 CPU1"), None);
    }

    #[test]
    fn this_machine_has_a_reading_and_waits_only_grow() {
        let mut counters = Counters::open(&[0]);
        let (first, second) = (counters.read(), counters.read());
        assert!(first.len() == counters.names().len() && first.len() >= OWN.len());
        let at = counters.names().iter().position(|name| name == "run_ns");
        assert!(at.is_none_or(|at| second[at] >= first[at]));
    }
}
