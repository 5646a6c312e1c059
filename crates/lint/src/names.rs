//! What operations are called elsewhere: names of tools and reports, and the ids that the rules know.

use crate::params::Params;
use record::renamed;
use std::borrow::Cow;

/// Words in a name, the id of an operation that they mean, and a parameter. The first that fits counts, so that longer ones stand before
/// shorter ones. Words are those of lmbench, of the reports and of textbooks.
const NAMES: &[(&str, &str, &str)] = &[
    ("syscall fork", "process.create.fork", ""),
    ("syscall execve", "process.execve", ""),
    ("null i o", "syscall.read_write", ""),
    ("open clos", "syscall.open_close", ""),
    ("open close", "syscall.open_close", ""),
    ("sig inst", "signal.install", ""),
    ("null call", "syscall.floor", ""),
    ("null syscall", "syscall.floor", ""),
    ("null system call", "syscall.floor", ""),
    ("simple syscall", "syscall.floor", ""),
    ("system call overhead", "syscall.floor", ""),
    ("syscall overhead", "syscall.floor", ""),
    ("system call", "syscall.floor", ""),
    ("syscall", "syscall.floor", ""),
    ("getpid", "syscall.getpid", ""),
    ("getppid", "syscall.getppid", ""),
    ("sched pipe", "switch.process.pipe", ""),
    ("pipe switch", "switch.process.pipe", ""),
    ("thread context switch", "switch.thread", ""),
    ("thread switch", "switch.thread", ""),
    ("process context switch", "switch.process", ""),
    ("process switch", "switch.process", ""),
    ("context switch", "switch.process", ""),
    ("ctx switch", "switch.process", ""),
    ("ctxsw", "switch.process", ""),
    ("thread creation", "thread.create", ""),
    ("thread create", "thread.create", ""),
    ("pthread create", "thread.create", ""),
    ("process creation", "process.create", ""),
    ("fork execve", "process.create.fork_exec", ""),
    ("fork exec", "process.create.fork_exec", ""),
    ("fork exit", "process.create.fork_wait", ""),
    ("fork proc", "process.create.fork_wait", ""),
    ("exec proc", "process.create.fork_exec", ""),
    ("fork", "process.create.fork", ""),
    ("procedure call", "call.procedure", ""),
    ("function call", "call.procedure", ""),
    ("empty loop", "loop.iteration", ""),
    ("loop overhead", "loop.iteration", ""),
    ("loop iteration", "loop.iteration", ""),
    ("timer overhead", "clock.read", ""),
    ("timing overhead", "clock.read", ""),
    ("clock read", "clock.read", ""),
    ("rdtscp", "clock.read", ""),
    ("rdtsc", "clock.read", ""),
    ("l1 latency", "memory.latency", "level=L1"),
    ("l1 cache latency", "memory.latency", "level=L1"),
    ("l1d latency", "memory.latency", "level=L1"),
    ("l2 latency", "memory.latency", "level=L2"),
    ("l2 cache latency", "memory.latency", "level=L2"),
    ("l3 latency", "memory.latency", "level=L3"),
    ("l3 cache latency", "memory.latency", "level=L3"),
    ("llc latency", "memory.latency", "level=L3"),
    ("dram latency", "memory.latency", "level=memory"),
    ("main memory latency", "memory.latency", "level=memory"),
    ("memory latency", "memory.latency", "level=memory"),
    ("ram latency", "memory.latency", "level=memory"),
    ("main mem", "memory.latency", "level=memory"),
    ("major page fault", "fault.file.major", ""),
    ("page fault major", "fault.file.major", ""),
    ("major fault", "fault.file.major", ""),
    ("fault major", "fault.file.major", ""),
    ("minor page fault", "fault.file.minor", ""),
    ("page fault minor", "fault.file.minor", ""),
    ("minor fault", "fault.file.minor", ""),
    ("fault minor", "fault.file.minor", ""),
    ("memory read bandwidth", "memory.bandwidth.read", ""),
    ("memory write bandwidth", "memory.bandwidth.write", ""),
    ("memory copy bandwidth", "memory.bandwidth.copy", ""),
    ("memory bandwidth", "memory.bandwidth", ""),
    ("ram bandwidth", "memory.bandwidth", ""),
    ("dram bandwidth", "memory.bandwidth", ""),
    ("tcp round trip", "network.round_trip.tcp", ""),
    ("tcp rtt", "network.round_trip.tcp", ""),
    ("tcp latency", "network.round_trip.tcp", ""),
    ("tcp loopback latency", "network.round_trip.tcp", "path=loopback"),
    ("udp round trip", "network.round_trip.udp", ""),
    ("udp rtt", "network.round_trip.udp", ""),
    ("network rtt", "network.round_trip", ""),
    ("network round trip", "network.round_trip", ""),
    ("tcp bandwidth", "network.bandwidth.tcp", ""),
    ("tcp throughput", "network.bandwidth.tcp", ""),
    ("tcp connect", "network.connection.connect", ""),
    ("connection setup", "network.connection.connect", ""),
    ("cached read", "file.read.cached", ""),
    ("uncached read", "file.read.uncached", ""),
    ("direct read", "file.read.direct", ""),
];

/// Beginnings of ids that others use, the longer ones first, and what they are here.
const IDS: &[(&str, &str)] = &[
    ("round_trip", "network.round_trip"),
    ("connection", "network.connection"),
    ("bandwidth", "network.bandwidth"),
    ("process.create.fork.wait", "process.create.fork_wait"),
    ("process.create.fork.exec.wait", "process.create.fork_exec"),
    ("process.create.fork.exec", "process.create.fork_exec"),
    ("thread.create.pthread.join", "thread.create.join"),
    ("fault.minor", "fault.file.minor"),
];

/// Words that say which way the bytes go.
const PATHS: [(&str, &str); 4] = [
    ("loopback", "loopback"),
    ("localhost", "loopback"),
    ("local", "loopback"),
    ("remote", "remote"),
];
/// Ends of names that say how a figure was made of others, as Google's benchmarks have them.
const STATISTICS: [&str; 8] = [
    "mean", "median", "stddev", "cv", "min", "max", "minimum", "maximum",
];
/// Words that make another thing of the one they stand beside.
const OTHERWISE: [&str; 7] = ["per", "ratio", "no", "without", "vs", "minus", "bandwidth"];

/// Every id that a name or another's id is read as.
pub fn known_ids() -> impl Iterator<Item = &'static str> {
    let ids = IDS.iter().map(|(_, own)| *own);
    NAMES.iter().map(|(_, id, _)| *id).chain(ids)
}

/// The id and the parameters that a name means, by their current names; the name itself where it is an id, or nothing
/// known. What a name says besides becomes parameters, so that two names are never taken for one.
pub(crate) fn understood(name: &str, params: Params) -> (String, Params) {
    let (id, params) = told(name, params);
    if id.contains(' ') || !id.contains('.') {
        return (id, params);
    }
    let name = format!("{id} {}", params.text());
    match renamed::meant(name.trim_end()) {
        Cow::Borrowed(_) => (id, params),
        Cow::Owned(name) => {
            let (id, params) = name.split_once(' ').unwrap_or((&name, ""));
            (id.to_owned(), Params::parse(params))
        }
    }
}

fn told(name: &str, mut params: Params) -> (String, Params) {
    params.rename("peer", "path");
    let name = match name
        .rsplit_once('_')
        .filter(|(_, word)| STATISTICS.contains(word))
    {
        Some((stem, statistic)) if params.get("statistic").is_none() => {
            params.insert("statistic", statistic);
            stem
        }
        _ => name,
    };
    let plain: String = name
        .chars()
        .map(|letter| {
            if letter.is_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    if name.contains('.') && !name.contains(' ') {
        return (own_id(name), params);
    }
    let found = NAMES.iter().find_map(|(phrase, id, parameter)| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let at = words.windows(phrase.len()).position(|part| part == phrase)?;
        Some((at..at + phrase.len(), *id, *parameter))
    });
    let Some((taken, id, parameter)) = found else {
        return (name.to_owned(), params);
    };
    let rest: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !taken.contains(at))
        .map(|(_, word)| *word)
        .collect();
    if rest.iter().any(|word| OTHERWISE.contains(word)) {
        return (name.to_owned(), params);
    }
    for word in rest {
        match PATHS.iter().find(|(known, _)| *known == word) {
            Some((_, path)) if params.get("path").is_none() => params.insert("path", path),
            _ => params.insert(word, ""),
        }
    }
    if let Some((name, value)) = parameter.split_once('=') {
        params.insert(name, value);
    }
    (id.to_owned(), params)
}

/// The id that another id means: its beginning replaced, or the id as it is.
fn own_id(id: &str) -> String {
    let rest = |known: &str| {
        let rest = id.strip_prefix(known)?;
        (rest.is_empty() || rest.starts_with('.')).then_some(rest)
    };
    let found = IDS
        .iter()
        .find_map(|(known, own)| Some(format!("{own}{}", rest(known)?)));
    found.unwrap_or_else(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        let (id, params) = understood(name, Params::default());
        format!("{id} {}", params.text()).trim_end().to_owned()
    }

    #[test]
    fn names_of_elsewhere_mean_ids_and_keep_what_else_they_say() {
        for (name, id) in [
            ("null call", "syscall.floor"),
            ("getpid()", "syscall.getpid"),
            ("getpid (libc)", "syscall.getpid libc"),
            ("Context Switch", "switch.process"),
            ("2p/16K ctxsw", "switch.process 16k 2p"),
            ("L1 cache latency", "memory.latency level=L1"),
            ("Main mem", "memory.latency level=memory"),
            ("TCP round-trip (remote)", "network.round_trip.tcp path=remote"),
            (
                "round_trip.tcp.acknowledgement",
                "network.round_trip.tcp.acknowledgement",
            ),
            ("bandwidth.tcp", "network.bandwidth.tcp"),
            ("network.bandwidth.tcp", "network.bandwidth.tcp"),
            ("process.create.fork.wait", "process.create.fork_wait"),
            ("syscall.getppid", "syscall.getppid"),
            ("syscall.getpid.libc", "syscall.getpid method=libc"),
            ("call.procedure.alone", "call.procedure.single"),
            ("fork per MiB", "fork per MiB"),
            ("something else", "something else"),
            ("BM_copy/64_mean", "BM_copy/64 statistic=mean"),
        ] {
            assert_eq!(of(name), id, "{name}");
        }
    }
}
