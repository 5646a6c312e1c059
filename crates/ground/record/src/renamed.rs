//! Old names of operations, parameters and values, and the current ones: older records and habits stay readable.

use quantity::{Bytes, exact_size, parse_bytes};
use std::borrow::Cow;

/// Operations, what is old of them, and what it is now.
///
/// Without an old parameter the operation's id is old, and the new name may add parameters. An old parameter is looked
/// for at the operations' current ids, which may end in `*`. `*` is any value, `N` a whole number; a new size is written
/// in the largest unit that divides it.
pub type Rename = (&'static str, &'static str, &'static str);

/// All renames, by area; in an area the first row that fits counts.
pub static RENAMES: [&[Rename]; 5] = [CPU, OS, MEMORY, NETWORK, FILE];

const CPU: &[Rename] = &[
    ("clock.read.alone", "", "clock.read.single"),
    ("clock.quantum", "of=*", "clock=*"),
    ("clock.frequency", "of=*", "clock=*"),
    ("clock.frequency", "interval_ms=N", "interval=Nms"),
    ("loop.iteration.alone", "", "loop.iteration.single"),
    ("loop.iteration*", "n=*", "iterations=*"),
    ("call.procedure.alone", "", "call.procedure.single"),
    ("call.procedure.crowded", "", "call.procedure.aliased"),
    ("call.procedure.indirect", "by=*", "method=*"),
    ("arithmetic.*", "what=*", "instruction=*"),
];

const OS: &[Rename] = &[
    ("syscall.getpid.raw", "", "syscall.getpid method=raw"),
    ("syscall.getpid.libc", "", "syscall.getpid method=libc"),
    ("syscall.getppid", "", "syscall.getppid method=raw"),
    ("syscall.getppid.int80", "", "syscall.getppid method=int80"),
    ("syscall.gettid", "", "syscall.gettid method=raw"),
    ("syscall.getuid", "", "syscall.getuid method=raw"),
    ("syscall.write.dev_null", "", "syscall.write.dev_null method=raw"),
    ("syscall.read.dev_zero", "", "syscall.read.dev_zero method=raw"),
    ("syscall.getcwd.raw", "", "syscall.getcwd method=raw"),
    ("syscall.getcwd.libc", "", "syscall.getcwd method=libc"),
    ("syscall.select", "kind=*", "type=*"),
    ("syscall.poll", "kind=*", "type=*"),
    ("syscall.epoll_wait", "kind=*", "type=*"),
    ("process.create.*", "resident_mib=N", "resident=NMiB"),
    ("process.create.fork.first", "", "process.create.fork.either"),
    ("thread.create.pthread.first", "", "thread.create.pthread.either"),
    ("switch.thread.futex", "asleep_us=N", "delay=Nus"),
    ("switch.process.fork_wait_stamp", "", "switch.process.fork_wait_timestamp"),
    ("switch.process.*", "kib=N", "bytes=NKiB"),
    ("ipc.*", "bytes=N", "bytes=NB"),
    ("sleep.*", "length=*", "duration=*"),
];

const MEMORY: &[Rename] = &[
    ("memory.latency.next_chunk", "", "memory.latency.short_cycle chunk=4KiB"),
    ("memory.latency.short_cycle", "", "memory.latency.short_cycle chunk=4KiB"),
    ("memory.bandwidth.read.words_of_four", "", "memory.bandwidth.read.words_of_four bytes=64MiB"),
    ("memory.latency", "size=1.5MiB", "bytes=1536KiB"),
    ("memory.latency*", "size=*", "bytes=*"),
    ("memory.latency*", "pages=*", "page_size=*"),
    ("memory.latency.stride", "stride=N", "stride=NB"),
    ("memory.latency.stride", "order=*", "access=*"),
    ("memory.bandwidth*", "size=*", "bytes=*"),
    ("memory.levels", "of=size", "property=capacity"),
    ("memory.levels", "of=*", "property=*"),
    ("memory.tlb*", "of=*", "property=*"),
    ("memory.line_size", "of=*", "property=*"),
    ("memory.line_size", "distance=N", "distance=NB"),
    ("fault.refused", "", "fault.efault"),
    ("fault.user", "", "fault.userfaultfd"),
    ("fault.file.ahead", "", "fault.file.readahead"),
    ("fault.file.assumed", "", "fault.file.fault_around"),
    ("fault.file.*", "written=*", "fill_write=*"),
    ("fault.file.*", "bytes=*", "file_size=*"),
    ("fault.file.major", "pages=1", "stride=4KiB"),
    ("fault.file.major", "pages=4", "stride=16KiB"),
    ("fault.file.major", "pages=16", "stride=64KiB"),
    ("fault.file.major", "pages=64", "stride=256KiB"),
    ("fault.populate", "by=*", "method=*"),
    ("mapping.*", "size=*", "bytes=*"),
];

const NETWORK: &[Rename] = &[
    ("network.connection.accept_unready", "", "network.connection.no_barrier"),
    ("network.*", "bytes=N", "bytes=NB"),
    ("network.round_trip.*", "family=*", "ip=*"),
    ("network.acknowledge.tcp_info", "value=least", "statistic=minimum"),
    ("network.acknowledge.tcp_info", "value=*", "statistic=*"),
    ("network.acknowledge.packets", "of=*", "segment=*"),
    ("network.bandwidth.tcp.cpu", "end=*", "endpoint=*"),
];

const FILE: &[Rename] = &[
    ("file.read.first", "", "file.read.first_block"),
    ("file.read.second", "", "file.read.reread"),
    ("file.read.not_emptied", "", "file.read.warm_cache"),
    ("file.read.with_start", "", "file.read.with_open"),
    ("file.*", "order=*", "access=*"),
    ("file.read.*", "bytes=*", "file_size=*"),
    ("file.remote.read.*", "bytes=*", "file_size=*"),
    ("file.create", "bytes=*", "file_size=*"),
    ("file.delete", "bytes=*", "file_size=*"),
    ("file.*", "limit=*", "memory_limit=*"),
    ("file.write.buffered", "written=*", "fill_write=*"),
    ("file.remote.*", "server=emptied", "server_cache=cold"),
    ("file.remote.*", "server=*", "server_cache=*"),
];

/// The current name of a point of a record: `loop.iteration n=16` is `loop.iteration iterations=16`.
pub fn current(name: &str) -> Cow<'_, str> {
    renamed(name, |_, _| true)
}

/// The current name of what a user wrote: an id that is still one means all of its points, where older records mean
/// one of them.
pub fn meant(name: &str) -> Cow<'_, str> {
    renamed(name, |old, new| new.split(' ').next() != Some(old))
}

fn renamed(name: &str, applies: impl Fn(&str, &str) -> bool) -> Cow<'_, str> {
    let (old_id, old_point) = name.split_once(' ').unwrap_or((name, ""));
    let (id, added) = renames()
        .find(|&(operations, old, new)| old.is_empty() && operations == old_id && applies(operations, new))
        .map_or((old_id, ""), |(_, _, new)| new.split_once(' ').unwrap_or((new, "")));
    let given = |pair: &&str| {
        let mut old = old_point.split(' ').filter_map(|pair| pair.split_once('='));
        pair.split_once('=').is_some_and(|(name, _)| old.all(|(known, _)| known != name))
    };
    let added = added.split(' ').filter(given).map(Cow::Borrowed);
    let pairs = old_point.split(' ').filter(|pair| !pair.is_empty());
    let point = added.chain(pairs.map(|pair| current_pair(id, pair)));
    let words: Vec<Cow<'_, str>> = std::iter::once(Cow::Borrowed(id)).chain(point).collect();
    let new = words.join(" ");
    if new == name { Cow::Borrowed(name) } else { Cow::Owned(new) }
}

/// The current name of a parameter of an operation, which has its current id, and what an old number of it stands for:
/// 1 048 576 bytes where it counted MiB.
pub fn current_parameter<'a>(operation: &str, name: &'a str) -> (&'a str, u64) {
    let found = parameters_of(operation).find_map(|(old, new)| {
        let (new_name, value) = new.split_once('=')?;
        let one = parse_bytes(&value.replace('N', "1")).map_or(1, Bytes::bytes);
        (old.split_once('=')?.0 == name).then_some((new_name, one))
    });
    found.unwrap_or((name, 1))
}

fn renames() -> impl Iterator<Item = Rename> + Clone {
    RENAMES.into_iter().flatten().copied()
}

/// The old and new parameters of an operation.
fn parameters_of(operation: &str) -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    renames().filter_map(move |(operations, old, new)| {
        let fits = match operations.strip_suffix('*') {
            Some(beginning) => operation.starts_with(beginning),
            None => operation == operations,
        };
        (fits && !old.is_empty()).then_some((old, new))
    })
}

fn current_pair<'a>(operation: &str, pair: &'a str) -> Cow<'a, str> {
    let found = parameters_of(operation).find_map(|(old, new)| renamed_pair(pair, old, new));
    found.map_or(Cow::Borrowed(pair), Cow::Owned)
}

/// The new pair, if this is the old one.
fn renamed_pair(pair: &str, old: &str, new: &str) -> Option<String> {
    let (name, value) = pair.split_once('=')?;
    let (old_name, old_value) = old.split_once('=')?;
    if name != old_name {
        return None;
    }
    let (new_name, new_value) = new.split_once('=')?;
    let value = match old_value {
        "*" => value.to_owned(),
        "N" if value.bytes().all(|digit| digit.is_ascii_digit()) => {
            let value = new_value.replace('N', value);
            parse_bytes(&value).map_or(value, exact_size)
        }
        literal if literal == value => new_value.to_owned(),
        _ => return None,
    };
    Some(format!("{new_name}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_parameters_and_values() {
        for (old, new) in [
            ("clock.read.alone", "clock.read.single"),
            ("clock.frequency of=counter interval_ms=100", "clock.frequency clock=counter interval=100ms"),
            ("loop.iteration counter=register n=16", "loop.iteration counter=register iterations=16"),
            ("loop.iteration.unoptimised n=1", "loop.iteration.unoptimised iterations=1"),
            ("syscall.getpid.raw", "syscall.getpid method=raw"),
            ("syscall.getppid", "syscall.getppid method=raw"),
            ("process.create.fork_wait resident_mib=0", "process.create.fork_wait resident=0B"),
            (
                "process.create.posix_spawn program=static resident_mib=64",
                "process.create.posix_spawn program=static resident=64MiB",
            ),
            ("ipc.pipe.round_trip cpu=same bytes=65536", "ipc.pipe.round_trip cpu=same bytes=64KiB"),
            ("switch.process.ring processes=2 kib=16", "switch.process.ring processes=2 bytes=16KiB"),
            ("memory.latency pages=4KiB size=64MiB", "memory.latency page_size=4KiB bytes=64MiB"),
            ("memory.levels level=1 of=size", "memory.levels level=1 property=capacity"),
            ("fault.file.major access=stride pages=64", "fault.file.major access=stride stride=256KiB"),
            (
                "network.round_trip.tcp path=loopback cpu=same bytes=1472 family=6",
                "network.round_trip.tcp path=loopback cpu=same bytes=1472B ip=6",
            ),
            (
                "file.remote.read.direct order=random bytes=16MiB server=emptied",
                "file.remote.read.direct access=random file_size=16MiB server_cache=cold",
            ),
            (
                "file.read.direct access=sequential bytes=64MiB block=1MiB",
                "file.read.direct access=sequential file_size=64MiB block=1MiB",
            ),
        ] {
            assert_eq!(current(old), new);
            assert_eq!(meant(new), new);
            assert_eq!(current(new), new);
        }
    }

    #[test]
    fn an_id_that_is_still_one_means_all_of_its_points() {
        assert_eq!(meant("syscall.getppid"), "syscall.getppid");
        assert_eq!(meant("syscall.getppid.int80"), "syscall.getppid method=int80");
    }

    #[test]
    fn parameters_alone() {
        let fork = current_parameter("process.create.fork_wait", "resident_mib");
        assert_eq!(fork, ("resident", 1 << 20));
        assert_eq!(current_parameter("ipc.bandwidth.pipe", "bytes"), ("bytes", 1));
        assert_eq!(current_parameter("loop.iteration", "n"), ("iterations", 1));
        assert_eq!(current_parameter("loop.iteration", "counter"), ("counter", 1));
    }
}
