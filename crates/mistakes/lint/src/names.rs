//! Names of operations in other tools and reports, and the ids that they mean.

use crate::columns::has_word;
use crate::params::Params;
use record::renamed;
use std::borrow::Cow;

/// Ids, with a parameter, and the phrases that mean them: those of lmbench, of the reports and of textbooks. The longest
/// phrase in a name counts; of equally long ones the first.
const PHRASES: &[(&str, &str)] = &[
    ("process.create.fork_exec", "fork execve, fork exec, exec proc"),
    ("process.create.fork_wait", "fork exit, fork proc"),
    ("process.create.fork", "syscall fork, fork"),
    ("process.create", "process creation"),
    ("process.execve", "syscall execve"),
    ("thread.create", "thread creation, thread create, pthread create"),
    ("syscall.read_write", "null i o"),
    ("syscall.open_close", "open clos, open close"),
    ("signal.install", "sig inst"),
    (
        "syscall.floor",
        "null call, null syscall, null system call, simple syscall, system call overhead, syscall overhead, \
         system call, syscall",
    ),
    ("syscall.getpid", "getpid"),
    ("syscall.getppid", "getppid"),
    ("switch.process.pipe", "sched pipe, pipe switch"),
    ("switch.thread", "thread context switch, thread switch"),
    ("switch.process", "process context switch, process switch, context switch, ctx switch, ctxsw"),
    ("call.procedure", "procedure call, function call"),
    ("loop.iteration", "empty loop, loop overhead, loop iteration"),
    ("clock.read", "timer overhead, timing overhead, clock read, rdtscp, rdtsc"),
    ("memory.latency level=L1", "l1 latency, l1 cache latency, l1d latency, load l1, l1 load, l1 hit"),
    ("memory.latency level=L2", "l2 latency, l2 cache latency, load l2, l2 load, l2 hit"),
    ("memory.latency level=L3", "l3 latency, l3 cache latency, llc latency, load l3, l3 load, l3 hit"),
    (
        "memory.latency level=memory",
        "dram latency, main memory latency, memory latency, ram latency, main mem, load dram, load memory, dram load",
    ),
    ("fault.file.major", "major page fault, page fault major, major fault, fault major"),
    ("fault.file.minor", "minor page fault, page fault minor, minor fault, fault minor"),
    ("fault", "page fault, pagefault"),
    ("memory.bandwidth.read", "memory read bandwidth"),
    ("memory.bandwidth.write", "memory write bandwidth"),
    ("memory.bandwidth.copy", "memory copy bandwidth"),
    ("memory.bandwidth", "memory bandwidth, ram bandwidth, dram bandwidth"),
    ("network.round_trip.tcp path=loopback", "tcp loopback latency"),
    ("network.round_trip.tcp", "tcp round trip, tcp rtt, tcp latency"),
    ("network.round_trip.udp", "udp round trip, udp rtt"),
    ("network.round_trip", "network rtt, network round trip"),
    ("network.bandwidth.tcp", "tcp bandwidth, tcp throughput"),
    ("network.connection.connect", "tcp connect, connection setup"),
    ("file.read.cached", "cached read"),
    ("file.read.uncached", "uncached read"),
    ("file.read.direct", "direct read"),
];

/// Beginnings of ids in published reports, the longer ones first, and the current ids.
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

/// First words of the ids that rules know.
const AREAS: &str = "arithmetic branch call clock fault file ipc loop memory network process signal switch syscall thread \
    lock noise timer";

/// Words that mean a path over the network.
const LOOPBACK: &str = "loopback localhost local";
/// Ends of names that are a statistic, as Google's benchmarks have them.
const STATISTICS: &str = "mean median stddev cv min max minimum maximum mdev";
/// Words that give the phrase beside them another meaning.
const QUALIFIERS: &str = "per ratio no without vs minus bandwidth";

/// Every id that a phrase or another id is read as.
pub fn known_ids() -> impl Iterator<Item = &'static str> {
    let ids = PHRASES.iter().map(|(id, _)| id.split_once(' ').map_or(*id, |(id, _)| id));
    ids.chain(IDS.iter().map(|(_, current)| *current))
}

/// Whether an id is one of an operation that rules know.
pub(crate) fn is_known(id: &str) -> bool {
    let area = id.split('.').next().unwrap_or_default();
    let is_id = id.contains('.') && !id.contains([' ', '/']);
    has_word(AREAS, area) && (is_id || PHRASES.iter().any(|(known, _)| *known == id))
}

/// The id and the parameters that a name means; the name itself where it is an id or unknown. Other words of a name
/// become parameters, so that two names are never taken for one.
pub(crate) fn resolved(name: &str, params: Params) -> (String, Params) {
    let (id, params) = as_phrase(name, params);
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

/// The id and the parameters of a name, which may be older ones.
fn as_phrase(name: &str, mut params: Params) -> (String, Params) {
    params.rename("peer", "path");
    let name = match name.rsplit_once('_') {
        Some((stem, word)) if has_word(STATISTICS, word) && !params.has("statistic") => {
            params.insert("statistic", word);
            stem
        }
        _ => name,
    };
    if name.contains('.') && !name.contains(' ') {
        return (current_id(name), params);
    }
    let lower = name.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some((taken, id)) = phrase(&words) else {
        return (name.to_owned(), params);
    };
    let (before, after) = words.split_at(taken.start.min(words.len()));
    let rest: Vec<&&str> = before.iter().chain(after.iter().skip(taken.len())).collect();
    if rest.iter().any(|word| has_word(QUALIFIERS, word)) {
        return (name.to_owned(), params);
    }
    for word in rest {
        match *word {
            word if has_word(LOOPBACK, word) && !params.has("path") => params.insert("path", "loopback"),
            "remote" if !params.has("path") => params.insert("path", "remote"),
            word => params.insert(word, ""),
        }
    }
    let (id, parameter) = id.split_once(' ').unwrap_or((id, ""));
    if let Some((name, value)) = parameter.split_once('=') {
        params.insert(name, value);
    }
    (id.to_owned(), params)
}

/// The position of the longest known phrase among these words, and its id.
fn phrase(words: &[&str]) -> Option<(std::ops::Range<usize>, &'static str)> {
    let phrases = PHRASES.iter().flat_map(|(id, phrases)| phrases.split(", ").map(move |one| (*id, one)));
    let found = phrases.filter_map(|(id, phrase)| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let at = words.windows(phrase.len()).position(|part| part == phrase)?;
        Some((at..at + phrase.len(), id))
    });
    // The first of equally long ones.
    found.reduce(|best, next| if next.0.len() > best.0.len() { next } else { best })
}

/// The current id for another id: its beginning replaced, or the id as it is.
fn current_id(id: &str) -> String {
    let found = IDS.iter().find_map(|(known, current)| {
        let rest = id.strip_prefix(known).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
        Some(format!("{current}{rest}"))
    });
    found.unwrap_or_else(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_mean_ids_and_other_words_become_parameters() {
        for (name, id) in [
            ("null call", "syscall.floor"),
            ("getpid()", "syscall.getpid"),
            ("getpid (libc)", "syscall.getpid libc"),
            ("Context Switch", "switch.process"),
            ("2p/16K ctxsw", "switch.process 16k 2p"),
            ("L1 cache latency", "memory.latency level=L1"),
            ("Main mem", "memory.latency level=memory"),
            ("TCP round-trip (remote)", "network.round_trip.tcp path=remote"),
            ("round_trip.tcp.acknowledgement", "network.round_trip.tcp.acknowledgement"),
            ("bandwidth.tcp", "network.bandwidth.tcp"),
            ("network.bandwidth.tcp", "network.bandwidth.tcp"),
            ("process.create.fork.wait", "process.create.fork_wait"),
            ("syscall.getppid", "syscall.getppid"),
            ("fork per MiB", "fork per MiB"),
            ("something else", "something else"),
            ("BM_copy/64_mean", "BM_copy/64 statistic=mean"),
        ] {
            let (found, params) = resolved(name, Params::default());
            assert_eq!(format!("{found} {}", params.text()).trim_end(), id, "{name}");
        }
        // What a row states counts, and not what an older parameter beside it means.
        let (found, params) = resolved("fault.file.major", Params::parse("pages=1 stride=4KB"));
        assert_eq!((found.as_str(), params.text().as_str()), ("fault.file.major", "stride=4KB"));
    }
}
