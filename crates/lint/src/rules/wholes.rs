//! Wholes and their parts by the words of their ids: what `cheaper_than_parts` looks up.

use super::no_kernel_entry::{cheapest, is_answered_by_a_library};
use crate::finding::Finding;
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// By as much a whole may be below its part without being wrong: the two were measured at different times.
const NOISE: f64 = 0.1;
/// A connection needs one round trip of the kernels; the round trip that is told may wake a process at either end.
const OF_ROUND_TRIP: f64 = 0.5;
/// Calls that do nothing but enter the kernel, read a field and leave it.
const EMPTIEST: [&str; 10] = [
    "floor", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "umask", "getpgrp",
];
/// Calls that do something every time, each with an entry of its own.
const WORKING: [&str; 26] = [
    "open",
    "openat",
    "open_close",
    "read",
    "write",
    "read_write",
    "pread",
    "pwrite",
    "stat",
    "fstat",
    "access",
    "nanosleep",
    "mmap",
    "munmap",
    "mprotect",
    "kill",
    "pipe",
    "dup",
    "lseek",
    "select",
    "poll",
    "getcwd",
    "chdir",
    "fcntl",
    "sigaction",
    "close",
];
/// Among calls that do next to nothing, some take a lock and some do not: by as much they differ.
const AMONG_CALLS: f64 = 0.2;
/// What holds what: beginnings of ids that a process ends or begins, that a thread does, and that wait for a disk. A
/// process is made of more than a thread.
const HOLDS: [(&str, &str); 10] = [
    ("process.create.fork_exec", "process.create.fork_wait"),
    ("process.create.fork_exec", "process.create.fork.parent"),
    ("process.create.fork_exec", "process.create.fork"),
    ("process.create.fork_wait", "process.create.fork.parent"),
    ("process.create.fork_wait", "thread.create.join"),
    ("process.create.fork.parent", "thread.create.pthread.parent"),
    ("process.create.fork.run", "thread.create.pthread.run"),
    ("process.create.fork", "thread.create"),
    ("thread.create.join", "thread.create.pthread.parent"),
    ("fault.file.major", "fault.file.minor"),
];

/// What the words say: one finding for each whole below its part.
pub(super) fn find(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let rows: Vec<&Row> = tellings
        .iter()
        .filter_map(|telling| telling.rows.iter().copied().find(|row| is_sound(row)))
        .collect();
    let judged = rows.iter().filter_map(|whole| {
        let parts = rows.iter().filter(|part| part.report == whole.report);
        let parts: Vec<(&Row, f64)> = parts
            .filter_map(|part| Some((*part, share(whole, part)?)))
            .collect();
        let below = |(part, share): &&(&Row, f64)| is_below(whole, part, *share);
        // Several round trips may be told, and one holds no other: the least is the part.
        let found = if whole.belongs("network.connection") {
            let least = parts
                .iter()
                .min_by(|(a, _), (b, _)| weight(a).total_cmp(&weight(b)));
            least.filter(below)
        } else {
            parts.iter().find(below)
        };
        found.map(|(part, share)| finding(whole, part, *share))
    });
    let calls = rows.iter().filter_map(|row| below_the_emptiest(table, row));
    judged.chain(calls).collect()
}

/// The cheapest system call of a report that entered the kernel.
pub(super) fn cheapest_call<'t>(table: &'t Table, report: &'t str) -> Option<(f64, &'t Row)> {
    let times = table
        .of(report)
        .filter(|row| row.belongs("syscall") && row.is_time_of_one() && !is_answered_by_a_library(row));
    times
        .filter(|row| row.params.is_plain() && !row.params.is_trial() && !row.is_by_libc())
        .filter_map(|row| Some((row.result().filter(|&time| time >= cheapest(table, row))?, row)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// A figure above zero that is the thing itself.
fn is_sound(row: &Row) -> bool {
    let measured = row.is_time_of_one() || row.is(Quantity::Bandwidth);
    measured && row.params.is_plain() && row.result().is_some_and(|result| result > 0.0)
}

/// Which share of the part the whole takes at least; `None` where the one is not in the other.
fn share(whole: &Row, part: &Row) -> Option<f64> {
    let connects = ["network.connection.connect", "network.connection.setup"];
    if connects.iter().any(|id| whole.belongs(id)) {
        let alike = ["path", "link"]
            .iter()
            .all(|name| whole.params.get(name) == part.params.get(name));
        let meant = part.belongs("network.round_trip") && whole.params.get("path").is_some() && alike;
        return (meant && whole.is(Quantity::Latency)).then_some(OF_ROUND_TRIP);
    }
    let same = whole.quantity == part.quantity && whole.params.essence() == part.params.essence();
    (same && holds(&whole.operation, &part.operation)).then_some(1.0 - NOISE)
}

/// Whether what the first id names holds what the second names: what a disk answers holds what the cache does.
fn holds(whole: &str, part: &str) -> bool {
    let words = whole.split('.');
    let cached = words.map(|word| if word == "uncached" { "cached" } else { word });
    HOLDS.contains(&(whole, part)) || (whole != part && cached.collect::<Vec<&str>>().join(".") == part)
}

fn weight(part: &Row) -> f64 {
    part.result().unwrap_or(f64::INFINITY)
}

fn is_below(whole: &Row, part: &Row, share: f64) -> bool {
    let (Some(one), Some(other)) = (whole.result(), part.result()) else {
        return false;
    };
    match whole.quantity {
        Some(Quantity::Bandwidth) => one * share > other,
        _ => one < other * share,
    }
}

fn finding(whole: &Row, part: &Row, share: f64) -> Finding {
    let beyond = match (whole.quantity, share < 1.0 - NOISE) {
        (Some(Quantity::Bandwidth), _) => "more than",
        (_, true) => "less than half of",
        (_, false) => "less than",
    };
    let text = format!(
        "{} is {beyond} the {} of {}, which is a part of it",
        whole.told(whole.measured),
        part.told(part.measured),
        part.operation
    );
    Finding::new(&[whole, part], text)
}

/// A system call that costs less than one that does nothing.
fn below_the_emptiest(table: &Table, row: &Row) -> Option<Finding> {
    let emptiest = |row: &Row| {
        EMPTIEST
            .iter()
            .any(|name| row.belongs(&format!("syscall.{name}")))
    };
    // A read of what is cached is a call; elsewhere a file may be read without one.
    let works = WORKING.iter().any(|name| row.belongs(&format!("syscall.{name}")));
    let is_call = (works || row.belongs("file.read.cached")) && row.is_time_of_one();
    // Of many that one entry takes along, each may cost less than the entry.
    if !is_call
        || row.params.get("batch").is_some()
        || emptiest(row)
        || is_answered_by_a_library(row)
        || row.unit.is_none_or(|unit| unit.per_part)
        || row.is(Quantity::Bandwidth)
    {
        return None;
    }
    let floor = table
        .of(&row.report)
        .filter(|known| emptiest(known) && is_sound(known) && !known.params.is_trial());
    let (time, empty) = floor
        .filter_map(|known| {
            Some((
                known.result().filter(|&time| time >= cheapest(table, known))?,
                known,
            ))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let told = row
        .result()
        .filter(|&told| told < time * (1.0 - AMONG_CALLS) && told >= cheapest(table, row));
    told.map(|_| {
        let text = format!(
            "{} is less than the {} of {}, which does nothing",
            row.told(row.measured),
            empty.told(empty.measured),
            empty.operation
        );
        Finding::new(&[row, empty], text)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::read;

    fn count(rows: &str) -> usize {
        let text = format!("operation,parameter,measured,unit\n{rows}");
        find(&read(&text, Vec::new()).unwrap()).len()
    }

    #[test]
    fn wholes_below_their_parts_are_found() {
        for wrong in [
            "process.create.fork.parent,,182,us\nprocess.create.fork.wait,,94,us\n",
            "process.create.fork.wait,,251,us\nprocess.create.fork.exec.wait,,212,us\n",
            "process.create.fork.parent,,118,us\nthread.create.pthread.join,,28,us\nprocess.create.fork.wait,,80,us\n",
            "fork proc,,912,us\nexec proc,,310,us\n",
            "thread.create.pthread.join,,9.4,us\nprocess.create.fork.wait,,7.9,us\n",
            "file.read.uncached,order=random,78,MB/s\nfile.read.cached,order=random,61,MB/s\n",
            "fault.file.major,,0.91,us\nfault.minor,,1.62,us\n",
            "round_trip.tcp,peer=remote,0.44,ms\nconnection.setup,peer=remote,0.11,ms\n",
            "network.round_trip.tcp,path=remote,0.44,ms\nnetwork.connection.connect,path=remote,0.11,ms\n",
            "process.create.fork_wait,,251,us\nprocess.create.fork_exec,,212,us\n",
            "syscall.getppid.raw,,412,ns\nsyscall.open.read,,301,ns\n",
            "null syscall,,58,ns\ncached read,,20,ns\n",
        ] {
            assert_eq!(count(wrong), 1, "{wrong}");
        }
    }

    #[test]
    fn wholes_above_their_parts_and_what_has_no_part_are_none() {
        for right in [
            "process.create.fork.parent,,88,us\nprocess.create.fork.wait,,161,us\n",
            "process.create.vfork.exec.wait,,412,us\nprocess.create.fork.wait,,498,us\n",
            "thread.create.pthread.join,cpu=other,60,us\nprocess.create.fork.wait,cpu=same,50,us\n",
            "file.read.direct,,7,GB/s\nfile.read.cached,,5,GB/s\n",
            "round_trip.tcp,peer=remote,0.44,ms\nconnection.setup,peer=loopback,0.03,ms\n",
            "syscall.getppid.raw,,412,ns\nsyscall.clock_gettime.vdso,,31,ns\nsyscall.close,,351,ns\nsyscall.gettid,,300,ns\n",
            "syscall.getpid.libc,,3,ns\nsyscall.close,,90,ns\n",
        ] {
            assert_eq!(count(right), 0, "{right}");
        }
    }
}
